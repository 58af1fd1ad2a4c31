//! Asdf: a shim is a script that names its plugins and calls `asdf`. The nearest `.tool-versions`
//! that names the plugin counts.

use super::{ShimPlace, ShimReading, base_name, exists, is_folder, is_plain_name, read_small_file};
use crate::program::FoundFile;

/// Settings in `.asdfrc` that do not change what a shim starts. Others may be hooks, or make asdf
/// read further version files.
const HARMLESS_SETTINGS: [&str; 4] = [
    "always_keep_download",
    "concurrency",
    "disable_plugin_short_name_repository",
    "plugin_repository_last_check_duration",
];

/// `None` if the script is not a shim of asdf.
pub(super) fn read_shim(place: &ShimPlace, root: &str, text: &str) -> Option<ShimReading> {
    let plugin_of = |line: &str| {
        let words = line.trim().strip_prefix("# asdf-plugin: ")?;
        words.split_whitespace().next().map(str::to_owned)
    };
    let mut plugins: Vec<_> = text.lines().filter_map(plugin_of).collect();
    plugins.sort();
    plugins.dedup();
    if plugins.is_empty() {
        return None;
    }
    let program = match plugins.as_slice() {
        [plugin] if is_plain_name(plugin) => find_program(place, root, plugin),
        _ => Err("several plugins provide it".to_owned()),
    };
    let mut reading = ShimReading::new("asdf", program);
    match find_manager(place, text) {
        Ok(manager) => {
            let plugins = plugins.iter().map(|plugin| format!("{root}/plugins/{plugin}"));
            let mut folders: Vec<_> = plugins
                .flat_map(|plugin| ["bin", "lib"].map(|part| format!("{plugin}/{part}")))
                .collect();
            if let Some(own) = manager.real.as_str().strip_suffix("/bin/asdf") {
                folders.push(format!("{own}/lib"));
            }
            reading.scripts = place.pin_folders(&folders).into_iter().collect();
            reading.helpers.push(manager);
        }
        Err(why) => reading.program = Err(why),
    }
    Some(reading)
}

/// The program in `exec /home/u/.asdf/bin/asdf exec "node" "$@"`.
fn find_manager(place: &ShimPlace, text: &str) -> Result<FoundFile, String> {
    let call = |line: &str| {
        let mut words = line.split_whitespace();
        let is_call = words.next() == Some("exec");
        let path = words.next()?.trim_matches('"');
        let is_call = is_call && base_name(path) == "asdf" && words.next() == Some("exec");
        is_call.then(|| path.to_owned())
    };
    let path = text.lines().find_map(call).ok_or("it does not call asdf in the usual way")?;
    place.files.find_file(&path, place.cwd, None).map_err(|error| error.to_string())
}

fn find_program(place: &ShimPlace, root: &str, plugin: &str) -> Result<FoundFile, String> {
    check_settings(place)?;
    for script in ["exec-path", "list-bin-paths"] {
        if exists(&format!("{root}/plugins/{plugin}/bin/{script}"))? {
            return Err(format!("a script of the plugin `{plugin}` chooses the program"));
        }
    }
    let name = place.found.called_name();
    let versions = choose_versions(place, plugin)?;
    for version in &versions {
        if version == "system" {
            return place.find_behind(&format!("{root}/shims"));
        }
        let folder = format!("{root}/installs/{plugin}/{version}");
        if !is_plain_name(version) || !is_folder(&folder) {
            return Err(format!("no installed version of {plugin} has the name `{version}`"));
        }
        if let Some(program) = place.locate_any(&format!("{folder}/bin/{name}"))? {
            return Ok(program);
        }
    }
    Err(format!("version {} does not contain it", versions.join(" or ")))
}

fn check_settings(place: &ShimPlace) -> Result<(), String> {
    let home = place.files.home.as_ref().ok_or("the home folder is unknown")?;
    let text = read_small_file(&format!("{home}/.asdfrc"))?.unwrap_or_default();
    let is_harmless = |line: &str| {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim(), value.trim());
        key.is_empty()
            || key.starts_with('#')
            || HARMLESS_SETTINGS.contains(&key)
            || (key, value) == ("legacy_version_file", "no")
    };
    match text.lines().all(is_harmless) {
        true => Ok(()),
        false => Err("`.asdfrc` can change what it starts".to_owned()),
    }
}

fn choose_versions(place: &ShimPlace, plugin: &str) -> Result<Vec<String>, String> {
    let home = place.files.home.clone();
    for folder in place.folders()?.into_iter().chain(home) {
        let file = format!("{folder}/.tool-versions");
        let Some(text) = read_small_file(&file)? else { continue };
        if let Some((_, versions)) = parse_tool_versions(&text).find(|(tool, _)| *tool == plugin) {
            return Ok(versions);
        }
    }
    Err(format!("no `.tool-versions` names a version of {plugin}"))
}

/// The tools of a `.tool-versions` file, with their versions.
pub(super) fn parse_tool_versions(text: &str) -> impl Iterator<Item = (&str, Vec<String>)> {
    text.lines().filter_map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let tool = words.next()?;
        Some((tool, words.map(str::to_owned).collect()))
    })
}

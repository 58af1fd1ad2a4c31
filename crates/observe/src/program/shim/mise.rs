//! Mise: a shim is a link to `mise`. Of each tool the nearest configuration counts, and the program
//! is in the tool's folder below `installs`.
//!
//! A configuration with anything else than tools may change the environment or run code, so it is
//! not followed.

use super::asdf::parse_tool_versions;
use super::{
    ShimPlace, ShimReading, base_name, exists, is_folder, is_plain_name, read_small_file,
    read_table,
};
use crate::program::FoundFile;
use std::collections::BTreeMap;
use toml::Value;

/// The configuration files of one folder.
const CONFIGURATIONS: [&str; 8] = [
    "mise.local.toml",
    "mise.toml",
    ".mise.local.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];
/// Files that make mise read others, or that it reads as versions if it is told to.
const UNFOLLOWED: [&str; 11] = [
    ".miserc.toml",
    "mise/conf.d",
    ".mise/conf.d",
    ".config/mise/conf.d",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".ruby-version",
    ".go-version",
    ".java-version",
    ".sdkmanrc",
];
const HARMLESS_KEYS: [&str; 4] = ["tools", "tasks", "task_config", "min_version"];
const HARMLESS_SETTINGS: [&str; 6] = ["color", "experimental", "jobs", "quiet", "verbose", "yes"];

type ToolVersions = BTreeMap<String, Vec<String>>;

pub(super) fn read_shim(place: &ShimPlace) -> Option<ShimReading> {
    let is_shim =
        base_name(place.found.real.as_str()) == "mise" && place.found.called_name() != "mise";
    is_shim.then(|| ShimReading::new("mise", find_program(place)))
}

fn find_program(place: &ShimPlace) -> Result<FoundFile, String> {
    let installs = find_installs(place)?;
    let name = place.found.called_name();
    let mut programs = Vec::new();
    for (tool, versions) in collect_tools(place)? {
        for version in versions {
            let folder = format!("{installs}/{tool}/{version}");
            if !is_plain_name(&version) || !is_folder(&format!("{folder}/bin")) {
                return Err(format!("`{tool}` {version} has no folder `bin` under that name"));
            }
            programs.extend(place.locate_any(&format!("{folder}/bin/{name}"))?);
        }
    }
    match (programs.pop(), programs.is_empty()) {
        (Some(program), true) => Ok(program),
        (Some(_), false) => Err("several tools provide it".to_owned()),
        (None, _) => Err("no tool that is chosen here provides it".to_owned()),
    }
}

fn find_installs(place: &ShimPlace) -> Result<String, String> {
    let data = match place.found.found_at.rsplit_once("/shims/") {
        Some((data, _)) => data.to_owned(),
        None => format!("{}/.local/share/mise", find_home(place)?),
    };
    let installs = format!("{data}/installs");
    if is_folder(&installs) { Ok(installs) } else { Err(format!("`{installs}` is not a folder")) }
}

fn find_home<'a>(place: &ShimPlace<'a>) -> Result<&'a str, String> {
    place.files.home.as_deref().ok_or_else(|| "the home folder is unknown".to_owned())
}

/// The chosen versions of every tool.
fn collect_tools(place: &ShimPlace) -> Result<ToolVersions, String> {
    let home = find_home(place)?.to_owned();
    let mut tools = ToolVersions::new();
    for folder in place.folders()?.iter().chain([&home]) {
        let mut here = ToolVersions::new();
        for name in UNFOLLOWED {
            if exists(&format!("{folder}/{name}"))? {
                return Err(format!("`{folder}/{name}` may choose the version"));
            }
        }
        for name in CONFIGURATIONS {
            add_tools(&mut here, read_configuration(&format!("{folder}/{name}"))?)?;
        }
        let listed = read_small_file(&format!("{folder}/.tool-versions"))?.unwrap_or_default();
        let listed = parse_tool_versions(&listed);
        add_tools(&mut here, listed.map(|(tool, versions)| (folder_name(tool), versions)))?;
        for (tool, versions) in here {
            tools.entry(tool).or_insert(versions);
        }
    }
    for (tool, versions) in read_configuration("/etc/mise/config.toml")? {
        tools.entry(tool).or_insert(versions);
    }
    Ok(tools)
}

/// Two files of one folder must agree: which of them counts differs between versions of mise.
fn add_tools(
    here: &mut ToolVersions,
    tools: impl IntoIterator<Item = (String, Vec<String>)>,
) -> Result<(), String> {
    for (tool, versions) in tools {
        let known = here.entry(tool.clone()).or_insert_with(|| versions.clone());
        if *known != versions {
            return Err(format!("two files of one folder choose a version of `{tool}`"));
        }
    }
    Ok(())
}

fn read_configuration(path: &str) -> Result<ToolVersions, String> {
    let table = read_table(path)?.unwrap_or_default();
    for (key, value) in &table {
        let has_harmless_settings = key == "settings"
            && value.as_table().is_some_and(|settings| {
                settings.keys().all(|setting| HARMLESS_SETTINGS.contains(&setting.as_str()))
            });
        if !HARMLESS_KEYS.contains(&key.as_str()) && !has_harmless_settings {
            return Err(format!("`{key}` in `{path}` can change what it starts"));
        }
    }
    let mut tools = ToolVersions::new();
    let listed = table.get("tools").and_then(Value::as_table).into_iter().flatten();
    for (tool, value) in listed {
        let versions = read_versions(value);
        let versions = versions.ok_or_else(|| format!("`{tool}` in `{path}` is unusual"))?;
        tools.insert(folder_name(tool), versions);
    }
    Ok(tools)
}

/// `"20"`, `{version = "20"}`, or a list of them.
fn read_versions(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(version) => Some(vec![version.clone()]),
        Value::Table(table) if table.len() == 1 => read_versions(table.get("version")?),
        Value::Array(list) => {
            let versions: Option<Vec<_>> = list.iter().map(read_versions).collect();
            Some(versions?.concat()).filter(|versions| !versions.is_empty())
        }
        _ => None,
    }
}

/// The name of a tool's folder: `npm:prettier` is in `npm-prettier`.
fn folder_name(tool: &str) -> String {
    match tool.strip_prefix("core:").unwrap_or(tool) {
        "nodejs" => "node".to_owned(),
        "golang" => "go".to_owned(),
        tool => tool.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-"),
    }
}

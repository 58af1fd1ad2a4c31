//! Pyenv and its relatives: a shim is a script that calls its manager, a set of shell scripts. The
//! nearest version file counts, then the global one.

use super::{ShimPlace, ShimReading, base_name, is_folder, is_plain_name, read_small_file};
use crate::program::FoundFile;
use countersign_commands::PinnedFile;

struct EnvManager {
    name: &'static str,
    version_file: &'static str,
    /// A version may be written with this prefix.
    language: &'static str,
    reads: VersionFileForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VersionFileForm {
    FirstWord,
    /// The first version that contains the program counts.
    SeveralVersions,
}

const MANAGERS: [EnvManager; 7] = [
    EnvManager::new("pyenv", ".python-version", "python", VersionFileForm::SeveralVersions),
    EnvManager::new("rbenv", ".ruby-version", "ruby", VersionFileForm::FirstWord),
    EnvManager::new("nodenv", ".node-version", "node", VersionFileForm::FirstWord),
    EnvManager::new("goenv", ".go-version", "go", VersionFileForm::FirstWord),
    EnvManager::new("jenv", ".java-version", "java", VersionFileForm::FirstWord),
    EnvManager::new("phpenv", ".php-version", "php", VersionFileForm::FirstWord),
    EnvManager::new("plenv", ".perl-version", "perl", VersionFileForm::FirstWord),
];

impl EnvManager {
    const fn new(
        name: &'static str,
        version_file: &'static str,
        language: &'static str,
        reads: VersionFileForm,
    ) -> Self {
        Self { name, version_file, language, reads }
    }
}

/// `None` if the script does not call a manager of this family.
pub(super) fn read_shim(place: &ShimPlace, text: &str) -> Option<ShimReading> {
    let call = |line: &str| {
        let path =
            line.trim().strip_prefix("exec \"")?.strip_suffix("\" exec \"$program\" \"$@\"")?;
        let manager = MANAGERS.iter().find(|manager| manager.name == base_name(path))?;
        Some((manager, path.to_owned()))
    };
    let (manager, path) = text.lines().find_map(call)?;
    let mut reading = ShimReading::new(manager.name, manager.find_program(place, text));
    match place.locate(&path) {
        Ok(helper) => {
            reading.scripts = manager.pin_scripts(place, text, &helper).into_iter().collect();
            reading.helpers.push(helper);
        }
        Err(why) => reading.program = Err(why),
    }
    Some(reading)
}

impl EnvManager {
    fn find_root<'t>(&self, text: &'t str) -> Result<&'t str, String> {
        let prefix = format!("export {}_ROOT=\"", self.name.to_ascii_uppercase());
        let root = |line: &'t str| line.trim().strip_prefix(&prefix)?.strip_suffix('"');
        let root = text.lines().find_map(root).filter(|root| root.starts_with('/'));
        root.ok_or_else(|| "it does not say where the versions are".to_owned())
    }

    fn find_program(&self, place: &ShimPlace, text: &str) -> Result<FoundFile, String> {
        let root = self.find_root(text)?;
        let name = place.found.called_name();
        // `ruby dir/script.rb` takes the version of `dir`.
        if name.starts_with(self.language) && text.contains("_DIR=") {
            return Err("the words of the command choose the version".to_owned());
        }
        let versions = self.choose_versions(place, root)?;
        for version in &versions {
            if version == "system" {
                return place.find_behind(&format!("{root}/shims"));
            }
            let program = format!("{}/bin/{name}", self.find_version(root, version)?);
            if let Some(program) = place.locate_any(&program)? {
                return Ok(program);
            }
        }
        Err(format!("version {} does not contain it", versions.join(" or ")))
    }

    fn choose_versions(&self, place: &ShimPlace, root: &str) -> Result<Vec<String>, String> {
        let files = place.folders()?.into_iter();
        let files = files.map(|folder| format!("{folder}/{}", self.version_file));
        for file in files.chain([format!("{root}/version")]) {
            let Some(text) = read_small_file(&file)? else { continue };
            let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
            let mut versions: Vec<_> =
                lines.flat_map(str::split_whitespace).map(str::to_owned).collect();
            if self.reads == VersionFileForm::FirstWord {
                versions.truncate(1);
            }
            if versions.is_empty() {
                return Err(format!("`{file}` names no version"));
            }
            return Ok(versions);
        }
        Ok(vec!["system".to_owned()])
    }

    fn find_version(&self, root: &str, version: &str) -> Result<String, String> {
        let short = version.strip_prefix(self.language).and_then(|rest| rest.strip_prefix('-'));
        let names = [Some(version), short].into_iter().flatten();
        let mut folders =
            names.filter(|name| is_plain_name(name)).map(|name| format!("{root}/versions/{name}"));
        let missing = || format!("no installed version has the name `{version}`");
        folders.find(|folder| is_folder(folder)).ok_or_else(missing)
    }

    /// The scripts beside the manager's own, and the hooks that it runs.
    fn pin_scripts(
        &self,
        place: &ShimPlace,
        text: &str,
        manager: &FoundFile,
    ) -> Option<PinnedFile> {
        let root = self.find_root(text).ok()?;
        let (own_folder, _) = manager.real.as_str().rsplit_once('/')?;
        let mut folders = vec![own_folder.to_owned(), format!("{root}/{}.d", self.name)];
        let plugins = std::fs::read_dir(format!("{root}/plugins")).into_iter().flatten().flatten();
        for plugin in plugins.filter_map(|plugin| plugin.path().to_str().map(str::to_owned)) {
            folders.extend([format!("{plugin}/bin"), format!("{plugin}/etc")]);
        }
        place.pin_folders(&folders)
    }
}

//! Where the coding agents keep their settings, and where programs are found.

use super::{SettingSource, Settings, env_folder};
use crate::failure::Failure;
use countersign_harness::Program;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The folders of the programs' settings, where a variable or the home says so.
pub(super) struct ProgramFolders(Vec<(Program, PathBuf)>);

impl ProgramFolders {
    pub(super) fn load() -> Self {
        let folder = |program: Program| {
            let in_home = || env_folder("HOME").map(|home| home.join(program.settings_folder()));
            env_folder(folder_variable(program)).or_else(in_home)
        };
        let folders =
            Program::ALL.into_iter().filter_map(|program| Some((program, folder(program)?)));
        Self(folders.collect())
    }
}

/// The variable with which each program lets its users move its folder.
const fn folder_variable(program: Program) -> &'static str {
    match program {
        Program::ClaudeCode => "CLAUDE_CONFIG_DIR",
        Program::Codex => "CODEX_HOME",
    }
}

impl Settings {
    pub(crate) fn program_folder(&self, program: Program) -> Result<&Path, Failure> {
        let found = self.program_folders.0.iter().find(|(known, _)| *known == program);
        found.map(|(_, folder)| folder.as_path()).ok_or_else(|| {
            let message = format!("the folder of {program}'s settings is not known");
            Failure::usage(message, format!("set HOME or {}", folder_variable(program)))
        })
    }

    /// Variables that decide here, and have to be set for a program whose hooks should find the same.
    pub(crate) fn variables_in_force(&self) -> Vec<&'static str> {
        let sources = [self.data.source, self.store.source, self.graph.source];
        let name = |source| match source {
            SettingSource::Environment(name) => Some(name),
            SettingSource::File | SettingSource::Default => None,
        };
        sources.into_iter().filter_map(name).collect()
    }

    /// The first file with this name in `PATH` that can be executed.
    pub(crate) fn find_executable(&self, name: &str) -> Option<PathBuf> {
        let folders = self.program_path.split(':').filter(|folder| folder.starts_with('/'));
        folders.map(|folder| Path::new(folder).join(name)).find(|path| is_executable(path))
    }

    /// The path of this program that stays the same when it is updated: the one in `PATH`, if it leads
    /// here, because a package may be unpacked into a folder with its version.
    pub(crate) fn own_binary(&self) -> Result<String, Failure> {
        let help = "install the program, and run the installed one";
        let fail = |why: String| Failure::new(format!("cannot find this program: {why}"), help);
        let own = std::env::current_exe().map_err(|error| fail(error.to_string()))?;
        let name = own.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let leads_here = |path: &PathBuf| {
            fs::canonicalize(path).is_ok_and(|path| Some(path) == fs::canonicalize(&own).ok())
        };
        let path = self.find_executable(name).filter(leads_here).unwrap_or(own);
        path.into_os_string().into_string().map_err(|_| fail("its path is not UTF-8".to_owned()))
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

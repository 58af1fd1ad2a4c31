//! What the setup commands know of this machine. The binary reads it from settings and environment.

use crate::graph_search::GraphPlaces;
use countersign_console::Failure;
use countersign_core::model::time::Time;
use countersign_engine::Clock;
use countersign_harness::{HookTarget, Program};
use countersign_observe::RealFileSystem;
use countersign_report::RecordDefaults;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub struct SetupContext {
    pub record: RecordDefaults,
    pub graphs: GraphPlaces,
    /// The folder that `~` stands for.
    pub home: Option<String>,
    /// The value of `PATH`.
    pub program_path: String,
    /// This program, or why the system does not say where it is.
    pub own_program: Result<PathBuf, String>,
    /// The folders of the programs' settings, where they are known.
    pub program_folders: Vec<(Program, PathBuf)>,
    /// The settings file, where it is not at the usual place of this user's home.
    pub settings_file: Option<PathBuf>,
    /// Variables that decide here. A hook does not take them, nor does a daemon that it starts.
    pub variables_in_force: Vec<&'static str>,
    /// The disk as seen by an agent that runs as our own user.
    pub file_system: RealFileSystem,
    pub clock: Box<dyn Clock>,
}

/// The variable with which each program lets its users move its folder.
pub const fn folder_variable(program: Program) -> &'static str {
    match program {
        Program::ClaudeCode => "CLAUDE_CONFIG_DIR",
        Program::Codex => "CODEX_HOME",
    }
}

impl SetupContext {
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// The user's config folder for Countersign.
    pub(crate) fn graph_folder(&self) -> Option<&Path> {
        self.graphs.config.as_deref()
    }

    pub(crate) fn program_folder(&self, program: Program) -> Result<&Path, Failure> {
        let found = self.program_folders.iter().find(|(known, _)| *known == program);
        found.map(|(_, folder)| folder.as_path()).ok_or_else(|| {
            let message = format!("the folder of {program}'s settings is not known");
            Failure::usage(message, format!("set HOME or {}", folder_variable(program)))
        })
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
        let own = self.own_program.clone().map_err(fail)?;
        let name = own.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let leads_here = |path: &PathBuf| {
            fs::canonicalize(path).is_ok_and(|path| Some(path) == fs::canonicalize(&own).ok())
        };
        let path = self.find_executable(name).filter(leads_here).unwrap_or(own);
        path.into_os_string().into_string().map_err(|_| fail("its path is not UTF-8".to_owned()))
    }
}

impl SetupContext {
    /// What our hooks run, and on which daemon.
    pub(crate) fn hook_target(&self) -> Result<HookTarget, Failure> {
        let as_text = |path: PathBuf| {
            let path = std::path::absolute(&path).unwrap_or(path);
            path.into_os_string().into_string().map_err(|path| {
                let message = format!("`{}` is not UTF-8", path.display());
                Failure::new(message, "name another folder with COUNTERSIGN_DATA")
            })
        };
        Ok(HookTarget {
            binary: self.own_binary()?,
            data: Some(as_text(self.record.data()?)?),
            settings: self.settings_file.clone().map(as_text).transpose()?,
        })
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

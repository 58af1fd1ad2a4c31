//! A temporary folder with a home, a place for the daemon and one for work.

use super::create;
use crate::failure::Failure;
use crate::process::can_run;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Only its owner can enter it. It is removed with the value, and a daemon in it ends.
pub struct SuiteFolder(PathBuf);

impl SuiteFolder {
    /// There is one at a time for each suite.
    pub fn create(suite: &str) -> Result<Self, Failure> {
        let name = format!("countersign-{suite}-{}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        for part in ["data", "home", "work"] {
            create(&folder.0.join(part))?;
        }
        let closed = std::fs::Permissions::from_mode(0o700);
        for path in [folder.0.clone(), folder.data()] {
            let set = std::fs::set_permissions(&path, closed.clone());
            set.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    /// What the daemon keeps, and its sockets.
    pub fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// A folder for clients and servers, beside the daemon's own.
    pub fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    pub fn settings(&self) -> PathBuf {
        self.0.join("settings.toml")
    }

    /// The variables by which a program finds the daemon.
    pub fn variables(&self) -> BTreeMap<&'static str, PathBuf> {
        BTreeMap::from([
            ("HOME", self.home()),
            ("COUNTERSIGN_DATA", self.data()),
            ("COUNTERSIGN_SETTINGS", self.settings()),
        ])
    }

    /// A program that finds the daemon and leaves the user's own files alone.
    ///
    /// Servers and clients greet on stderr, so that is not shown. Cargo sets a variable that loads
    /// code, and not every client passes it on: the gateway would ask again about a server that it
    /// is new to.
    pub fn prepare(&self, mut command: Command) -> Command {
        command.envs(self.variables()).env_remove("LD_LIBRARY_PATH").stderr(Stdio::null());
        command.current_dir(self.work());
        command
    }
}

impl Drop for SuiteFolder {
    fn drop(&mut self) {
        for process in find_processes(&self.data()) {
            // It may have ended meanwhile.
            let _ended = can_run(Command::new("kill").args(["-9", &process]));
        }
        // Nothing in it is needed any more.
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// The processes that have this folder as an argument: a program may have started a daemon for it.
fn find_processes(folder: &Path) -> Vec<String> {
    let folder = folder.as_os_str().as_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let is_ours = |process: &PathBuf| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == folder)
    };
    let processes = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_ours);
    processes.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

//! Shims: programs of version managers that only start another program. Which one depends on files
//! in the folder where the command runs and above it, and on the manager's own settings.
//!
//! Nothing is started to find out. What cannot be told from files alone is not followed, and the
//! reason says so. Variables of the agent's environment are not visible; a line cannot set them.

mod asdf;
mod env_manager;
mod manager_scripts;
mod mise;
mod rustup;
mod unfollowed;

use super::{FoundFile, ProgramSearch};
use crate::disk;
use crate::file_system::LookupError;
use crate::limits;
use countersign_commands::PinnedFile;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A program that may be a shim, and where it is called.
pub(super) struct ShimPlace<'a> {
    pub(super) files: &'a ProgramSearch,
    pub(super) found: &'a FoundFile,
    pub(super) cwd: &'a str,
}

/// What a shim starts.
pub(super) struct ShimReading {
    pub(super) manager: &'static str,
    /// Programs that it starts on the way.
    pub(super) helpers: Vec<FoundFile>,
    /// Further code that it runs on the way.
    pub(super) scripts: Vec<PinnedFile>,
    /// The program that the shim stands for, or why nobody can tell.
    pub(super) program: Result<FoundFile, String>,
}

impl ShimReading {
    fn new(manager: &'static str, program: Result<FoundFile, String>) -> Self {
        Self { manager, helpers: Vec::new(), scripts: Vec::new(), program }
    }
}

/// `None` if the program is not a shim.
pub(super) fn read_shim(place: &ShimPlace) -> Option<ShimReading> {
    let readers =
        [rustup::read_shim, mise::read_shim, unfollowed::read_shim, read_script_in_shim_folder];
    readers.iter().find_map(|read_shim| read_shim(place))
}

/// The shims of pyenv and its relatives, and of asdf, are scripts in a folder `shims`.
fn read_script_in_shim_folder(place: &ShimPlace) -> Option<ShimReading> {
    let (folder, _) = place.found.real.as_str().rsplit_once('/')?;
    let root = folder.strip_suffix("/shims")?;
    let unknown = |why: &str| ShimReading::new("an unknown manager", Err(why.to_owned()));
    let text = match read_small_file(place.found.real.as_str()) {
        Ok(Some(text)) => text,
        Ok(None) => return Some(unknown("it is gone")),
        Err(why) => return Some(unknown(&why)),
    };
    let reading = asdf::read_shim(place, root, &text)
        .or_else(|| env_manager::read_shim(place, &text))
        .unwrap_or_else(|| unknown("it is in a folder of shims, and of no known form"));
    Some(reading)
}

impl ShimPlace<'_> {
    /// The folder where the command runs, and every folder above it.
    fn folders(&self) -> Result<Vec<String>, String> {
        if !self.cwd.starts_with('/') {
            return Err("the folder in which it runs is unknown".to_owned());
        }
        let cwd = disk::resolve_path(self.cwd, "/").map_err(|error| error.to_string())?;
        Ok(cwd.ancestors().map(|folder| folder.trim_end_matches('/').to_owned()).collect())
    }

    /// A program of a manager, by its path.
    fn locate(&self, path: &str) -> Result<FoundFile, String> {
        self.files.locate_program(path, self.cwd).map_err(|error| error.to_string())
    }

    /// The same, or `None` if no program is there.
    fn locate_any(&self, path: &str) -> Result<Option<FoundFile>, String> {
        match self.files.locate_program(path, self.cwd) {
            Ok(found) => Ok(Some(found)),
            Err(LookupError::NotExecutable(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The program that would be found if the folder of shims were not there.
    fn find_behind(&self, shims: &str) -> Result<FoundFile, String> {
        let name = self.found.called_name();
        self.files.find_file(name, self.cwd, Some(shims)).map_err(|error| error.to_string())
    }
}

/// The text of a version file or shim; `None` if nothing is there.
fn read_small_file(path: &str) -> Result<Option<String>, String> {
    let unreadable = |why: &dyn std::fmt::Display| format!("`{path}` cannot be read: {why}");
    // A pipe under this name must not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    };
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() || metadata.len() > limits::MAX_VERSION_FILE_BYTES {
        return Err(unreadable(&"it is too large, or not a regular file"));
    }
    let mut text = String::new();
    let mut rest = file.take(limits::MAX_VERSION_FILE_BYTES);
    rest.read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok(Some(text))
}

/// The table in a TOML file; `None` if nothing is there.
fn read_table(path: &str) -> Result<Option<toml::Table>, String> {
    let Some(text) = read_small_file(path)? else { return Ok(None) };
    let table = text.parse().map_err(|_| format!("`{path}` is not valid TOML"))?;
    Ok(Some(table))
}

/// Whether something is there. A folder that is closed to us may be open to the agent.
fn exists(path: &str) -> Result<bool, String> {
    Path::new(path).try_exists().map_err(|error| format!("`{path}` cannot be read: {error}"))
}

fn is_folder(path: &str) -> bool {
    Path::new(path).is_dir()
}

/// A version or tool that is the name of one folder.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

//! The scripts of which a version manager consists: they run before the program that a shim starts.

use super::ShimPlace;
use crate::limits;
use crate::program::ProgramSearch;
use countersign_commands::{PinnedFile, ProgramHash};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// How deep the folders of a manager's scripts are nested, with some room.
const MAX_DEPTH: usize = 5;

impl ShimPlace<'_> {
    /// One hash for all files in the folders that exist, under the name of the first.
    pub(super) fn pin_folders(&self, folders: &[String]) -> Option<PinnedFile> {
        let path = folders.first()?.clone();
        Some(PinnedFile { path, hash: hash_folders(self.files, folders) })
    }
}

fn hash_folders(files: &ProgramSearch, folders: &[String]) -> Result<ProgramHash, String> {
    let mut scripts = Vec::new();
    for folder in folders {
        collect_files(Path::new(folder), MAX_DEPTH, &mut scripts)?;
    }
    scripts.sort();
    let mut hasher = Sha256::new();
    for script in scripts {
        let real = fs::canonicalize(&script);
        let real = real.map_err(|error| format!("`{}`: {error}", script.display()))?;
        let real = real.to_str().ok_or("a script of the manager has a name that is not UTF-8")?;
        let hash = files.contents.hash_file(real)?;
        hasher.update(script.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(hash.digest().bytes());
    }
    Ok(ProgramHash::from_bytes(hasher.finalize().into()))
}

/// Links are followed, as by the manager.
fn collect_files(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    let too_many = || format!("`{}` contains too many files", folder.display());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(error)),
    };
    let depth = depth.checked_sub(1).ok_or_else(too_many)?;
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let Ok(metadata) = fs::metadata(&path) else { continue };
        match metadata.is_dir() {
            true => collect_files(&path, depth, found)?,
            false => found.push(path),
        }
        if found.len() > limits::MAX_MANAGER_FILES {
            return Err(too_many());
        }
    }
    Ok(())
}

//! The backup of a program's files in the data folder: what was there before us, and what we wrote.

use super::plan::{PlannedFileChange, ProgramPlan};
use super::write::{create, missing_folders, write_all};
use crate::files;
use crate::files::read_if_present;
use countersign_console::Failure;
use countersign_core::encoding::digest::Digest;
use countersign_harness::Program;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const NOTE: &str = "note.json";
const VERSION: u32 = 1;

/// What `init` wrote for one program.
pub(crate) struct Backup {
    folder: PathBuf,
    note: BackupNote,
}

#[derive(Clone, Serialize, Deserialize)]
struct BackupNote {
    v: u32,
    files: Vec<BackedUpFile>,
}

#[derive(Clone, Serialize, Deserialize)]
struct BackedUpFile {
    path: PathBuf,
    /// The file in the backup with the first bytes. None if there was no file.
    original: Option<String>,
    /// The digest of what we wrote.
    installed: Digest,
    /// The folders that were made for it, the innermost first.
    created_folders: Vec<PathBuf>,
}

impl BackedUpFile {
    fn is_as_installed(&self, current: &[u8]) -> bool {
        digest(current) == self.installed
    }
}

fn digest(bytes: &[u8]) -> Digest {
    Digest::hash_bytes("installed-settings", bytes)
}

impl Backup {
    /// The backup of a program. It has no files if there is none.
    pub(crate) fn open(data: &Path, program: Program) -> Result<Self, Failure> {
        let folder = data.join("installed").join(program.word());
        let path = folder.join(NOTE);
        let empty = BackupNote { v: VERSION, files: Vec::new() };
        let Some(bytes) = read_if_present(&path)? else { return Ok(Self { folder, note: empty }) };
        let note: Option<BackupNote> = serde_json::from_slice(&bytes).ok();
        let note = note.filter(|note| note.v == VERSION).ok_or_else(|| {
            let message = format!("`{}` is no note of this version", path.display());
            Failure::new(message, "update the program, or move the folder away")
        })?;
        Ok(Self { folder, note })
    }

    /// The files that were written, and perhaps changed since.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.note.files.iter().map(|file| file.path.as_path())
    }

    /// Keeps the first bytes of all files, then writes the changes.
    pub(crate) fn install(mut self, plan: &ProgramPlan) -> Result<(), Failure> {
        let before = self.note.clone();
        for change in &plan.changes {
            self.remember(change)?;
        }
        self.write_note()?;
        if let Err(failure) = write_all(&plan.changes) {
            self.note = before;
            self.write_note()?;
            return Err(failure);
        }
        Ok(())
    }

    fn remember(&mut self, change: &PlannedFileChange) -> Result<(), Failure> {
        let installed = digest(change.new.as_deref().unwrap_or_default());
        let known = self.note.files.iter_mut().find(|file| file.path == change.path);
        if let Some(known) = known {
            // Still as we left it: what was there before us has not changed.
            if known.is_as_installed(change.old.as_deref().unwrap_or_default()) {
                known.installed = installed;
                return Ok(());
            }
        }
        self.note.files.retain(|file| file.path != change.path);
        let original = match &change.original {
            Some(bytes) => Some(self.keep(&change.path, bytes)?),
            None => None,
        };
        let created_folders = missing_folders(&change.path);
        let path = change.path.clone();
        self.note.files.push(BackedUpFile { path, original, installed, created_folders });
        Ok(())
    }

    /// Writes the bytes into the backup. Returns the name there.
    fn keep(&self, path: &Path, bytes: &[u8]) -> Result<String, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{}-{name}.original", self.note.files.len());
        self.write(&name, bytes)?;
        Ok(name)
    }

    fn write_note(&self) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&self.note).map_err(|error| {
            Failure::new(format!("the backup cannot be described: {error}"), "report this as a bug")
        })?;
        self.write(NOTE, text.as_bytes())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        let help = "nothing was changed; make the folder writable";
        made.map_err(|error| Failure::file("create", &self.folder, &error, help))?;
        match read_if_present(&path)? {
            Some(old) => files::replace(&path, &old, bytes),
            None => create(&path, bytes),
        }
    }

    /// The bytes that the file had before us, if it is still as we left it. The outer None says that
    /// somebody has changed it since, or that it is not in this backup.
    pub(crate) fn original(
        &self,
        path: &Path,
        current: &[u8],
    ) -> Result<Option<Option<Vec<u8>>>, Failure> {
        let known = self.note.files.iter().find(|file| file.path == path);
        let Some(file) = known.filter(|file| file.is_as_installed(current)) else {
            return Ok(None);
        };
        let original = file.original.as_ref().map(|name| files::read(&self.folder.join(name)));
        original.transpose().map(Some)
    }

    /// Writes what was there before, and forgets the backup.
    pub(crate) fn restore(self, changes: &[PlannedFileChange]) -> Result<(), Failure> {
        write_all(changes)?;
        let removed: Vec<&Path> = changes
            .iter()
            .filter(|change| change.new.is_none())
            .map(|c| c.path.as_path())
            .collect();
        let files = self.note.files.iter().filter(|file| removed.contains(&file.path.as_path()));
        for folder in files.flat_map(|file| &file.created_folders) {
            // Something else is in it by now.
            let _not_empty = fs::remove_dir(folder);
        }
        match fs::remove_dir_all(&self.folder) {
            Err(error) if self.folder.exists() => {
                let help = "the settings are restored; remove the backup yourself";
                Err(Failure::file("remove", &self.folder, &error, help))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

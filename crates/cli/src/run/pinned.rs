//! Files and the folder of a command, held open from the question to the start.
//!
//! Time stamps do not show a write through a memory mapping, so the content is hashed: when the
//! question is asked, and again immediately before the start. The hashes are a part of the decision.
//!
//! See docs/decisions/0034-run-holds-what-was-shown.md.

use crate::limits;
use countersign_commands::ProgramHash;
use countersign_console::Failure;
use rustix::fs::{Mode, OFlags, Stat, fstat, open, stat};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// A file as it was when it was found.
pub(super) struct OpenedFile {
    path: String,
    file: OwnedFd,
    stat: Stat,
    /// `None` for a program that cannot be read, only executed.
    content: Option<ProgramHash>,
}

impl OpenedFile {
    /// Opens a file; `path` contains no links.
    pub(super) fn open(path: &str) -> Result<Self, Failure> {
        let failure = |error: &dyn std::fmt::Display| {
            let message = format!("`{path}` cannot be opened: {error}");
            Failure::new(message, "check the file, and try again")
        };
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = open(path, flags, Mode::empty()).map_err(|error| failure(&error))?;
        let stat = fstat(&file).map_err(|error| failure(&error))?;
        let content = match hash_content(&file) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
            Err(error) => return Err(failure(&error)),
        };
        Ok(Self { path: path.to_owned(), file, stat, content })
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn stat(&self) -> &Stat {
        &self.stat
    }

    pub(super) fn content(&self) -> Option<ProgramHash> {
        self.content
    }

    /// Leads to the open file, whatever is at its path by now.
    pub(super) fn descriptor_path(&self) -> PathBuf {
        descriptor_path(&self.file)
    }

    /// Fails if the file was replaced or written to since it was found.
    pub(super) fn check_unchanged(&self) -> Result<(), Failure> {
        let current = stat(&self.path).map_err(|_| changed_failure(&self.path))?;
        let content = self.content.map(|_| hash_content(&self.file));
        let is_same_content = match (self.content, content) {
            (Some(before), Some(Ok(now))) => before == now,
            (None, _) => true,
            (Some(_), _) => false,
        };
        match is_same_content && identity(&current) == identity(&self.stat) {
            true => Ok(()),
            false => Err(changed_failure(&self.path)),
        }
    }
}

/// The folder that a command runs in.
pub(super) struct PinnedFolder {
    path: String,
    folder: OwnedFd,
    stat: Stat,
}

impl PinnedFolder {
    /// The current folder of this process.
    pub(super) fn open_current() -> Result<Self, Failure> {
        let help = "go to a folder that exists and has a UTF-8 name";
        let unknown = |error: &dyn std::fmt::Display| {
            Failure::new(format!("the current folder is not known: {error}"), help)
        };
        let path = std::env::current_dir().map_err(|error| unknown(&error))?;
        let path = path
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| Failure::usage("the name of the current folder is not UTF-8", help))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(".", flags, Mode::empty()).map_err(|error| unknown(&error))?;
        let stat = fstat(&folder).map_err(|error| unknown(&error))?;
        let pinned = Self { path, folder, stat };
        pinned.check_unmoved()?;
        Ok(pinned)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Leads to the open folder, whatever its name is by now.
    pub(super) fn descriptor_path(&self) -> PathBuf {
        descriptor_path(&self.folder)
    }

    /// Fails if the path leads to another folder by now: the one on the card is not the one where the
    /// command would run.
    pub(super) fn check_unmoved(&self) -> Result<(), Failure> {
        let is_same = |now: Stat| (now.st_dev, now.st_ino) == (self.stat.st_dev, self.stat.st_ino);
        match stat(&self.path).is_ok_and(is_same) {
            true => Ok(()),
            false => Err(changed_failure(&self.path)),
        }
    }
}

fn descriptor_path(file: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

type FileState = ((u64, u64, i64), (i64, u64), (i64, u64));

fn identity(stat: &Stat) -> FileState {
    (
        (stat.st_dev, stat.st_ino, stat.st_size),
        (stat.st_mtime, stat.st_mtime_nsec),
        (stat.st_ctime, stat.st_ctime_nsec),
    )
}

/// Hashes what is in an open file now.
fn hash_content(file: &OwnedFd) -> io::Result<ProgramHash> {
    let file = File::open(descriptor_path(file))?;
    countersign_observe::hash_content(&file, limits::MAX_PINNED_BYTES)
}

pub(super) fn changed_failure(path: &str) -> Failure {
    Failure::new(
        format!("`{path}` was changed in the meantime; it was not run"),
        "find out what changes it, and try again",
    )
}

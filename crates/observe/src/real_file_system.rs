//! The file system of this machine.

use crate::agent_identity::AgentIdentity;
use crate::disk;
use crate::file_system::{
    FileIdentity, FileKind, FileStamp, FileSystem, FolderEntry, FolderEntryKind, GitCache, Inode,
    LookupError, ProgramIdentity, StampKind,
};
use crate::limits;
use crate::program::{ProgramChain, ProgramSearch};
use crate::real_path::RealPath;
use countersign_commands::ProgramHash;
use rustix::fs::OFlags;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file system as the agent finds it.
#[derive(Clone, Debug)]
pub struct RealFileSystem {
    search: ProgramSearch,
    git_cache: Arc<GitCache>,
}

impl RealFileSystem {
    /// `search_path` has the form of `PATH`: folders, separated by colons.
    pub fn new(agent: AgentIdentity, search_path: &str) -> Self {
        Self { search: ProgramSearch::new(agent, search_path), git_cache: Arc::default() }
    }

    /// The home folder of the agent's user, where version managers keep their settings.
    pub fn with_home(mut self, home: Option<&str>) -> Self {
        self.search.home = home.map(str::to_owned);
        self
    }

    #[cfg(test)]
    pub(crate) fn with_contents(mut self, contents: crate::program::ContentCache) -> Self {
        self.search.contents = Arc::new(contents);
        self
    }
}

impl FileSystem for RealFileSystem {
    fn hash_file(&self, path: &RealPath) -> Result<ProgramHash, String> {
        self.search.contents.hash_file(path.as_str())
    }

    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        disk::resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        let found = self.search.find_file(name, cwd, None)?;
        Ok(ProgramChain::identify(&self.search, found, cwd))
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(identify(&metadata))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LookupError::Unreadable(path.to_owned(), error.kind())),
        }
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        disk::list_folder(folder)
    }

    fn list_entries(&self, folder: &RealPath) -> Result<Vec<FolderEntry>, LookupError> {
        let path = folder.as_str();
        let unreadable =
            |error: std::io::Error| LookupError::Unreadable(path.to_owned(), error.kind());
        let mut entries = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if entries.len() == limits::MAX_READ_NAMES {
                return Err(LookupError::TooManyFiles(path.to_owned()));
            }
            // A temporary file may be gone by now.
            let Ok(kind) = entry.file_type() else { continue };
            let kind = match (kind.is_dir(), kind.is_symlink()) {
                (true, _) => FolderEntryKind::Folder,
                (_, true) => FolderEntryKind::Link,
                (false, false) => FolderEntryKind::File,
            };
            entries.push(FolderEntry { name: entry.file_name().to_string_lossy().into(), kind });
        }
        Ok(entries)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(Some(stamp(&metadata))),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(LookupError::Unreadable(path.to_owned(), error.kind())),
        }
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "compares a file's time with the clock that set it; no decision sees the time"
    )]
    fn is_settled(&self, stamp: &FileStamp) -> bool {
        is_older(stamp, SystemTime::now())
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        let unreadable =
            |error: std::io::Error| LookupError::Unreadable(path.to_owned(), error.kind());
        // A pipe must not make a decision wait.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = file.map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(LookupError::Unreadable(path.to_owned(), ErrorKind::InvalidInput));
        }
        let mut bytes = Vec::new();
        file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        match u64::try_from(bytes.len()) {
            Ok(length) if length <= max_bytes => Ok(bytes),
            _ => Err(LookupError::TooLarge(path.to_owned())),
        }
    }

    fn agent_user(&self) -> Option<u32> {
        self.search.agent.is_known().then_some(self.search.agent.uid)
    }

    fn git_cache(&self) -> Option<&GitCache> {
        Some(&self.git_cache)
    }

    fn contains_file(&self, folder: &RealPath, file: Inode) -> Result<bool, LookupError> {
        let path = folder.as_str();
        let unreadable =
            |error: std::io::Error| LookupError::Unreadable(path.to_owned(), error.kind());
        let Some(top) = self.read_identity(path)? else { return Ok(false) };
        if top.kind == FileKind::Other {
            return Ok(top.inode == file);
        }
        let mut folders = vec![PathBuf::from(path)];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                // A temporary file may be gone by now.
                let Ok(metadata) = entry.metadata() else { continue };
                seen += 1;
                if seen > limits::MAX_OWN_FILES {
                    return Err(LookupError::TooManyFiles(path.to_owned()));
                }
                let identity = identify(&metadata);
                match identity.kind {
                    FileKind::Folder => folders.push(entry.path()),
                    FileKind::Other if identity.inode == file => return Ok(true),
                    FileKind::Other => {}
                }
            }
        }
        Ok(false)
    }
}

fn stamp(metadata: &Metadata) -> FileStamp {
    let kind = match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => StampKind::Folder,
        (_, true) => StampKind::RegularFile,
        _ => StampKind::Other,
    };
    FileStamp {
        inode: Inode { device: metadata.dev(), number: metadata.ino() },
        kind,
        owner: metadata.uid(),
        mode: metadata.mode(),
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// Whether a file was last changed so long ago that the next change gets another time.
fn is_older(stamp: &FileStamp, now: SystemTime) -> bool {
    let seconds = u64::try_from(stamp.changed.0).unwrap_or_default();
    let changed = UNIX_EPOCH + Duration::from_secs(seconds);
    now.duration_since(changed).is_ok_and(|age| age >= limits::SETTLED_AGE)
}

fn identify(metadata: &Metadata) -> FileIdentity {
    FileIdentity {
        inode: Inode { device: metadata.dev(), number: metadata.ino() },
        kind: if metadata.is_dir() { FileKind::Folder } else { FileKind::Other },
        names: metadata.nlink(),
    }
}

#[cfg(test)]
mod tests;

//! The file system of this machine.

use super::{
    FileIdentity, FileKind, FileStamp, FileSystem, FolderEntry, FolderEntryKind, LookupError,
    StampKind,
};
use crate::git_config::GitCache;
use crate::limits;
use crate::program::{ContentCache, FoundFile, Inode, ProgramChain, ProgramIdentity};
use crate::real_path::{EntryKind, RealPath, resolve_path};
use countersign_commands::ProgramHash;
use rustix::fs::{Access, OFlags, access};
use rustix::process::{getgroups, getuid};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file system as the agent finds it.
#[derive(Clone, Debug)]
pub struct RealFileSystem {
    agent: AgentIdentity,
    program_folders: Vec<String>,
    home: Option<String>,
    contents: Arc<ContentCache>,
    git_cache: Arc<GitCache>,
}

/// The user that the agent runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentIdentity {
    pub uid: u32,
    /// If unknown, the agent may be in any group.
    pub groups: Option<Vec<u32>>,
}

impl AgentIdentity {
    /// An agent that runs as the same user as this process.
    pub fn current_user() -> Self {
        let groups = getgroups().ok();
        let groups = groups.map(|groups| groups.into_iter().map(|group| group.as_raw()).collect());
        Self { uid: getuid().as_raw(), groups }
    }

    /// An agent that may run as any user but root: everything that is not root's alone can be
    /// replaced.
    pub const fn unknown_user() -> Self {
        Self { uid: 0, groups: None }
    }

    fn is_known(&self) -> bool {
        *self != Self::unknown_user()
    }

    /// Whether this process finds the same folders readable as the agent does.
    fn is_current_user(&self) -> bool {
        *self == Self::current_user()
    }

    /// Root can replace everything, and then no rule could allow a program. So for root only what
    /// somebody else can replace counts.
    fn can_replace(&self, path: &str, metadata: &Metadata) -> bool {
        const GROUP: u32 = 0o020;
        const OTHERS: u32 = 0o002;
        let can_write = |bit: u32| metadata.mode() & bit != 0;
        let is_in_group =
            || self.groups.as_ref().is_none_or(|groups| groups.contains(&metadata.gid()));
        if self.uid == 0 {
            let by_group = can_write(GROUP) && metadata.gid() != 0;
            return metadata.uid() != 0 || can_write(OTHERS) || by_group;
        }
        let by_group = can_write(GROUP) && is_in_group();
        // An owner without write permission can give it to itself.
        let by_mode = metadata.uid() == self.uid || can_write(OTHERS) || by_group;
        // Only the kernel evaluates access lists, and only for the user of this process.
        by_mode || (self.uid == getuid().as_raw() && access(path, Access::WRITE_OK).is_ok())
    }
}

impl RealFileSystem {
    /// `search_path` has the form of `PATH`: folders, separated by colons.
    pub fn new(agent: AgentIdentity, search_path: &str) -> Self {
        Self {
            agent,
            program_folders: search_path.split(':').map(str::to_owned).collect(),
            home: None,
            contents: Arc::new(ContentCache::new()),
            git_cache: Arc::default(),
        }
    }

    /// The home folder of the agent's user, where version managers keep their settings.
    pub fn with_home(mut self, home: Option<&str>) -> Self {
        self.home = home.map(str::to_owned);
        self
    }

    #[cfg(test)]
    pub(crate) fn with_contents(mut self, contents: ContentCache) -> Self {
        self.contents = Arc::new(contents);
        self
    }

    pub(crate) fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    pub(crate) fn contents(&self) -> &ContentCache {
        &self.contents
    }

    /// Resolves a path, and lists the files and folders on the way that the agent can replace.
    fn resolve_with_writable(
        &self,
        path: &str,
        cwd: &str,
    ) -> Result<(RealPath, Vec<String>), LookupError> {
        let mut writable = Vec::new();
        let real = resolve_path(path, cwd, &mut |path| {
            let Some((kind, metadata)) = read_entry(path)? else { return Ok(EntryKind::Missing) };
            // The mode of a link means nothing: who can write to its folder can replace it.
            let is_link = matches!(kind, EntryKind::Link(_));
            if !is_link && self.agent.can_replace(path, &metadata) {
                writable.push(path.to_owned());
            }
            Ok(kind)
        })?;
        Ok((real, writable))
    }

    /// The executable file at a path.
    pub(crate) fn locate_program(&self, path: &str, cwd: &str) -> Result<FoundFile, LookupError> {
        let (real, writable) = self.resolve_with_writable(path, cwd)?;
        let not_executable = || LookupError::NotExecutable(path.to_owned());
        let metadata = fs::symlink_metadata(real.as_str()).map_err(|_| not_executable())?;
        if !metadata.is_file() || metadata.mode() & 0o111 == 0 {
            return Err(not_executable());
        }
        let is_absolute = path.starts_with('/');
        let found_at = if is_absolute { path.to_owned() } else { format!("{cwd}/{path}") };
        Ok(FoundFile { found_at, real, metadata, writable })
    }

    /// The file that a name starts, if no program is in the folder `skipped`.
    pub(crate) fn find_file(
        &self,
        name: &str,
        cwd: &str,
        skipped: Option<&str>,
    ) -> Result<FoundFile, LookupError> {
        if name.contains('/') {
            return self.locate_program(name, cwd);
        }
        if name.is_empty() {
            return Err(LookupError::Empty);
        }
        let skipped = skipped.map(|folder| self.resolve_path(folder, "/")).transpose()?;
        self.search_program(name, |folder| {
            if skipped.is_some() && self.resolve_path(folder, cwd).ok() == skipped {
                return Err(LookupError::NotExecutable(folder.to_owned()));
            }
            self.locate_program(&format!("{folder}/{name}"), cwd)
        })
    }

    fn search_program<T>(
        &self,
        name: &str,
        find_in: impl Fn(&str) -> Result<T, LookupError>,
    ) -> Result<T, LookupError> {
        for folder in &self.program_folders {
            // An empty entry of `PATH` is the working directory.
            let folder = if folder.is_empty() { "." } else { folder };
            match find_in(folder) {
                // Like a shell, continue with the next folder.
                Err(LookupError::NotExecutable(_) | LookupError::NotAFolder(_)) => {}
                // An agent of another user may find the program there.
                Err(LookupError::Unreadable(_, ErrorKind::PermissionDenied))
                    if self.agent.is_current_user() => {}
                result => return result,
            }
        }
        Err(LookupError::ProgramNotFound(name.to_owned()))
    }
}

impl FileSystem for RealFileSystem {
    fn hash_file(&self, path: &RealPath) -> Result<ProgramHash, String> {
        self.contents.hash_file(path.as_str())
    }

    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        resolve_path(path, cwd, &mut |path| {
            Ok(read_entry(path)?.map_or(EntryKind::Missing, |(kind, _)| kind))
        })
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        let found = self.find_file(name, cwd, None)?;
        Ok(ProgramChain::identify(self, found, cwd))
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(identify(&metadata))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LookupError::Unreadable(path.to_owned(), error.kind())),
        }
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        let path = folder.as_str();
        let unreadable = |kind: ErrorKind| LookupError::Unreadable(path.to_owned(), kind);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(|error| unreadable(error.kind()))? {
            let entry = entry.map_err(|error| unreadable(error.kind()))?;
            if names.len() == limits::MAX_LISTED_NAMES {
                return Err(LookupError::TooManyFiles(path.to_owned()));
            }
            let name = entry.file_name().into_string();
            names.push(name.map_err(|_| unreadable(ErrorKind::InvalidData))?);
        }
        Ok(names)
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
        self.agent.is_known().then_some(self.agent.uid)
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

/// What is at a path, without following a link there; `None` if nothing is.
fn read_entry(path: &str) -> Result<Option<(EntryKind, Metadata)>, LookupError> {
    let unreadable = |kind: ErrorKind| LookupError::Unreadable(path.to_owned(), kind);
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.kind())),
    };
    let kind = if metadata.is_symlink() {
        let target = fs::read_link(path).map_err(|error| unreadable(error.kind()))?;
        let target = target.to_str().ok_or_else(|| LookupError::LinkNotUtf8(path.to_owned()))?;
        EntryKind::Link(target.to_owned())
    } else if metadata.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::Other
    };
    Ok(Some((kind, metadata)))
}

#[cfg(test)]
mod tests;

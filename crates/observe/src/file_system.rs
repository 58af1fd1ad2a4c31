//! Lookups on a file system: the real one, a fake one, or none.
//!
//! A lookup that fails is an error, and the caller asks or denies. `real_path` follows the links.

mod edited;
mod fake;
pub(crate) mod git_cache;
mod program_identity;
mod resolve;

pub use edited::{EditedFileSystem, FileEdits};
pub use fake::FakeFileSystem;
pub use git_cache::GitCache;
pub use program_identity::{Inode, ProgramIdentity, Protection};

pub(crate) use resolve::{EntryKind, resolve_path};

use crate::limits;
use crate::real_path::RealPath;
use countersign_commands::ProgramHash;
use std::io::ErrorKind;

/// What a decision may learn about a file system.
pub trait FileSystem: Send + Sync {
    /// Resolves `path`; `cwd` must be absolute if `path` is relative.
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError>;

    /// Finds the program that `name` starts in `cwd`: a name with a slash is a path, any other is
    /// searched for.
    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError>;

    /// Identifies what is at a path; `None` if nothing is there, or on a fake file system.
    fn read_identity(&self, _path: &str) -> Result<Option<FileIdentity>, LookupError> {
        Ok(None)
    }

    /// What is at a resolved path; `None` if nothing is there.
    fn read_kind(&self, path: &RealPath) -> Result<Option<FileKind>, LookupError> {
        Ok(self.read_identity(path.as_str())?.map(|identity| identity.kind))
    }

    /// The names in a folder, which must all be UTF-8.
    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        Err(LookupError::Unreadable(folder.to_string(), ErrorKind::Unsupported))
    }

    /// What a path is, links followed; none if nothing is there, or nobody can look.
    fn read_entry_kind(&self, path: &str) -> Option<FolderEntryKind> {
        match self.read_stamp(path).ok()??.kind {
            StampKind::Folder => Some(FolderEntryKind::Folder),
            StampKind::RegularFile | StampKind::Other => Some(FolderEntryKind::File),
        }
    }

    /// What is in a folder. Names that are not UTF-8 are shown with marks in them.
    fn list_entries(&self, folder: &RealPath) -> Result<Vec<FolderEntry>, LookupError> {
        let entry = |name: String| {
            let below = format!("{}/{name}", folder.as_str().trim_end_matches('/'));
            let is_folder = self.read_stamp(&below)?.is_some_and(|s| s.kind == StampKind::Folder);
            let kind = if is_folder { FolderEntryKind::Folder } else { FolderEntryKind::File };
            Ok(FolderEntry { name, kind })
        };
        self.list_folder(folder)?.into_iter().map(entry).collect()
    }

    /// The state of what is at a path, links followed; `None` if nothing is there.
    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        Err(LookupError::Unreadable(path.to_owned(), ErrorKind::Unsupported))
    }

    /// Whether a later change would certainly give the file another stamp.
    fn is_settled(&self, _stamp: &FileStamp) -> bool {
        false
    }

    /// The content of a regular file, links followed. A larger one is an error.
    fn read_file(&self, path: &str, _max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        Err(LookupError::Unreadable(path.to_owned(), ErrorKind::Unsupported))
    }

    /// The hash of a file's content for a pin, or why there is none.
    fn hash_file(&self, path: &RealPath) -> Result<ProgramHash, String> {
        Err(format!("`{path}` cannot be read here"))
    }

    /// The user that the agent runs as; `None` if it may be any.
    fn agent_user(&self) -> Option<u32> {
        None
    }

    /// Where readings of git's configuration are kept.
    fn git_cache(&self) -> Option<&GitCache> {
        None
    }

    /// Whether there is a disk to look at.
    fn is_available(&self) -> bool {
        true
    }

    /// Whether a file may be anywhere on it. A fake one without files says nothing about them.
    fn has_files(&self) -> bool {
        true
    }

    /// Whether one of the names of a file is `folder` or lies below it.
    fn contains_file(&self, _folder: &RealPath, _file: Inode) -> Result<bool, LookupError> {
        Ok(false)
    }
}

/// One name in a folder, links not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    pub name: String,
    pub kind: FolderEntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderEntryKind {
    Folder,
    Link,
    /// A regular file, a socket and so on.
    File,
}

/// Identifies a file or folder, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    pub inode: Inode,
    pub kind: FileKind,
    /// How many names it has.
    pub names: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Folder,
    /// A regular file, a socket and so on.
    Other,
}

/// The state of a file or folder. It differs after every change, unless the change came so soon that
/// the clock of the file system did not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub inode: Inode,
    pub kind: StampKind,
    pub owner: u32,
    /// With the type, as the system reports it.
    pub mode: u32,
    pub size: u64,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
    pub changed: (i64, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampKind {
    Folder,
    RegularFile,
    /// A socket, a device and so on.
    Other,
}

impl FileIdentity {
    /// The further names of a folder are `.` and `..`.
    pub(crate) fn has_several_names(&self) -> bool {
        self.kind == FileKind::Other && self.names > 1
    }
}

/// Every lookup fails, so that no rule that needs one allows anything.
#[derive(Clone, Copy, Debug)]
pub struct NoFileSystem;

impl FileSystem for NoFileSystem {
    fn is_available(&self) -> bool {
        false
    }

    fn resolve_path(&self, path: &str, _: &str) -> Result<RealPath, LookupError> {
        Err(LookupError::Unreadable(path.to_owned(), ErrorKind::Unsupported))
    }

    fn find_program(&self, name: &str, _: &str) -> Result<ProgramIdentity, LookupError> {
        Err(LookupError::ProgramNotFound(name.to_owned()))
    }
}

/// Why a path could not be resolved, or a program not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    #[error("the path is empty")]
    Empty,
    #[error("the path has several lines")]
    SeveralLines,
    #[error("the path contains a NUL character")]
    Nul,
    #[error("the path is longer than {} bytes", limits::MAX_PATH_BYTES)]
    TooLong,
    #[error("the working directory `{0}` is not an absolute path")]
    RelativeCwd(String),
    #[error("the path leads through more than {} links", limits::MAX_LINKS)]
    TooManyLinks,
    #[error("`{0}` cannot be read: {1}")]
    Unreadable(String, ErrorKind),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error("`..` follows `{0}`, which does not exist")]
    ParentOfMissing(String),
    #[error("`{0}` leads to a different place in each process")]
    ProcessLink(String),
    #[error("the target of the link `{0}` is not valid UTF-8")]
    LinkNotUtf8(String),
    #[error("the home folder is unknown")]
    UnknownHome,
    #[error("it starts with the home folder of a named user")]
    HomeOfNamedUser,
    #[error("`{0}` is an unusual file URL")]
    UnusualUrl(String),
    #[error("programs follow it to different places")]
    Ambiguous,
    #[error("`{0}` contains more than {max} files", max = limits::MAX_OWN_FILES)]
    TooManyFiles(String),
    #[error("`{0}` is too large")]
    TooLarge(String),
    #[error("no program `{0}` was found")]
    ProgramNotFound(String),
    #[error("`{0}` is not an executable file")]
    NotExecutable(String),
}

impl LookupError {
    /// The error without any part of the path, for records that outlive the path.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Empty => "it is empty",
            Self::SeveralLines => "it has several lines",
            Self::Nul => "it contains a NUL character",
            Self::TooLong => "it is too long",
            Self::RelativeCwd(_) => "the working directory is not an absolute path",
            Self::TooManyLinks => "it leads through too many links",
            Self::Unreadable(_, ErrorKind::PermissionDenied) => {
                "Countersign has no permission to follow it"
            }
            Self::Unreadable(..) => "a part of it cannot be read",
            Self::NotAFolder(_) => "it leads through a file that is not a folder",
            Self::ParentOfMissing(_) => "`..` follows a folder that does not exist",
            Self::ProcessLink(_) => "it leads to a different place in each process",
            Self::LinkNotUtf8(_) => "it leads through a link that is not valid UTF-8",
            Self::UnknownHome => "the home folder is unknown",
            Self::HomeOfNamedUser => "it starts with the home folder of a named user",
            Self::UnusualUrl(_) => "it is an unusual file URL",
            Self::Ambiguous => "programs follow it to different places",
            Self::TooManyFiles(_) => "there are too many files to compare it with",
            Self::TooLarge(_) => "it is too large",
            Self::ProgramNotFound(_) => "no such program was found",
            Self::NotExecutable(_) => "it is not an executable file",
        }
    }
}

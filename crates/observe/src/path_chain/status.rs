//! What the disk says about one entry of a chain.

use crate::file_system::{EntryKind, LookupError};
use crate::limits::MAX_ATTRIBUTE_NAMES;
use rustix::io::Errno;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

const ACCESS_LIST: &str = "system.posix_acl_access";
/// Lists of network file systems, which the mode only summarises.
const UNKNOWN_ACCESS_LISTS: [&str; 3] = ["system.nfs4_acl", "system.richacl", "system.cifs_acl"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryStatus {
    pub kind: StatusKind,
    pub uid: u32,
    pub gid: u32,
    /// The permissions with the sticky bit, without the type.
    pub mode: u32,
    pub has_access_list: bool,
    pub has_unknown_access_list: bool,
    /// Device and inode.
    pub identity: (u64, u64),
    /// `None` for a folder, which changes with every file in it.
    pub content: Option<ContentStamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusKind {
    Folder,
    Link,
    Other,
}

/// Changes with the content, as precisely as the file system notes times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentStamp {
    pub size: u64,
    pub modified: (i64, i64),
    /// Set by the kernel alone, so that a restored modification time does not hide a change.
    pub changed: (i64, i64),
}

/// Reads what is at a path, without following a link there; `None` if nothing is.
pub(super) fn read_status(path: &str) -> Result<Option<(EntryStatus, EntryKind)>, LookupError> {
    let unreadable = |kind: ErrorKind| LookupError::Unreadable(path.to_owned(), kind);
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.kind())),
    };
    let (kind, entry) = if metadata.is_symlink() {
        let target = fs::read_link(path).map_err(|error| unreadable(error.kind()))?;
        let target = target.to_str().ok_or_else(|| LookupError::LinkNotUtf8(path.to_owned()))?;
        (StatusKind::Link, EntryKind::Link(target.to_owned()))
    } else if metadata.is_dir() {
        (StatusKind::Folder, EntryKind::Folder)
    } else {
        (StatusKind::Other, EntryKind::Other)
    };
    Ok(Some((build_status(path, kind, &metadata), entry)))
}

fn build_status(path: &str, kind: StatusKind, metadata: &Metadata) -> EntryStatus {
    let lists = match kind {
        StatusKind::Link => AccessLists::default(),
        StatusKind::Folder | StatusKind::Other => read_access_lists(path),
    };
    EntryStatus {
        kind,
        uid: metadata.uid(),
        gid: metadata.gid(),
        mode: metadata.mode() & 0o7777,
        has_access_list: lists.has_posix_list,
        has_unknown_access_list: lists.has_unknown_list,
        identity: (metadata.dev(), metadata.ino()),
        content: (kind != StatusKind::Folder).then(|| ContentStamp {
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }),
    }
}

#[derive(Default)]
struct AccessLists {
    has_posix_list: bool,
    has_unknown_list: bool,
}

fn read_access_lists(path: &str) -> AccessLists {
    let mut buffer = [0; MAX_ATTRIBUTE_NAMES];
    let length = match rustix::fs::llistxattr(path, &mut buffer) {
        Ok(length) => length,
        // A file system without attributes has no lists.
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::NOENT) => return AccessLists::default(),
        Err(_) => return AccessLists { has_posix_list: false, has_unknown_list: true },
    };
    let mut lists = AccessLists::default();
    for name in buffer.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
        lists.has_posix_list |= name == ACCESS_LIST.as_bytes();
        lists.has_unknown_list |= UNKNOWN_ACCESS_LISTS.iter().any(|list| list.as_bytes() == name);
    }
    lists
}

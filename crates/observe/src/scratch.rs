//! Scratch folders: where an agent's program lets one session keep its temporary files.
//!
//! An adapter reports such a folder when the session opens. What lies in it counts as inside only while
//! the disk shows that nobody else can have put it there, and that nothing there runs by itself.
//!
//! See docs/decisions/0120-what-counts-as-inside.md.

use crate::base_folders::join;
use crate::file_system::{FileStamp, FileSystem, StampKind};
use crate::real_path::RealPath;

/// The folder of the system for temporary files.
const TEMPORARY: &str = "/tmp";

const PERMISSIONS: u32 = 0o777;
/// Only the owner gets in.
const PRIVATE: u32 = 0o700;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Whether a path lies in this scratch folder, and the folder is one: below the system's temporary
/// folder, the agent's own and closed to others, reached by no link, and without a repository.
pub(crate) fn is_in_scratch(files: &dyn FileSystem, reported: &str, path: &RealPath) -> bool {
    let folder = RealPath::from_text(reported);
    let Ok(temporary) = files.resolve_path(TEMPORARY, "/") else { return false };
    let is_named_plainly = folder.as_str() == reported && folder != temporary;
    is_named_plainly
        && path.is_below(&folder)
        && folder.is_below(&temporary)
        && is_private(files, &folder, &temporary)
        && !holds_repository(files, path, &temporary)
}

fn is_private(files: &dyn FileSystem, folder: &RealPath, temporary: &RealPath) -> bool {
    let Some(user) = files.agent_user() else { return false };
    let is_real = files.resolve_path(folder.as_str(), "/").is_ok_and(|real| real == *folder);
    let stamp = |path: &str| files.read_stamp(path).ok().flatten();
    let is_own = |stamp: &FileStamp| stamp.kind == StampKind::Folder && stamp.owner == user;
    let is_closed = |path: &str| {
        stamp(path).is_some_and(|stamp| is_own(&stamp) && stamp.mode & WRITABLE_BY_OTHERS == 0)
    };
    let mut above = folder.ancestors().take_while(|above| *above != temporary.as_str());
    let is_shut = stamp(folder.as_str()).is_some_and(|stamp| stamp.mode & PERMISSIONS == PRIVATE);
    is_real && is_shut && above.all(is_closed)
}

/// Whether the path lies in a repository, or is one. What cannot be looked at counts as one.
fn holds_repository(files: &dyn FileSystem, path: &RealPath, temporary: &RealPath) -> bool {
    let exists = |path: &str| !matches!(files.read_stamp(path), Ok(None));
    let mut folders = path.ancestors().take_while(|folder| *folder != temporary.as_str());
    folders.any(|folder| {
        let is_bare = ["HEAD", "objects", "refs"].iter().all(|name| exists(&join(folder, name)));
        exists(&join(folder, ".git")) || is_bare
    })
}

#[cfg(test)]
mod tests;

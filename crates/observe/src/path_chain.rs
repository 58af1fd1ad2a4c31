//! Who can change what is found under a path: its file, every folder above it, and every link on
//! the way with the folders above the link.
//!
//! A chain is what the disk says at one moment. Two equal chains of a path mean that nobody changed
//! the file in between, so that a reader can also use it to notice a change.
//!
//! See docs/decisions/0035-what-assurance-depends-on.md.

mod status;

pub use status::{ContentStamp, EntryStatus, StatusKind};

use crate::file_system::{EntryKind, LookupError, resolve_path};
use crate::real_path::RealPath;
use status::read_status;
use std::collections::BTreeMap;

/// The users that may own and write what a chain leads to. Every other user may be an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedUsers(pub Vec<u32>);

impl TrustedUsers {
    /// Root, which can change everything anyway, and the user of this process.
    pub fn own_user_and_root() -> Self {
        Self(vec![rustix::process::geteuid().as_raw(), 0])
    }

    fn contains(&self, uid: u32) -> bool {
        self.0.contains(&uid)
    }
}

/// What other users may do with the end of a chain. On the way they may never write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherUsersAccess {
    Read,
    /// For folders of sockets: others have to pass through.
    ReadAndMustEnter,
    DoNothing,
}

/// The files, folders and links that decide what is found under one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChain {
    /// In the order in which they are followed, `/` first.
    pub entries: Vec<ChainEntry>,
    /// Where the path leads.
    pub end: RealPath,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainEntry {
    pub path: String,
    /// `None` if nothing is there.
    pub status: Option<EntryStatus>,
    /// How another user could change what the path leads to.
    pub weakness: Option<ChainWeakness>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainWeakness {
    OwnedBy {
        uid: u32,
    },
    WritableByGroup {
        gid: u32,
        right_mode: u32,
    },
    WritableByAccessList {
        right_mode: u32,
    },
    WritableByAll {
        right_mode: u32,
    },
    /// The rights in the access list are of a kind that we cannot read.
    UnknownAccessList,
    /// Nothing is there yet, and another user can create it.
    CreatableByOthers {
        folder: String,
    },
    ReadableByOthers {
        right_mode: u32,
    },
    ClosedToOthers {
        right_mode: u32,
    },
}

impl ChainEntry {
    /// One sentence about the weakness, and what to do about it.
    pub fn explain_weakness(&self) -> Option<(String, String)> {
        let path = &self.path;
        let chmod = |mode: &u32| format!("chmod {mode:o} {path}");
        let mode = self.status.as_ref().map_or(0, |status| status.mode);
        Some(match self.weakness.as_ref()? {
            ChainWeakness::OwnedBy { uid } => (
                format!("user {uid} owns {path}"),
                format!("chown it to root or to the daemon's user: chown root {path}"),
            ),
            ChainWeakness::WritableByGroup { gid, right_mode } => (
                format!("users of group {gid} can write {path} (mode {mode:o})"),
                chmod(right_mode),
            ),
            ChainWeakness::WritableByAccessList { right_mode } => (
                format!("an access list lets other users write {path} (mode {mode:o})"),
                format!("setfacl -b {path}; {}", chmod(right_mode)),
            ),
            ChainWeakness::WritableByAll { right_mode } => {
                (format!("all users can write {path} (mode {mode:o})"), chmod(right_mode))
            }
            ChainWeakness::UnknownAccessList => (
                format!("{path} has an access list of a kind that Countersign cannot read"),
                "remove the list, or move the file to a local disk".to_owned(),
            ),
            ChainWeakness::CreatableByOthers { folder } => (
                format!("{path} does not exist, and other users can create it in {folder}"),
                format!("create it as root or as the daemon's user, or run chmod go-w {folder}"),
            ),
            ChainWeakness::ReadableByOthers { right_mode } => {
                (format!("other users can read {path} (mode {mode:o})"), chmod(right_mode))
            }
            ChainWeakness::ClosedToOthers { right_mode } => {
                (format!("agents cannot enter {path} (mode {mode:o})"), chmod(right_mode))
            }
        })
    }
}

impl PathChain {
    /// The first entry through which another user could change the end of the chain.
    pub fn find_weak_entry(&self) -> Option<&ChainEntry> {
        self.entries.iter().find(|entry| entry.weakness.is_some())
    }
}

/// Reads chains. It looks at each path once, because chains share most of their folders.
pub struct ChainReader<'r> {
    trusted: TrustedUsers,
    read_status: Box<ReadStatus<'r>>,
    known: BTreeMap<String, Option<(EntryStatus, EntryKind)>>,
}

type ReadStatus<'r> = dyn FnMut(&str) -> Result<Option<(EntryStatus, EntryKind)>, LookupError> + 'r;

impl ChainReader<'static> {
    pub fn new(trusted: TrustedUsers) -> Self {
        Self { trusted, read_status: Box::new(read_status), known: BTreeMap::new() }
    }
}

impl ChainReader<'_> {
    /// Follows `path`, which may be relative to `cwd`.
    pub fn read_chain(
        &mut self,
        path: &str,
        cwd: &str,
        others: OtherUsersAccess,
    ) -> Result<PathChain, LookupError> {
        let mut entries: Vec<(String, Option<EntryStatus>)> = Vec::new();
        let (known, read_status) = (&mut self.known, &mut self.read_status);
        let end = resolve_path(path, cwd, &mut |path| {
            let found = match known.get(path) {
                Some(found) => found.clone(),
                None => {
                    let found = read_status(path)?;
                    known.insert(path.to_owned(), found.clone());
                    found
                }
            };
            let (status, kind) = found.unzip();
            entries.push((path.to_owned(), status));
            Ok(kind.unwrap_or(EntryKind::Missing))
        })?;
        let judged = entries.iter().map(|(path, status)| {
            let at_end = (path == end.as_str()).then_some(others);
            let weakness = self.find_weakness(&entries, path, status.as_ref(), at_end);
            ChainEntry { path: path.clone(), status: status.clone(), weakness }
        });
        Ok(PathChain { entries: judged.collect(), end })
    }

    /// `at_end` is given for the end of the chain.
    fn find_weakness(
        &self,
        entries: &[(String, Option<EntryStatus>)],
        path: &str,
        status: Option<&EntryStatus>,
        at_end: Option<OtherUsersAccess>,
    ) -> Option<ChainWeakness> {
        let folder = parent(path).and_then(|folder| find_status(entries, folder));
        let Some(status) = status else {
            let (folder, status) = folder?;
            let is_open = self.find_writer(status).is_some();
            let folder = folder.to_owned();
            return is_open.then_some(ChainWeakness::CreatableByOthers { folder });
        };
        // In a folder with the sticky bit, only owners can replace an entry. A link elsewhere is
        // protected by its folder, even if another user owns it.
        let is_in_shared_folder =
            folder.is_some_and(|(_, folder)| self.find_writer(folder).is_some());
        if status.kind == StatusKind::Link {
            let is_foreign = is_in_shared_folder && !self.trusted.contains(status.uid);
            return is_foreign.then_some(ChainWeakness::OwnedBy { uid: status.uid });
        }
        let is_passage = status.kind == StatusKind::Folder && at_end.is_none();
        match self.find_writer(status) {
            // What stands in it is judged by its own owner.
            Some(writer) if !(is_passage && self.is_sticky(status)) => Some(writer),
            _ => at_end.and_then(|others| find_end_weakness(status, others)),
        }
    }

    fn is_sticky(&self, status: &EntryStatus) -> bool {
        status.mode & 0o1000 != 0 && self.trusted.contains(status.uid)
    }

    fn find_writer(&self, status: &EntryStatus) -> Option<ChainWeakness> {
        let right_mode = status.mode & !0o022;
        if !self.trusted.contains(status.uid) {
            // An owner without write permission can give it to itself.
            return Some(ChainWeakness::OwnedBy { uid: status.uid });
        }
        if status.has_unknown_access_list {
            return Some(ChainWeakness::UnknownAccessList);
        }
        if status.mode & 0o002 != 0 {
            return Some(ChainWeakness::WritableByAll { right_mode });
        }
        // Where there is an access list, these bits are its mask: the most that the list gives to
        // any user or group but the owner. Without the bit, nobody in the list can write.
        match (status.mode & 0o020 != 0, status.has_access_list) {
            (false, _) => None,
            (true, true) => Some(ChainWeakness::WritableByAccessList { right_mode }),
            // Who is in a group can change at any time, so every group may contain an agent.
            (true, false) => Some(ChainWeakness::WritableByGroup { gid: status.gid, right_mode }),
        }
    }
}

fn find_end_weakness(status: &EntryStatus, others: OtherUsersAccess) -> Option<ChainWeakness> {
    match others {
        OtherUsersAccess::Read => None,
        OtherUsersAccess::ReadAndMustEnter => (status.mode & 0o011 == 0)
            .then_some(ChainWeakness::ClosedToOthers { right_mode: status.mode | 0o050 }),
        OtherUsersAccess::DoNothing => (status.mode & 0o077 != 0)
            .then_some(ChainWeakness::ReadableByOthers { right_mode: status.mode & !0o077 }),
    }
}

fn find_status<'e>(
    entries: &'e [(String, Option<EntryStatus>)],
    wanted: &str,
) -> Option<(&'e str, &'e EntryStatus)> {
    let (path, status) = entries.iter().find(|(path, _)| path == wanted)?;
    Some((path, status.as_ref()?))
}

fn parent(path: &str) -> Option<&str> {
    match path.rfind('/')? {
        0 if path == "/" => None,
        0 => Some("/"),
        at => path.get(..at),
    }
}

#[cfg(test)]
mod tests;

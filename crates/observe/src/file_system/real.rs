//! The machine's own disk.

use super::{Disk, Unresolved};
use crate::program::{Inode, Keeper, Program};
use crate::real_path::{RealPath, Seen, walk};
use rustix::fs::{Access, access};
use rustix::process::{getgroups, getuid};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

/// The disk, as an agent with this identity and these folders to search would find it.
#[derive(Clone, Debug)]
pub struct System {
    agent: Identity,
    search: Vec<String>,
}

/// Whom the agent runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub uid: u32,
    /// None where they are not known: then it may be in any.
    pub groups: Option<Vec<u32>>,
}

impl Identity {
    /// An agent that runs as the same user as we do.
    pub fn ours() -> Self {
        let groups = getgroups().ok();
        let groups = groups.map(|groups| groups.into_iter().map(|group| group.as_raw()).collect());
        Self { uid: getuid().as_raw(), groups }
    }

    /// Root could replace everything, and a rule would be worth nothing; so for root only what
    /// somebody else could replace counts.
    fn can_replace(&self, path: &str, found: &Metadata) -> bool {
        const GROUP: u32 = 0o020;
        const OTHERS: u32 = 0o002;
        let may = |bit: u32| found.mode() & bit != 0;
        let in_group = || self.groups.as_ref().is_none_or(|groups| groups.contains(&found.gid()));
        if self.uid == 0 {
            return found.uid() != 0 || may(OTHERS) || (may(GROUP) && found.gid() != 0);
        }
        // An owner who may not write can make it so that it may.
        let by_mode = found.uid() == self.uid || may(OTHERS) || (may(GROUP) && in_group());
        // Access lists are seen only by asking, and one can ask only for oneself.
        by_mode || (self.uid == getuid().as_raw() && access(path, Access::WRITE_OK).is_ok())
    }
}

impl System {
    /// `search` is what `PATH` would hold: folders, separated by colons.
    pub fn new(agent: Identity, search: &str) -> Self {
        Self { agent, search: search.split(':').map(str::to_owned).collect() }
    }

    /// Follows a path, and lists where the agent could lead it elsewhere.
    fn kept(&self, path: &str, cwd: &str) -> Result<(RealPath, Vec<String>), Unresolved> {
        let mut within_reach = Vec::new();
        let real = walk(path, cwd, &mut |at| {
            let Some((found, metadata)) = seen(at)? else { return Ok(Seen::Missing) };
            // The mode of a link says nothing; who can write its folder can replace it.
            let is_link = matches!(found, Seen::Link(_));
            if !is_link && self.agent.can_replace(at, &metadata) {
                within_reach.push(at.to_owned());
            }
            Ok(found)
        })?;
        Ok((real, within_reach))
    }

    /// The program at a path, if a program is there.
    fn at(&self, path: &str, cwd: &str) -> Result<Program, Unresolved> {
        let (real, within_reach) = self.kept(path, cwd)?;
        let none = || Unresolved::NotExecutable(path.to_owned());
        let found = fs::symlink_metadata(real.as_str()).map_err(|_| none())?;
        if !found.is_file() || found.mode() & 0o111 == 0 {
            return Err(none());
        }
        let first = within_reach.into_iter().next();
        let keeper = first.map_or(Keeper::Others, |at| Keeper::Agent { at });
        let inode = Some(Inode { device: found.dev(), number: found.ino() });
        Ok(Program { path: real, keeper, inode })
    }
}

impl Disk for System {
    fn real(&self, path: &str, cwd: &str) -> Result<RealPath, Unresolved> {
        walk(path, cwd, &mut |at| Ok(seen(at)?.map_or(Seen::Missing, |(found, _)| found)))
    }

    fn program(&self, name: &str, cwd: &str) -> Result<Program, Unresolved> {
        if name.contains('/') {
            return self.at(name, cwd);
        }
        if name.is_empty() {
            return Err(Unresolved::Empty);
        }
        for folder in &self.search {
            // Nothing between two colons is the folder one stands in.
            let folder = if folder.is_empty() { "." } else { folder };
            match self.at(&format!("{folder}/{name}"), cwd) {
                // Not there, or not something to start: the next folder, as a shell does.
                Err(Unresolved::NotExecutable(_) | Unresolved::NotAFolder(_)) => {}
                found => return found,
            }
        }
        Err(Unresolved::NoProgram(name.to_owned()))
    }
}

/// What stands at a path, itself and not what it leads to.
fn seen(path: &str) -> Result<Option<(Seen, Metadata)>, Unresolved> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Unresolved::Unreadable(path.to_owned(), error.kind())),
    };
    let kind = if found.is_symlink() {
        let target = fs::read_link(path)
            .map_err(|error| Unresolved::Unreadable(path.to_owned(), error.kind()))?;
        let target = target.to_str().ok_or_else(|| Unresolved::NotText(path.to_owned()))?;
        Seen::Link(target.to_owned())
    } else if found.is_dir() {
        Seen::Folder
    } else {
        Seen::Other
    };
    Ok(Some((kind, found)))
}

#[cfg(test)]
mod tests;

//! How far agents are kept away from what decides about them: found out, never claimed.

use crate::listen::{Reach, Sockets};
use countersign_core::model::words::Assurance;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A level, and in one sentence why it is no higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footing {
    pub level: Assurance,
    pub because: &'static str,
}

impl Footing {
    /// Looks at who can reach what.
    pub fn found(folder: &Path, graph: &Path, sockets: &Sockets) -> Self {
        match in_the_way(folder, graph, sockets) {
            Some(because) => Self { level: Assurance::Shared, because },
            None => Self {
                level: Assurance::Separated,
                because: "agents run as other users; no answer needs more than your own user",
            },
        }
    }
}

fn in_the_way(folder: &Path, graph: &Path, sockets: &Sockets) -> Option<&'static str> {
    let us = rustix::process::geteuid().as_raw();
    if sockets.reach == Reach::Own {
        return Some("agents that run as your own user could go around this");
    }
    if !is(folder, |found| found.uid() == us && found.mode() & 0o077 == 0) {
        return Some("others can look into the daemon's folder");
    }
    let theirs = |uid: u32| uid != us && uid != 0;
    if !is(graph, |found| !theirs(found.uid()) && found.mode() & 0o022 == 0) {
        return Some("others can write the graph");
    }
    let entered = |found: &fs::Metadata| {
        !theirs(found.uid()) && found.mode() & 0o022 == 0 && found.mode() & 0o011 != 0
    };
    if !sockets.agent.parent().is_some_and(|above| is(above, entered)) {
        return Some("the folder of the agents' socket is closed to them, or they can write it");
    }
    None
}

fn is(path: &Path, fits: impl FnOnce(&fs::Metadata) -> bool) -> bool {
    fs::metadata(path).is_ok_and(|found| fits(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn no_more_is_claimed_than_was_found() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        let mode = |name: &str, mode| {
            fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        };
        fs::create_dir(at("data")).unwrap();
        fs::create_dir(at("run")).unwrap();
        fs::write(at("graph"), "").unwrap();
        mode("data", 0o700);
        mode("run", 0o750);
        mode("graph", 0o644);
        let mut sockets = Sockets::in_folder(&at("data"));
        let level = |sockets: &Sockets| Footing::found(&at("data"), &at("graph"), sockets).level;
        assert_eq!(level(&sockets), Assurance::Shared);
        sockets.reach = Reach::Group(rustix::process::getegid().as_raw());
        assert_eq!(level(&sockets), Assurance::Shared, "nobody else reaches the socket");
        sockets.agent = at("run").join("agent.sock");
        assert_eq!(level(&sockets), Assurance::Separated);
        for (name, bad, good) in [
            ("data", 0o750, 0o700),
            ("run", 0o770, 0o750),
            ("run", 0o700, 0o750),
            ("graph", 0o664, 0o644),
        ] {
            mode(name, bad);
            assert_eq!(level(&sockets), Assurance::Shared, "{name} {bad:o}");
            mode(name, good);
        }
        assert_eq!(level(&sockets), Assurance::Separated);
    }
}

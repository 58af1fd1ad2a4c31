//! Detects the assurance level: how well agents are separated from the daemon. It is never
//! configured.

use crate::listen::{AgentAccess, Sockets};
use countersign_core::model::words::Assurance;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The assurance level and why it is not higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssuranceReport {
    pub level: Assurance,
    pub reason: &'static str,
}

impl AssuranceReport {
    pub fn detect(folder: &Path, graph: &Path, sockets: &Sockets) -> Self {
        match find_weakness(folder, graph, sockets) {
            Some(reason) => Self { level: Assurance::Shared, reason },
            None => Self {
                level: Assurance::Separated,
                reason: "agents run as other users; your own user is enough to answer",
            },
        }
    }
}

fn find_weakness(folder: &Path, graph: &Path, sockets: &Sockets) -> Option<&'static str> {
    let own_uid = rustix::process::geteuid().as_raw();
    if sockets.access == AgentAccess::OwnUser {
        return Some("agents that run as your own user can bypass the daemon");
    }
    let is_private =
        |metadata: &fs::Metadata| metadata.uid() == own_uid && metadata.mode() & 0o077 == 0;
    if !metadata_fits(folder, is_private) {
        return Some("other users can read the daemon's folder");
    }
    let is_read_only = |metadata: &fs::Metadata| {
        [own_uid, 0].contains(&metadata.uid()) && metadata.mode() & 0o022 == 0
    };
    if !metadata_fits(graph, is_read_only) {
        return Some("other users can write the graph");
    }
    let is_reachable =
        |metadata: &fs::Metadata| is_read_only(metadata) && metadata.mode() & 0o011 != 0;
    if !sockets.agent.parent().is_some_and(|parent| metadata_fits(parent, is_reachable)) {
        return Some("agents cannot enter the folder of their socket, or they can write to it");
    }
    None
}

fn metadata_fits(path: &Path, fits: impl FnOnce(&fs::Metadata) -> bool) -> bool {
    fs::metadata(path).is_ok_and(|metadata| fits(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_level_depends_on_what_other_users_can_access() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
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
        let level =
            |sockets: &Sockets| AssuranceReport::detect(&at("data"), &at("graph"), sockets).level;
        assert_eq!(level(&sockets), Assurance::Shared);
        sockets.access = AgentAccess::Group(rustix::process::getegid().as_raw());
        assert_eq!(level(&sockets), Assurance::Shared, "no other user can reach the socket");
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

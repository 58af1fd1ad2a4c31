//! Scratch folders as programs make them, and folders that must not count as one.

use super::*;
use crate::{AgentIdentity, RealFileSystem};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

struct ScratchFolder {
    _dir: TempDir,
    folder: String,
}

impl ScratchFolder {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("scratch").tempdir_in(TEMPORARY).unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let folder = root.join("session");
        fs::create_dir(&folder).unwrap();
        let scratch = Self { _dir: dir, folder: folder.to_str().unwrap().to_owned() };
        scratch.set_mode("", 0o700);
        scratch
    }

    fn path(&self, below: &str) -> String {
        format!("{}{below}", self.folder)
    }

    fn set_mode(&self, below: &str, mode: u32) {
        fs::set_permissions(self.path(below), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn holds(&self, reported: &str, path: &str) -> bool {
        self.holds_for(AgentIdentity::current_user(), reported, path)
    }

    fn holds_for(&self, agent: AgentIdentity, reported: &str, path: &str) -> bool {
        let files = RealFileSystem::new(agent, "/usr/bin");
        let place = files.resolve_path(path, "/").unwrap();
        is_in_scratch(&files, reported, &place)
    }

    fn holds_own(&self) -> bool {
        self.holds(&self.folder, &self.path("/a/b.txt"))
    }
}

#[test]
fn a_private_folder_below_the_temporary_one_counts_with_what_is_in_it() {
    let scratch = ScratchFolder::new();
    assert!(scratch.holds_own());
    assert!(scratch.holds(&scratch.folder, &scratch.folder));
    assert!(!scratch.holds(&scratch.folder, &format!("{}2/a", scratch.folder)));
    assert!(!scratch.holds(&scratch.folder, "/etc/passwd"));
}

#[test]
fn a_folder_that_others_can_enter_or_write_to_does_not_count() {
    let scratch = ScratchFolder::new();
    for mode in [0o755, 0o770, 0o701, 0o777, 0o600] {
        scratch.set_mode("", mode);
        assert!(!scratch.holds_own(), "{mode:o}");
    }
    scratch.set_mode("", 0o700);
    scratch.set_mode("/..", 0o770);
    assert!(!scratch.holds_own());
    scratch.set_mode("/..", 0o755);
    assert!(scratch.holds_own());
}

#[test]
fn a_folder_of_another_user_does_not_count() {
    let scratch = ScratchFolder::new();
    let somebody = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };
    let path = scratch.path("/a");
    assert!(!scratch.holds_for(somebody, &scratch.folder, &path));
    assert!(!scratch.holds_for(AgentIdentity::unknown_user(), &scratch.folder, &path));
}

#[test]
fn a_repository_in_it_or_around_the_path_does_not_count() {
    let scratch = ScratchFolder::new();
    fs::create_dir_all(scratch.path("/a/.git")).unwrap();
    assert!(!scratch.holds_own());
    assert!(scratch.holds(&scratch.folder, &scratch.path("/c")));
    fs::create_dir(scratch.path("/../.git")).unwrap();
    assert!(!scratch.holds(&scratch.folder, &scratch.path("/c")));
    let bare = ScratchFolder::new();
    for name in ["/HEAD", "/objects", "/refs"] {
        fs::create_dir(bare.path(name)).unwrap();
    }
    assert!(!bare.holds_own());
}

#[test]
fn links_and_other_places_do_not_count() {
    let scratch = ScratchFolder::new();
    let link = scratch.path("-link");
    symlink(&scratch.folder, &link).unwrap();
    assert!(!scratch.holds(&link, &scratch.path("/a")));
    symlink("/etc", scratch.path("/out")).unwrap();
    assert!(!scratch.holds(&scratch.folder, &scratch.path("/out/passwd")));
    for reported in [TEMPORARY, "/", "/etc", "tmp", "", &scratch.path("/../session")] {
        assert!(!scratch.holds(reported, &scratch.path("/a")), "{reported}");
    }
    let elsewhere = tempfile::tempdir_in("/var").unwrap();
    let path = elsewhere.path().to_str().unwrap();
    assert!(!scratch.holds(path, &format!("{path}/a")));
}

//! Real folders and real links.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

const NOBODY: Identity = Identity { uid: 65_533, groups: Some(Vec::new()) };

struct Room {
    _dir: TempDir,
    /// Its own real path: the folder for temporary files may itself be behind a link.
    root: String,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let room = Self { _dir: dir, root };
        for folder in ["w/src", "out/deep"] {
            fs::create_dir_all(room.path(folder)).unwrap();
        }
        fs::write(room.path("w/src/lib.rs"), "").unwrap();
        fs::write(room.path("out/secret"), "").unwrap();
        room
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn link(&self, at: &str, to: &str) {
        symlink(to, self.path(at)).unwrap();
    }

    fn program(&self, at: &str, mode: u32) {
        let path = self.path(at);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Where a path leads from `w`, without the root.
    fn real(&self, path: &str) -> Result<String, Unresolved> {
        let found = System::new(NOBODY, "").real(path, &self.path("w"))?;
        Ok(found.as_str().strip_prefix(&format!("{}/", self.root)).unwrap_or("…").to_owned())
    }

    fn check(&self, path: &str, expected: &str) {
        assert_eq!(self.real(path), Ok(expected.to_owned()), "{path}");
        // As the kernel has it, wherever the path exists.
        if let Ok(kernel) = fs::canonicalize(format!("{}/{path}", self.path("w"))) {
            assert_eq!(kernel.to_str().unwrap(), self.path(expected), "{path}");
        }
    }
}

#[test]
fn links_are_followed_and_a_parent_is_that_of_what_was_reached() {
    let room = Room::new();
    room.link("w/out", &room.path("out"));
    room.link("w/up", "../out/deep");
    room.link("w/twice", "up");
    room.link("w/src/file", "../../out/secret");
    for (path, expected) in [
        ("src/lib.rs", "w/src/lib.rs"),
        ("./src/../src//lib.rs", "w/src/lib.rs"),
        ("out/secret", "out/secret"),
        ("up", "out/deep"),
        ("up/", "out/deep"),
        ("up/..", "out"),
        ("up/../secret", "out/secret"),
        ("twice/../secret", "out/secret"),
        ("src/file", "out/secret"),
        ("src/../up/../../w/src", "w/src"),
    ] {
        room.check(path, expected);
    }
}

#[test]
fn a_tail_that_does_not_exist_is_kept_as_it_is_written() {
    let room = Room::new();
    room.link("w/up", "../out/deep");
    room.link("w/hanging", "../out/new");
    room.check("new/file.txt", "w/new/file.txt");
    room.check("up/new/./file", "out/deep/new/file");
    room.check("hanging", "out/new");
    room.check("hanging/more", "out/new/more");
    let missing = room.path("w/new");
    assert_eq!(room.real("new/../../out"), Err(Unresolved::BehindMissing(missing)));
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let room = Room::new();
    room.link("w/a", "b");
    room.link("w/b", "a");
    room.link("w/me", "me");
    assert_eq!(room.real("a"), Err(Unresolved::Loop));
    assert_eq!(room.real("me/x"), Err(Unresolved::Loop));
    let file = room.path("w/src/lib.rs");
    for path in ["src/lib.rs/x", "src/lib.rs/..", "src/lib.rs/", "src/lib.rs/."] {
        assert_eq!(room.real(path), Err(Unresolved::NotAFolder(file.clone())), "{path}");
    }
    let name = "n".repeat(300);
    assert!(matches!(room.real(&name), Err(Unresolved::Unreadable(..))));
    for at in 0..=crate::limits::LINKS {
        room.link(&format!("w/l{at}"), &format!("l{}", at + 1));
    }
    assert_eq!(room.real("l0"), Err(Unresolved::Loop));
    room.check("l1", &format!("w/l{}", crate::limits::LINKS + 1));
}

#[test]
fn a_link_to_a_name_that_is_no_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let room = Room::new();
    symlink(std::ffi::OsStr::from_bytes(b"\xff"), room.path("w/odd")).unwrap();
    assert_eq!(room.real("odd"), Err(Unresolved::NotText(room.path("w/odd"))));
}

#[test]
fn a_link_of_a_process_is_followed_for_nobody() {
    let room = Room::new();
    room.link("w/here", "/proc/self/cwd");
    for path in ["/proc/self/cwd/x", "/proc/self/root/etc", "/dev/fd/3", "here/x", "/proc/mounts"] {
        assert!(matches!(room.real(path), Err(Unresolved::OfAProcess(_))), "{path}");
    }
    assert_eq!(
        System::new(NOBODY, "").real("/proc/cpuinfo", "/").unwrap().as_str(),
        "/proc/cpuinfo"
    );
}

#[test]
fn a_bare_name_is_searched_for_as_a_shell_does() {
    let room = Room::new();
    room.program("bin/tool", 0o755);
    room.program("first/tool", 0o644);
    fs::create_dir_all(room.path("second/tool")).unwrap();
    let search = ["none", "first", "second", "out/secret", "bin"].map(|at| room.path(at)).join(":");
    let disk = System::new(NOBODY, &search);
    let found = disk.program("tool", &room.path("w")).unwrap();
    let number = fs::metadata(room.path("bin/tool")).unwrap().ino();
    assert_eq!(found.path.as_str(), room.path("bin/tool"));
    assert_eq!(found.inode.map(|inode| inode.number), Some(number));
    let none = disk.program("other", "/");
    assert_eq!(none, Err(Unresolved::NoProgram("other".to_owned())));
    assert!(matches!(
        disk.program("./src/lib.rs", &room.path("w")),
        Err(Unresolved::NotExecutable(_))
    ));
}

#[test]
fn an_empty_or_relative_folder_to_search_is_where_one_stands() {
    let room = Room::new();
    room.program("w/tool", 0o755);
    room.program("w/bin/other", 0o755);
    let disk = System::new(NOBODY, ":bin");
    for (name, at) in [("tool", "w/tool"), ("other", "w/bin/other")] {
        let found = disk.program(name, &room.path("w")).unwrap();
        assert_eq!(found.path.as_str(), room.path(at));
    }
}

#[test]
fn a_program_is_the_agents_if_it_can_write_the_file_a_folder_or_the_way_to_it() {
    let room = Room::new();
    let open = |at: &str, mode| {
        fs::set_permissions(room.path(at), fs::Permissions::from_mode(mode)).unwrap();
    };
    // Above the room everything is as it is on this machine.
    let local = |who: &Identity, at: &str| {
        let (_, places) = System::new(who.clone(), "").kept(&room.path(at), "/").unwrap();
        let below = |place: &String| place.strip_prefix(&room.root).map(str::to_owned);
        places.iter().filter_map(below).collect::<Vec<_>>()
    };
    room.program("safe/tool", 0o755);
    room.program("loose/tool", 0o777);
    room.program("group/tool", 0o775);
    room.program("open/tool", 0o755);
    open("open", 0o777);
    room.link("open/way", "../safe/tool");
    assert_eq!(local(&NOBODY, "safe/tool"), [""; 0]);
    assert_eq!(local(&NOBODY, "loose/tool"), ["/loose/tool"]);
    assert_eq!(local(&NOBODY, "open/tool"), ["/open"]);
    assert_eq!(local(&NOBODY, "open/way"), ["/open"]);
    assert_eq!(local(&NOBODY, "group/tool"), [""; 0]);
    let found = System::new(NOBODY, "").program(&room.path("open/way"), "/").unwrap();
    assert!(matches!(found.keeper, Keeper::Agent { .. }), "{found:?}");
    let ours = fs::metadata(&room.root).unwrap();
    let member = Identity { uid: NOBODY.uid, groups: Some(vec![ours.gid()]) };
    let anybody = Identity { uid: NOBODY.uid, groups: None };
    for who in [member, anybody] {
        assert_eq!(local(&who, "group/tool"), ["/group/tool"]);
    }
    let owner = Identity { uid: ours.uid(), groups: Some(Vec::new()) };
    match owner.uid {
        0 => assert_eq!(local(&owner, "safe/tool"), [""; 0]),
        _ => assert_eq!(local(&owner, "safe/tool"), ["", "/safe", "/safe/tool"]),
    }
}

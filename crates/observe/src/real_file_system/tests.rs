//! Real folders and real links.

use super::*;
use crate::file_system::Protection;
use crate::limits::MAX_LINKS;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

const NOBODY: AgentIdentity = AgentIdentity { uid: 65_533, groups: Some(Vec::new()) };

struct TestFolder {
    _dir: TempDir,
    /// Without links: the folder for temporary files may be behind one.
    root: String,
}

impl TestFolder {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let folder = Self { _dir: dir, root };
        for path in ["w/src", "out/deep"] {
            fs::create_dir_all(folder.path(path)).unwrap();
        }
        fs::write(folder.path("w/src/lib.rs"), "").unwrap();
        fs::write(folder.path("out/secret"), "").unwrap();
        folder
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn add_link(&self, path: &str, target: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    fn add_program(&self, path: &str, mode: u32) {
        let path = self.path(path);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Where a path leads from `w`, without the root.
    fn resolve(&self, path: &str) -> Result<String, LookupError> {
        let real = RealFileSystem::new(NOBODY, "").resolve_path(path, &self.path("w"))?;
        Ok(real.as_str().strip_prefix(&format!("{}/", self.root)).unwrap_or("…").to_owned())
    }

    fn check(&self, path: &str, expected: &str) {
        assert_eq!(self.resolve(path), Ok(expected.to_owned()), "{path}");
        // The kernel agrees if the path exists.
        if let Ok(kernel) = fs::canonicalize(format!("{}/{path}", self.path("w"))) {
            assert_eq!(kernel.to_str().unwrap(), self.path(expected), "{path}");
        }
    }
}

#[test]
fn links_are_followed_and_a_parent_is_that_of_the_folder_behind_a_link() {
    let folder = TestFolder::new();
    folder.add_link("w/out", &folder.path("out"));
    folder.add_link("w/up", "../out/deep");
    folder.add_link("w/twice", "up");
    folder.add_link("w/src/file", "../../out/secret");
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
        folder.check(path, expected);
    }
}

#[test]
fn a_tail_that_does_not_exist_stays_as_it_is_written() {
    let folder = TestFolder::new();
    folder.add_link("w/up", "../out/deep");
    folder.add_link("w/dangling", "../out/new");
    folder.check("new/file.txt", "w/new/file.txt");
    folder.check("up/new/./file", "out/deep/new/file");
    folder.check("dangling", "out/new");
    folder.check("dangling/more", "out/new/more");
    let missing = folder.path("w/new");
    assert_eq!(folder.resolve("new/../../out"), Err(LookupError::ParentOfMissing(missing)));
}

#[test]
fn a_path_that_cannot_be_followed_is_an_error() {
    let folder = TestFolder::new();
    folder.add_link("w/a", "b");
    folder.add_link("w/b", "a");
    folder.add_link("w/me", "me");
    assert_eq!(folder.resolve("a"), Err(LookupError::TooManyLinks));
    assert_eq!(folder.resolve("me/x"), Err(LookupError::TooManyLinks));
    let file = folder.path("w/src/lib.rs");
    for path in ["src/lib.rs/x", "src/lib.rs/..", "src/lib.rs/", "src/lib.rs/."] {
        assert_eq!(folder.resolve(path), Err(LookupError::NotAFolder(file.clone())), "{path}");
    }
    let name = "n".repeat(300);
    assert!(matches!(folder.resolve(&name), Err(LookupError::Unreadable(..))));
    for number in 0..=MAX_LINKS {
        folder.add_link(&format!("w/l{number}"), &format!("l{}", number + 1));
    }
    assert_eq!(folder.resolve("l0"), Err(LookupError::TooManyLinks));
    folder.check("l1", &format!("w/l{}", MAX_LINKS + 1));
}

#[test]
fn a_link_to_a_name_that_is_not_utf8_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TestFolder::new();
    symlink(std::ffi::OsStr::from_bytes(b"\xff"), folder.path("w/odd")).unwrap();
    assert_eq!(folder.resolve("odd"), Err(LookupError::LinkNotUtf8(folder.path("w/odd"))));
}

#[test]
fn a_link_that_differs_between_processes_is_never_followed() {
    let folder = TestFolder::new();
    folder.add_link("w/here", "/proc/self/cwd");
    for path in ["/proc/self/cwd/x", "/proc/self/exe", "/dev/fd/3", "here/x", "/proc/mounts"] {
        assert!(matches!(folder.resolve(path), Err(LookupError::ProcessLink(_))), "{path}");
    }
    for (path, expected) in
        [("/proc/cpuinfo", "/proc/cpuinfo"), ("/proc/self/root/proc/cpuinfo", "/proc/cpuinfo")]
    {
        let real = RealFileSystem::new(NOBODY, "").resolve_path(path, "/").unwrap();
        assert_eq!(real.as_str(), expected);
    }
}

#[test]
fn a_bare_name_is_searched_for_as_by_a_shell() {
    let folder = TestFolder::new();
    folder.add_program("bin/tool", 0o755);
    folder.add_program("first/tool", 0o644);
    fs::create_dir_all(folder.path("second/tool")).unwrap();
    let folders = ["none", "first", "second", "out/secret", "bin"].map(|path| folder.path(path));
    let files = RealFileSystem::new(NOBODY, &folders.join(":"));
    let program = files.find_program("tool", &folder.path("w")).unwrap();
    let number = fs::metadata(folder.path("bin/tool")).unwrap().ino();
    assert_eq!(program.path.as_str(), folder.path("bin/tool"));
    assert_eq!(program.inode.map(|inode| inode.number), Some(number));
    let missing = files.find_program("other", "/");
    assert_eq!(missing, Err(LookupError::ProgramNotFound("other".to_owned())));
    assert!(matches!(
        files.find_program("./src/lib.rs", &folder.path("w")),
        Err(LookupError::NotExecutable(_))
    ));
}

#[test]
fn an_empty_or_relative_folder_of_the_search_path_starts_in_the_working_directory() {
    let folder = TestFolder::new();
    folder.add_program("w/tool", 0o755);
    folder.add_program("w/bin/other", 0o755);
    let files = RealFileSystem::new(NOBODY, ":bin");
    for (name, path) in [("tool", "w/tool"), ("other", "w/bin/other")] {
        let program = files.find_program(name, &folder.path("w")).unwrap();
        assert_eq!(program.path.as_str(), folder.path(path));
    }
}

#[test]
fn a_program_is_replaceable_if_the_agent_can_write_to_it_a_folder_or_the_way_to_it() {
    let folder = TestFolder::new();
    // Paths above the test folder are left out: their modes depend on the machine.
    let list_writable = |agent: &AgentIdentity, path: &str| {
        let files = RealFileSystem::new(agent.clone(), "");
        let (_, writable) = files.search.resolve_with_writable(&folder.path(path), "/").unwrap();
        let below = |path: &String| path.strip_prefix(&folder.root).map(str::to_owned);
        writable.iter().filter_map(below).collect::<Vec<_>>()
    };
    folder.add_program("safe/tool", 0o755);
    folder.add_program("loose/tool", 0o777);
    folder.add_program("group/tool", 0o775);
    folder.add_program("open/tool", 0o755);
    fs::set_permissions(folder.path("open"), fs::Permissions::from_mode(0o777)).unwrap();
    folder.add_link("open/way", "../safe/tool");
    assert_eq!(list_writable(&NOBODY, "safe/tool"), [""; 0]);
    assert_eq!(list_writable(&NOBODY, "loose/tool"), ["/loose/tool"]);
    assert_eq!(list_writable(&NOBODY, "open/tool"), ["/open"]);
    assert_eq!(list_writable(&NOBODY, "open/way"), ["/open"]);
    assert_eq!(list_writable(&NOBODY, "group/tool"), [""; 0]);
    let files = RealFileSystem::new(NOBODY, "");
    let program = files.find_program(&folder.path("open/way"), "/").unwrap();
    assert!(matches!(program.protection, Protection::Replaceable { .. }), "{program:?}");
    let metadata = fs::metadata(&folder.root).unwrap();
    let member = AgentIdentity { uid: NOBODY.uid, groups: Some(vec![metadata.gid()]) };
    let anybody = AgentIdentity { uid: NOBODY.uid, groups: None };
    for agent in [member, anybody] {
        assert_eq!(list_writable(&agent, "group/tool"), ["/group/tool"]);
    }
    let owner = AgentIdentity { uid: metadata.uid(), groups: Some(Vec::new()) };
    match owner.uid {
        0 => assert_eq!(list_writable(&owner, "safe/tool"), [""; 0]),
        _ => assert_eq!(list_writable(&owner, "safe/tool"), ["", "/safe", "/safe/tool"]),
    }
}

#[test]
fn a_folder_that_is_closed_to_the_agent_is_skipped_as_by_a_shell() {
    let folder = TestFolder::new();
    folder.add_program("bin/tool", 0o755);
    let search_path = format!("/closed:{}", folder.path("bin"));
    let find = |agent: AgentIdentity| {
        let files = RealFileSystem::new(agent, &search_path);
        // The tests may run as root, to whom no folder is closed.
        files.search.search_program("tool", |folder| match folder {
            "/closed" => {
                Err(LookupError::Unreadable(folder.to_owned(), ErrorKind::PermissionDenied))
            }
            _ => files.search.locate_program(&format!("{folder}/tool"), "/"),
        })
    };
    let found = find(AgentIdentity::current_user()).unwrap();
    assert_eq!(found.real.as_str(), folder.path("bin/tool"));
    // To another user the folder may be open.
    assert!(matches!(find(NOBODY), Err(LookupError::Unreadable(..))));
}

#[test]
fn an_agent_of_an_unknown_user_can_replace_what_is_not_root_s_alone() {
    let folder = TestFolder::new();
    folder.add_program("bin/tool", 0o755);
    let path = folder.path("bin/tool");
    if std::os::unix::fs::chown(&path, Some(NOBODY.uid), None).is_err() {
        return eprintln!("skipped: only root can give a file away");
    }
    let files = RealFileSystem::new(AgentIdentity::unknown_user(), "");
    let program = files.find_program(&path, "/").unwrap();
    assert!(matches!(program.protection, Protection::Replaceable { .. }), "{program:?}");
}

#[test]
fn a_file_is_settled_when_the_next_change_gets_another_time() {
    let folder = TestFolder::new();
    let files = RealFileSystem::new(NOBODY, "");
    let stamp = files.read_stamp(&folder.path("out/secret")).unwrap().unwrap();
    let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(stamp.changed.0).unwrap());
    assert!(!is_older(&stamp, changed) && !files.is_settled(&stamp));
    assert!(!is_older(&stamp, changed + Duration::from_secs(2)));
    assert!(is_older(&stamp, changed + limits::SETTLED_AGE));
    assert!(!is_older(&stamp, changed - Duration::from_secs(100)), "its time is in the future");
}

#[test]
fn only_a_regular_file_within_the_limit_is_read() {
    let folder = TestFolder::new();
    let files = RealFileSystem::new(NOBODY, "");
    fs::write(folder.path("out/secret"), "12345").unwrap();
    let read = |path: &str, max| files.read_file(&folder.path(path), max);
    assert_eq!(read("out/secret", 5), Ok(b"12345".to_vec()));
    assert_eq!(read("out/secret", 4), Err(LookupError::TooLarge(folder.path("out/secret"))));
    let pipe = folder.path("out/pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in ["out", "out/pipe", "out/missing"] {
        let error = read(path, 5).unwrap_err();
        assert!(matches!(error, LookupError::Unreadable(..)), "{path}: {error:?}");
    }
    let link = folder.path("w/link");
    symlink("../out/secret", &link).unwrap();
    let before = files.read_stamp(&link).unwrap();
    fs::write(folder.path("out/secret"), "1234567").unwrap();
    assert_ne!(files.read_stamp(&link).unwrap(), before, "a stamp is that of the link's target");
}

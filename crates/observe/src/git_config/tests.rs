//! Readings on a fake disk: what is kept, what counts, and what cannot be known.

use super::*;
use crate::file_system::{FakeFileSystem, FileStamp, GitCache, ProgramIdentity};
use crate::real_path::RealPath;
use crate::{CommandLookup, NoFileSystem};
use countersign_commands::{CommandVerdict, RuleSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// A disk that changes, and counts what is read.
struct Disk {
    files: Mutex<FakeFileSystem>,
    cache: GitCache,
    reads: AtomicUsize,
    is_settled: AtomicBool,
    user: AtomicU32,
}

impl Disk {
    /// A clean repository in `/w`.
    fn new() -> Self {
        let files = FakeFileSystem::without_links()
            .with_file("/w/.git/HEAD", "ref: refs/heads/main\n")
            .with_file("/w/.git/objects/x", "")
            .with_file("/w/.git/refs/x", "")
            .with_file("/w/.git/config", "[core]\n\tbare = false\n[include]\n\tpath = more\n")
            .with_file("/home/me/.gitconfig", "[user]\n\tname = me\n");
        Self {
            files: Mutex::new(files),
            cache: GitCache::default(),
            reads: AtomicUsize::new(0),
            is_settled: AtomicBool::new(true),
            user: AtomicU32::new(0),
        }
    }

    fn write(&self, path: &str, content: &str) {
        let mut files = self.files.lock().unwrap();
        *files = files.clone().with_file(path, content);
    }

    fn take_reads(&self) -> usize {
        self.reads.swap(0, Ordering::SeqCst)
    }

    /// Why a rule does not cover this command; `None` if it does.
    fn find_refusal(&self, folder: &str, line: &str) -> Option<String> {
        judge(self, folder, line)
    }
}

fn judge(files: &dyn FileSystem, folder: &str, line: &str) -> Option<String> {
    let lookup = CommandLookup::new(files, (Some("/w"), Some(folder)), Some("/home/me"));
    let rules = RuleSet::parse(&format!("allow {line}")).unwrap();
    match rules.judge(line, &lookup.context()).verdict {
        CommandVerdict::Match { .. } => None,
        CommandVerdict::Ask { why } => Some(why),
        CommandVerdict::Deny { why, .. } => panic!("{why}"),
    }
}

impl FileSystem for Disk {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.files.lock().unwrap().resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        self.files.lock().unwrap().find_program(name, cwd)
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.files.lock().unwrap().list_folder(folder)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        self.files.lock().unwrap().read_stamp(path)
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.files.lock().unwrap().read_file(path, max_bytes)
    }

    fn is_settled(&self, _: &FileStamp) -> bool {
        self.is_settled.load(Ordering::SeqCst)
    }

    fn agent_user(&self) -> Option<u32> {
        Some(self.user.load(Ordering::SeqCst))
    }

    fn git_cache(&self) -> Option<&GitCache> {
        Some(&self.cache)
    }
}

const PROGRAM: &str = "[core]\n\tfsmonitor = /x\n";

#[test]
fn an_unchanged_file_is_not_read_again() {
    let disk = Disk::new();
    assert_eq!(disk.find_refusal("/w", "git status"), None);
    assert_eq!(disk.take_reads(), 3, "HEAD and two configuration files");
    for folder in ["/w", "/w"] {
        assert_eq!(disk.find_refusal(folder, "git log"), None);
        assert_eq!(disk.take_reads(), 0, "{folder}");
    }
    // Another folder of the same repository has the same files.
    assert_eq!(disk.find_refusal("/w/src", "git log"), None);
    assert_eq!(disk.take_reads(), 0);
}

#[test]
fn every_change_is_noticed_and_only_what_changed_is_read() {
    for (path, content, reads) in [
        ("/w/.git/config", PROGRAM, 1),
        ("/home/me/.gitconfig", PROGRAM, 1),
        ("/home/me/.config/git/config", PROGRAM, 1),
        ("/etc/gitconfig", PROGRAM, 1),
        // It is named, and did not exist.
        ("/w/.git/more", PROGRAM, 1),
        ("/w/.git/hooks/post-index-change", "", 1),
        ("/w/.git/remotes/x", "", 1),
        ("/w/.git/commondir", "../elsewhere\n", 1),
        ("/w/.git/index", "x", 1),
        ("/w/.git/HEAD", "x", 1),
    ] {
        let disk = Disk::new();
        assert_eq!(disk.find_refusal("/w", "git fetch"), None, "{path}");
        assert_eq!(disk.find_refusal("/w", "git status"), None, "{path}");
        disk.take_reads();
        disk.write(path, content);
        let is_covered =
            ["git status", "git fetch"].map(|line| disk.find_refusal("/w", line).is_none());
        // A repository without objects is none: then only the home folder counts.
        let expected = if path.ends_with("commondir") { [true; 2] } else { [false; 2] };
        let expected = if path.ends_with("remotes/x") { [true, false] } else { expected };
        assert_eq!(is_covered, expected, "{path}");
        assert!(disk.take_reads() >= reads, "{path}");
    }
    let disk = Disk::new();
    disk.find_refusal("/w", "git status");
    disk.take_reads();
    disk.write("/w/.git/config", "[a]\n");
    assert_eq!(disk.find_refusal("/w", "git status"), None);
    assert_eq!(disk.take_reads(), 1, "only the changed file");
}

#[test]
fn what_changed_a_moment_ago_is_read_again() {
    let disk = Disk::new();
    disk.is_settled.store(false, Ordering::SeqCst);
    for _ in 0..2 {
        assert_eq!(disk.find_refusal("/w", "git status"), None);
        assert_eq!(disk.take_reads(), 3);
    }
}

#[test]
fn a_full_cache_starts_again() {
    let disk = Disk::new();
    for number in 0..=limits::MAX_GIT_CACHE_ENTRIES {
        assert_eq!(disk.find_refusal(&format!("/w/{number}"), "git log"), None);
    }
    disk.write("/w/.git/config", PROGRAM);
    assert!(disk.find_refusal("/w/0", "git log").is_some());
}

#[test]
fn in_a_repository_of_another_user_nothing_is_hidden() {
    let disk = Disk::new();
    disk.write("/home/me/.gitconfig", PROGRAM);
    disk.write("/w/.git/config", "[core]\n\tfsmonitor = false\n");
    assert_eq!(disk.find_refusal("/w", "git status"), None);
    // Git may refuse this repository, and then the value of the home folder counts.
    disk.user.store(7, Ordering::SeqCst);
    assert!(disk.find_refusal("/w/src", "git status").is_some());
    disk.write("/home/me/.gitconfig", "");
    disk.write("/w/.git/config", PROGRAM);
    assert!(disk.find_refusal("/w/src", "git status").is_some());
}

#[test]
fn a_bare_repository_and_one_that_git_does_not_recognise() {
    let disk = Disk::new();
    for (path, content) in [
        ("/w/bare/HEAD", "ref: refs/heads/main\n"),
        ("/w/bare/objects/x", ""),
        ("/w/bare/refs/x", ""),
        ("/w/bare/config", PROGRAM),
        ("/w/empty/.git/config", PROGRAM),
        ("/w/file/.git", "gitdir: ../bare\n"),
        ("/w/broken/.git", "gitdir: ../nowhere\n"),
    ] {
        disk.write(path, content);
    }
    for (folder, is_covered) in [
        ("/w", true),
        ("/w/bare", false),
        ("/w/bare/objects", false),
        ("/w/file", false),
        ("/w/broken", false),
        // Git goes on to `/w`.
        ("/w/empty", true),
    ] {
        let refusal = disk.find_refusal(folder, "git status");
        assert_eq!(refusal.is_none(), is_covered, "{folder}: {refusal:?}");
    }
}

#[test]
fn what_is_unknown_counts_against_the_command() {
    let disk = Disk::new();
    let read = |files: &dyn FileSystem, home| match read_git(files, "/w", home) {
        GitReading::Unreadable { why } => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(&disk, None), "the home folder is unknown");
    let why = "the agent may run as any user, with a configuration of its own";
    assert_eq!(read(&NoFileSystem, Some("/home/me")), why);
    let large = "#".repeat(usize::try_from(limits::MAX_GIT_CONFIG_BYTES).unwrap() + 1);
    disk.write("/w/.git/config", &large);
    assert_eq!(read(&disk, Some("/home/me")), "`/w/.git/config` is too large");
    let many: String = (0..limits::MAX_GIT_PATHS)
        .map(|number| format!("[include]\n\tpath = {number}\n"))
        .collect();
    disk.write("/w/.git/config", &many);
    assert_eq!(read(&disk, Some("/home/me")), "it depends on more than 512 paths");
}

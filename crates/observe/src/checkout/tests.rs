//! Worktrees as git makes them, and folders that only claim to be one.

use super::*;
use crate::{AgentIdentity, FakeFileSystem, LookupError, ProgramIdentity, RealFileSystem};
use std::fs;
use std::path::Path;
use std::process::Command;

const REPOSITORY: [&str; 3] = ["HEAD", "objects/x", "refs/x"];

/// `/r` is a repository, and `/wt` a linked worktree of it.
fn two_worktrees() -> FakeFileSystem {
    let files = FakeFileSystem::without_links();
    let files = REPOSITORY.iter().fold(files, |files, name| {
        files.with_file(&format!("/r/.git/{name}"), "ref: refs/heads/a")
    });
    files
        .with_file("/r/src/a", "")
        .with_file("/wt/.git", "gitdir: /r/.git/worktrees/wt\n")
        .with_file("/wt/src/a", "")
        .with_file("/r/.git/worktrees/wt/commondir", "../..\n")
        .with_file("/r/.git/worktrees/wt/gitdir", "/wt/.git\n")
}

fn project_of(files: &dyn FileSystem, folder: &str) -> Option<String> {
    let home = RealPath::from_text("/home/me");
    let found = Checkout::find(files, &RealPath::from_text(folder), Some(&home));
    found.map(|checkout| checkout.project().to_owned())
}

#[test]
fn every_folder_of_every_worktree_belongs_to_the_repository() {
    let files = two_worktrees();
    for folder in ["/r", "/r/src", "/r/.git/hooks", "/wt", "/wt/src", "/wt/not/there"] {
        assert_eq!(project_of(&files, folder).as_deref(), Some("/r"), "{folder}");
    }
    for folder in ["/", "/r2", "/w", "/wt2"] {
        assert_eq!(project_of(&files, folder), None, "{folder}");
    }
}

#[test]
fn a_link_to_a_repository_counts_only_if_the_repository_leads_back() {
    let linked = |text: &str| two_worktrees().with_file("/evil/.git", text);
    for text in [
        // Of another worktree, of the main one, of a folder that looks like its data.
        "gitdir: /r/.git/worktrees/wt\n",
        "gitdir: /r/.git\n",
        "gitdir: /evil/data\n",
        "gitdir: /r/.git/worktrees/wt\nx",
        "gitdir:/r/.git/worktrees/wt",
        "",
    ] {
        assert_eq!(project_of(&linked(text), "/evil"), None, "{text:?}");
    }
    // Its own data says that it belongs to the repository, but lies elsewhere.
    let forged = linked("gitdir: /evil/data\n")
        .with_file("/evil/data/commondir", "/r/.git\n")
        .with_file("/evil/data/gitdir", "/evil/.git\n");
    assert_eq!(project_of(&forged, "/evil"), None);
    let beside = linked("gitdir: /evil/worktrees/x\n")
        .with_file("/evil/worktrees/x/commondir", "/r/.git\n")
        .with_file("/evil/worktrees/x/gitdir", "/evil/.git\n");
    assert_eq!(project_of(&beside, "/evil"), None);
}

#[test]
fn data_that_is_borrowed_or_reached_by_a_link_does_not_count() {
    let borrowed = two_worktrees().with_file("/r/.git/commondir", "/other/.git\n");
    assert_eq!(project_of(&borrowed, "/r"), None);
    assert_eq!(project_of(&borrowed, "/wt"), None);
    let by_link = two_worktrees().with_link("/l/.git", "/r/.git").with_file("/l/.git", "");
    assert_eq!(project_of(&by_link, "/l"), None);
    let empty = FakeFileSystem::without_links().with_file("/e/.git/x", "");
    assert_eq!(project_of(&empty, "/e"), None);
}

#[test]
fn no_worktree_is_the_root_a_home_or_above_one() {
    let repository = |root: &str| {
        REPOSITORY.iter().fold(FakeFileSystem::without_links(), |files, name| {
            files.with_file(&format!("{root}/.git/{name}"), "ref: refs/heads/a")
        })
    };
    for root in ["", "/home", "/home/me", "/home/other", "/root"] {
        assert_eq!(project_of(&repository(root), &format!("{root}/x")), None, "{root}");
    }
    assert_eq!(project_of(&repository("/home/me/x"), "/home/me/x").as_deref(), Some("/home/me/x"));
    // The settings of a home are kept in a repository, with a worktree elsewhere.
    let linked = repository("/home/me")
        .with_file("/wt/.git", "gitdir: /home/me/.git/worktrees/wt\n")
        .with_file("/home/me/.git/worktrees/wt/commondir", "../..\n")
        .with_file("/home/me/.git/worktrees/wt/gitdir", "/wt/.git\n");
    assert_eq!(project_of(&linked, "/wt"), None);
}

/// One path belongs to somebody else.
struct OtherOwner<'a>(FakeFileSystem, &'a str);

impl FileSystem for OtherOwner<'_> {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.0.resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        self.0.find_program(name, cwd)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        let owner = if path == self.1 { 1_234 } else { 0 };
        Ok(self.0.read_stamp(path)?.map(|stamp| FileStamp { owner, ..stamp }))
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        self.0.read_file(path, max_bytes)
    }
}

#[test]
fn what_belongs_to_several_owners_is_no_worktree() {
    assert!(project_of(&OtherOwner(two_worktrees(), "/nothing"), "/wt").is_some());
    for path in ["/wt", "/wt/.git", "/r/.git/worktrees/wt", "/r/.git"] {
        assert_eq!(project_of(&OtherOwner(two_worktrees(), path), "/wt"), None, "{path}");
    }
    for path in ["/r", "/r/.git"] {
        assert_eq!(project_of(&OtherOwner(two_worktrees(), path), "/r"), None, "{path}");
    }
}

#[test]
fn worktrees_that_git_makes_are_recognised_and_submodules_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let git = |at: &Path, words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(at).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        command.args(["-c", "protocol.file.allow=always"]).args(words);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &root);
        assert!(command.output().unwrap().status.success(), "{words:?}");
    };
    for name in ["main", "module"] {
        git(&root, &["init", "--quiet", name]);
        git(&root.join(name), &["commit", "--quiet", "--allow-empty", "-m", "a"]);
    }
    git(&root.join("main"), &["worktree", "add", "--quiet", "../linked"]);
    git(&root.join("main"), &["submodule", "--quiet", "add", "../module", "sub"]);
    git(&root, &["clone", "--quiet", "--bare", "main", "bare.git"]);
    git(&root.join("bare.git"), &["worktree", "add", "--quiet", "../of-bare"]);
    let files = RealFileSystem::new(AgentIdentity::current_user(), "/usr/bin");
    let project = |name: &str| project_of(&files, root.join(name).to_str().unwrap());
    let expected = |name: &str| Some(root.join(name).to_str().unwrap().to_owned());
    assert_eq!(project("main"), expected("main"));
    assert_eq!(project("linked"), expected("main"));
    assert_eq!(project("of-bare"), expected("bare.git"));
    assert_eq!(project("main/sub"), None);
}

#[test]
fn a_session_in_a_worktree_keeps_its_folder_and_belongs_to_the_repository() {
    let files = two_worktrees();
    let place =
        |name: &str| find_session_place(&files, &Project::parse(name).unwrap(), Some("/home/me"));
    let linked = place("/wt");
    assert_eq!(linked.project.as_str(), "/r");
    assert_eq!(linked.folders.workspace.as_ref().map(Project::as_str), Some("/wt"));
    assert_eq!(
        linked.folders.name_in_project(&linked.project, "/wt/src").as_deref(),
        Some("/r/src")
    );
    assert_eq!(linked.folders.name_in_project(&linked.project, "/wt2"), None);
    let below = place("/r/src");
    assert_eq!((below.project.as_str(), below.folders.root.as_deref()), ("/r", None));
    assert_eq!(below.folders.workspace.as_ref().map(Project::as_str), Some("/r/src"));
    for name in ["/r", "/elsewhere", "shop"] {
        let named = Project::parse(name).unwrap();
        assert_eq!(place(name), SessionPlace::plain(&named), "{name}");
    }
}

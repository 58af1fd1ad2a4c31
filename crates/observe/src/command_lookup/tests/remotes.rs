//! A yes to a push is for the place that its remote leads to, whatever the remote is called.

use super::*;
use countersign_core::model::place::{Bound, GitRemote, GitRepository};

const CONFIG: &str = "[remote \"origin\"]\n\turl = https://example.org/a.git\n";

/// A repository in `w`, another one in `w/nested`, and a bare one in `w/bare`.
struct Repositories {
    _dir: TempDir,
    root: String,
}

impl Repositories {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let all = Self { _dir: dir, root };
        let other = CONFIG.replace("example.org", "example.com");
        for (data, config) in [("w/.git", CONFIG), ("w/nested/.git", &other), ("w/bare", &other)] {
            fs::create_dir_all(all.path(&format!("{data}/objects"))).unwrap();
            fs::create_dir_all(all.path(&format!("{data}/refs"))).unwrap();
            fs::write(all.path(&format!("{data}/HEAD")), "ref: refs/heads/main\n").unwrap();
            all.configure(data, config);
        }
        all
    }

    fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    fn configure(&self, data: &str, config: &str) {
        fs::write(self.path(&format!("{data}/config")), config).unwrap();
    }

    fn judge(&self, rules: &str, line: &str) -> LineJudgement {
        let user = AgentIdentity { uid: find_owner(&self.root), groups: Some(Vec::new()) };
        let files = EveryProgram(RealFileSystem::new(user, "/usr/bin:/bin"));
        let w = self.path("w");
        let lookup = CommandLookup::new(&files, (Some(&w), Some(&w)), Some(&self.root));
        RuleSet::parse(rules).unwrap().judge(line, &lookup.context())
    }

    /// The remotes of the last command of a line.
    fn find_remotes(&self, line: &str) -> Vec<GitRemote> {
        let judged = self.judge("none", line);
        let last = judged.segments.last().unwrap();
        let remote = |bound: &Bound| match bound {
            Bound::GitRemote(remote) => Some(remote.clone()),
            _ => None,
        };
        last.paths.within.iter().filter_map(remote).collect()
    }

    fn other(&self, address: &[&str]) -> GitRemote {
        origin(GitRepository::At(self.path("w/nested/.git")), address)
    }
}

fn find_owner(path: &str) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().uid()
}

fn origin(repository: GitRepository, addresses: &[&str]) -> GitRemote {
    let addresses = addresses.iter().map(|&address| address.to_owned()).collect();
    GitRemote { name: "origin".to_owned(), repository, addresses }
}

#[test]
fn a_remote_is_known_by_its_repository_and_address() {
    let all = Repositories::new();
    let own = origin(GitRepository::Own, &["https://example.org/a.git"]);
    let other = all.other(&["https://example.com/a.git"]);
    for (line, expected) in [
        ("git push", own.clone()),
        ("git push origin main", own.clone()),
        ("git fetch origin", own.clone()),
        ("git fetch --all", own),
        ("cd nested && git push", other.clone()),
        ("cd nested && git push origin main", other.clone()),
        ("git -C nested fetch origin", other),
        ("cd bare && git push", origin(GitRepository::At(all.path("w/bare")), &[])),
        ("git -C bare push origin main", origin(GitRepository::At(all.path("w/bare")), &[])),
    ] {
        assert_eq!(all.find_remotes(line), [expected], "{line}");
    }
    let unknown = |repository| GitRemote { name: String::new(), ..origin(repository, &[]) };
    for (line, repository) in [
        ("git --git-dir=nested/.git push", GitRepository::Unknown),
        ("git push --signed origin main", GitRepository::Own),
        ("git submodule update", GitRepository::Own),
    ] {
        assert_eq!(all.find_remotes(line), [unknown(repository)], "{line}");
    }
}

#[test]
fn an_address_is_read_when_it_is_needed_and_a_rewritten_one_is_unknown() {
    let all = Repositories::new();
    let own = |addresses: &[&str]| vec![origin(GitRepository::Own, addresses)];
    let elsewhere = "\tpushurl = https://me:token@example.net/a.git\n";
    all.configure("w/.git", &format!("{CONFIG}{elsewhere}"));
    assert_eq!(all.find_remotes("git push origin main"), own(&["https://example.net/a.git"]));
    assert_eq!(all.find_remotes("git fetch origin"), own(&["https://example.org/a.git"]));
    let rewritten = "[url \"https://example.net/\"]\n\tinsteadOf = https://example.org/\n";
    all.configure("w/.git", &format!("{CONFIG}{rewritten}"));
    assert_eq!(all.find_remotes("git push origin main"), own(&[]));
    let fork = "[remote \"fork\"]\n\turl = https://example.org/f.git\n\
                [branch \"main\"]\n\tremote = fork\n";
    all.configure("w/.git", &format!("{CONFIG}{fork}"));
    assert_eq!(all.find_remotes("git push").first().unwrap().name, "fork");
    assert_eq!(all.find_remotes("git fetch --all").len(), 2);
}

#[test]
fn an_allow_rule_is_for_the_repository_of_the_workspace() {
    let all = Repositories::new();
    let verdict = |line: &str| all.judge("allow git push origin main", line).verdict;
    assert!(matches!(verdict("git push origin main"), CommandVerdict::Match { .. }));
    let CommandVerdict::Ask { why } = verdict("cd nested && git push origin main") else {
        panic!("it should ask")
    };
    assert!(why.contains("another repository"), "{why}");
}

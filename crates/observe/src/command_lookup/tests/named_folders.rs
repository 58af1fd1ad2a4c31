//! Folders that a line names without their paths.

use super::*;
use countersign_commands::Covering;

const RULES: &str = "allow cat *; allow ls *; allow git rev-parse *; allow git status *; \
    allow git init *; allow touch *; allow go test *";

/// A workspace with a repository of the user that runs the tests.
fn make_workspace() -> Workspace {
    let workspace = Workspace::new();
    for folder in ["w/.git/objects", "w/.git/refs", "w/src/inner/.git", "home/x y", "bare"] {
        fs::create_dir_all(workspace.path(folder)).unwrap();
    }
    fs::write(workspace.path("w/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(workspace.path("w/.git/config"), "[core]\n\tbare = false\n").unwrap();
    workspace
}

fn judge_at(workspace: &Workspace, (cwd, home): (&str, &str), line: &str) -> LineJudgement {
    use std::os::unix::fs::MetadataExt;
    let uid = fs::metadata(&workspace.root).unwrap().uid();
    let identity = AgentIdentity { uid, groups: Some(Vec::new()) };
    let files = EveryProgram(RealFileSystem::new(identity, ""));
    let (inside, cwd, home) = (workspace.path("w"), workspace.path(cwd), workspace.path(home));
    let lookup = CommandLookup::new(&files, (Some(&inside), Some(&cwd)), Some(&home));
    let variables = ["GOCACHE".to_owned()];
    let rules = RuleSet::parse(RULES).unwrap().with_variables(&variables);
    rules.judge(line, &lookup.context())
}

fn matches_at(workspace: &Workspace, at: (&str, &str), line: &str) -> bool {
    matches!(judge_at(workspace, at, line).verdict, CommandVerdict::Match { .. })
}

#[test]
fn a_named_folder_is_looked_up_where_its_command_runs() {
    let workspace = make_workspace();
    for line in [
        "cat $PWD/src/a.rs",
        "cat \"$(pwd)/src/a.rs\"",
        "cd src && cat \"$PWD/a.rs\"",
        "d=$(pwd); cat $d/src/a.rs",
        "cd \"$(git rev-parse --show-toplevel)\" && cat src/a.rs",
        "cat $(git rev-parse --show-toplevel)/src/a.rs",
        "cd src && cd \"$(git rev-parse --show-toplevel)\" && cat src/a.rs",
        "root=$(git rev-parse --show-toplevel) && cd $root/src && cat a.rs",
        "(cd src && ls) && cat src/a.rs",
        "{ cd src && ls; } && cat a.rs",
        "if cd src; then ls; fi",
        "GOCACHE=$PWD/cache go test ./...",
    ] {
        let judgement = judge_at(&workspace, ("w", "home"), line);
        assert!(
            matches!(judgement.verdict, CommandVerdict::Match { .. }),
            "{line}: {:?}",
            judgement.verdict
        );
    }
    // From a folder below, the repository is the same one.
    assert!(matches_at(
        &workspace,
        ("w/src/deep", "home"),
        "cat $(git rev-parse --show-toplevel)/src/a.rs"
    ));
    // A home folder may lie inside, too.
    assert!(matches_at(&workspace, ("w", "w/src"), "cat ~/a.rs \"$HOME/b.rs\""));
    let judgement = judge_at(&workspace, ("w", "home"), "cd src && cat $PWD/a.rs");
    assert_eq!(judgement.segments[1].argv, ["cat", &workspace.path("w/src/a.rs")]);
    let judgement = judge_at(&workspace, ("w", "home"), "cd ~/deep && ls");
    assert!(judgement.segments[0].covering != Ok(Covering::FolderChange));
}

#[test]
fn a_named_folder_that_leads_out_or_that_nobody_knows_asks() {
    let workspace = make_workspace();
    for line in [
        "cat ~/x",
        "cat ~",
        "cat \"$HOME/x\"",
        "cat $PWD/../out/x",
        "cat $PWD/src/../notes.txt",
        "cd src/up && cat $PWD/x",
        "cd src/up && cat \"$(pwd)\"",
        "cat \"$(pwd)\"/../out/x",
        "cd src; cat $PWD/a.rs",
        "cd src || ls; cat $PWD/a.rs",
        "cat $(git rev-parse --show-toplevel)/../out/x",
        "cd \"$(git rev-parse --show-toplevel)/..\" && ls",
        "git init sub && cd sub && cat $(git rev-parse --show-toplevel)/x",
        "touch .git/x; cat $(git rev-parse --show-toplevel)/src/a.rs",
        "(cd src && ls); cat ../out/x",
        "cd src && { cd deep; ls; }; cat $PWD/x",
        "{ cd src; } | cat a.rs",
        "if cd src; then ls; fi; cat $PWD/a.rs",
        "if ls; then cd src; fi; cat ../notes.txt",
        "(cd .. && ls)",
        "{ cd ..; ls; }",
        "if ls; then cat ../out/x; fi",
        "if ls; then ls; else cat ../out/x; fi",
        "if cat ../out/x; then ls; fi",
        "(ls; (cat ../out/x))",
        "ls | (cat ../out/x)",
        "GOCACHE=~/x go test ./...",
        "GOCACHE=$PWD/../x go test ./...",
        "X=1; go test ./...",
    ] {
        assert!(!matches_at(&workspace, ("w", "home"), line), "{line}");
    }
    // Without quotes a path with a blank is two words.
    assert!(!matches_at(&workspace, ("w", "home/x y"), "ls $HOME"));
}

#[test]
fn the_folder_of_a_repository_counts_only_if_git_certainly_prints_it() {
    let line = "cat $(git rev-parse --show-toplevel)/src/a.rs";
    let workspace = make_workspace();
    let matches = || matches_at(&workspace, ("w", "home"), line);
    assert!(matches());
    for config in ["[core]\n\tbare = true\n", "[core]\n\tworktree = ../../out\n", "[core\n"] {
        fs::write(workspace.path("w/.git/config"), config).unwrap();
        assert!(!matches(), "{config}");
    }
    fs::write(workspace.path("w/.git/config"), "").unwrap();
    assert!(matches());
    fs::remove_file(workspace.path("w/.git/HEAD")).unwrap();
    assert!(!matches());
    // Git refuses a repository of another user.
    let other = make_workspace();
    let files = EveryProgram(RealFileSystem::new(NOBODY, ""));
    let (inside, home) = (other.path("w"), other.path("home"));
    let lookup = CommandLookup::new(&files, (Some(&inside), Some(&inside)), Some(&home));
    let rules = RuleSet::parse(RULES).unwrap();
    let verdict = rules.judge(line, &lookup.context()).verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
}

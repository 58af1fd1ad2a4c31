//! Where git finds its configuration: worktrees, submodules, bare repositories, conditions.

use super::sandbox::{ConfigPlace, Sandbox};
use countersign_commands::CommandVerdict;

const MONITOR: &[(&str, &str)] = &[("core.fsmonitor", "PROGRAM")];

/// Real git runs the planted program in this folder, and a rule does not cover the command.
fn check_runs(sandbox: &Sandbox, folder: &str, line: &str) {
    let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
    assert!(sandbox.runs_planted_in(folder, &argv), "{folder}: {line}");
    let verdict = sandbox.judge_in(folder, line).verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{folder}: {line}: {verdict:?}");
}

/// The opposite.
fn check_clean(sandbox: &Sandbox, folder: &str, line: &str) {
    let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
    assert!(!sandbox.runs_planted_in(folder, &argv), "{folder}: {line}");
    let verdict = sandbox.judge_in(folder, line).verdict;
    assert!(matches!(verdict, CommandVerdict::Match { .. }), "{folder}: {line}: {verdict:?}");
}

#[test]
fn a_folder_below_belongs_to_the_repository_above() {
    let sandbox = Sandbox::new();
    check_clean(&sandbox, "w/sub", "git status");
    sandbox.plant(MONITOR, ConfigPlace::Repository);
    check_runs(&sandbox, "w/sub", "git status");
    let verdict = sandbox.judge_in("w/.git", "git rev-parse :b.txt").verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
    check_clean(&sandbox, "home", "git status");
}

#[test]
fn a_linked_worktree_has_the_settings_of_both() {
    let sandbox = Sandbox::new();
    sandbox.run_git(&["worktree", "add", "-q", "../linked", "other"]);
    check_clean(&sandbox, "linked", "git status");
    sandbox.run_git(&["config", "extensions.worktreeConfig", "true"]);
    let program = sandbox.path("programs/planted");
    sandbox.run_git_in("linked", &["config", "--worktree", "core.fsmonitor", &program]);
    check_runs(&sandbox, "linked", "git status");
    check_clean(&sandbox, "w", "git status");
    sandbox.run_git_in("linked", &["config", "--worktree", "core.fsmonitor", "false"]);
    sandbox.plant(MONITOR, ConfigPlace::Repository);
    check_runs(&sandbox, "w", "git status");
    check_clean(&sandbox, "linked", "git status");
}

#[test]
fn the_last_value_counts() {
    let sandbox = Sandbox::new();
    sandbox.plant(MONITOR, ConfigPlace::Home);
    check_runs(&sandbox, "w", "git status");
    sandbox.plant(&[("core.fsmonitor", "false")], ConfigPlace::Repository);
    check_clean(&sandbox, "w", "git status");
    // An included file is read where it is named: here, behind the rest.
    sandbox.plant(MONITOR, ConfigPlace::Included);
    check_runs(&sandbox, "w", "git status");
}

#[test]
fn git_enters_a_submodule_with_its_own_settings() {
    let sandbox = Sandbox::new();
    sandbox.run_git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &sandbox.path("remote.git"),
        "inner",
    ]);
    check_clean(&sandbox, "w", "git status");
    let program = sandbox.path("programs/planted");
    sandbox.run_git_in("w/inner", &["config", "core.fsmonitor", &program]);
    check_runs(&sandbox, "w", "git status");
    check_runs(&sandbox, "w", "git diff");
    check_runs(&sandbox, "w/inner", "git status");
    check_clean(&sandbox, "w", "git log");
    // A fetch enters submodules, also those that are not checked out.
    let verdict = sandbox.judge("git fetch").verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
}

#[test]
fn a_repository_that_was_added_as_a_folder_is_a_submodule_too() {
    let sandbox = Sandbox::new();
    sandbox.run_git(&["clone", "-q", "../remote.git", "embedded"]);
    check_clean(&sandbox, "w", "git status");
    sandbox.run_git(&["add", "embedded"]);
    check_clean(&sandbox, "w", "git status");
    let program = sandbox.path("programs/planted");
    sandbox.run_git_in("w/embedded", &["config", "core.fsmonitor", &program]);
    check_runs(&sandbox, "w", "git status");
    // The other versions of the index.
    for version in ["4", "3"] {
        sandbox.run_git(&["update-index", "--index-version", version]);
        check_runs(&sandbox, "w", "git status");
    }
    sandbox.run_git(&["-c", "core.fsmonitor=", "update-index", "--split-index"]);
    let verdict = sandbox.judge("git status").verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
}

#[test]
fn a_bare_repository_in_the_tree_counts_where_git_runs_in_it() {
    let sandbox = Sandbox::new();
    sandbox.run_git(&["init", "-q", "--bare", "sub/bare"]);
    sandbox.plant_hook("post-index-change");
    let config = sandbox.path("w/sub/bare/config");
    let program = sandbox.path("programs/planted");
    sandbox.run_git(&["config", "--file", &config, "core.fsmonitor", &program]);
    sandbox.run_git(&["config", "--file", &config, "core.bare", "false"]);
    sandbox.run_git(&["config", "--file", &config, "core.worktree", &sandbox.path("w/sub")]);
    check_runs(&sandbox, "w/sub/bare", "git status");
    let verdict = sandbox.judge("cd sub/bare && git status").verdict;
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
}

#[test]
fn a_condition_decides_whether_a_file_is_included() {
    let sandbox = Sandbox::new();
    let program = sandbox.path("programs/planted");
    let more = sandbox.path("home/more");
    sandbox.run_git(&["config", "--file", &more, "core.fsmonitor", &program]);
    let (root, here) = (&sandbox.root, sandbox.path("w/.git"));
    for (condition, is_true) in [
        (format!("gitdir:{root}/"), true),
        (format!("gitdir:{here}"), true),
        ("gitdir:w/".to_owned(), true),
        (format!("gitdir/i:{}/", root.to_uppercase()), true),
        (format!("gitdir:{root}/elsewhere/"), false),
        ("onbranch:main".to_owned(), true),
        ("onbranch:other".to_owned(), false),
        ("onbranch:m*".to_owned(), true),
        ("hasconfig:remote.*.url:ssh://127.0.0.1:1/**".to_owned(), true),
        (format!("gitdir:{root}/[vw]/.git"), true),
    ] {
        let text = format!("[includeIf \"{condition}\"]\n\tpath = more\n");
        sandbox.write("home/.gitconfig", &text);
        match is_true {
            true => check_runs(&sandbox, "w", "git status"),
            false => check_clean(&sandbox, "w", "git status"),
        }
    }
}

#[test]
fn an_included_file_is_found_beside_a_link_and_not_beside_its_target() {
    let sandbox = Sandbox::new();
    let program = sandbox.path("programs/planted");
    std::fs::create_dir(sandbox.path("home/dotfiles")).unwrap();
    sandbox.write("home/dotfiles/gitconfig", "[include]\n\tpath = more\n");
    std::os::unix::fs::symlink("dotfiles/gitconfig", sandbox.path("home/.gitconfig")).unwrap();
    let beside_target = sandbox.path("home/dotfiles/more");
    sandbox.run_git(&["config", "--file", &beside_target, "core.fsmonitor", &program]);
    check_clean(&sandbox, "w", "git status");
    let beside_link = sandbox.path("home/more");
    sandbox.run_git(&["config", "--file", &beside_link, "core.fsmonitor", &program]);
    check_runs(&sandbox, "w", "git status");
}

#[test]
fn a_repository_behind_a_link_has_the_settings_of_its_target() {
    let sandbox = Sandbox::new();
    std::fs::rename(sandbox.path("w/.git"), sandbox.path("kept")).unwrap();
    std::os::unix::fs::symlink("../kept", sandbox.path("w/.git")).unwrap();
    check_clean(&sandbox, "w", "git status");
    let program = sandbox.path("programs/planted");
    let more = sandbox.path("home/more");
    sandbox.run_git(&["config", "--file", &more, "core.fsmonitor", &program]);
    let condition = format!("[includeIf \"gitdir:{}\"]\n\tpath = more\n", sandbox.path("kept"));
    sandbox.write("home/.gitconfig", &condition);
    check_runs(&sandbox, "w", "git status");
}

#[test]
fn the_settings_are_those_of_the_folder_where_cd_led() {
    let sandbox = Sandbox::new();
    sandbox.run_git(&["clone", "-q", "../remote.git", "embedded"]);
    let program = sandbox.path("programs/planted");
    sandbox.run_git_in("w/embedded", &["config", "core.fsmonitor", &program]);
    for (line, is_covered) in [
        ("git status", true),
        ("cd sub && git status", true),
        ("cd embedded && git status", false),
        ("cd sub && cd ../embedded && git status", false),
        ("git add . && git commit -m x && git status", true),
        ("touch .git/hooks/pre-commit && git commit -m x", false),
    ] {
        let verdict = sandbox.judge(line).verdict;
        assert_eq!(
            matches!(verdict, CommandVerdict::Match { .. }),
            is_covered,
            "{line}: {verdict:?}"
        );
    }
    let verdict = sandbox.judge("echo x > .git/hooks/pre-commit && git commit -m x").verdict;
    let CommandVerdict::Ask { why } = verdict else { panic!("{verdict:?}") };
    assert!(why.contains("an earlier command may change git's configuration"), "{why}");
}

#[test]
fn what_cannot_be_read_or_parsed_asks_with_a_reason() {
    for (path, content, reason) in [
        ("home/.gitconfig", "[core\n", "home/.gitconfig` is not valid at line"),
        ("w/.git/config", "[core]\n\u{1}x = y\n", "w/.git/config` is not valid at line 2"),
        ("home/.gitconfig", "[include]\n\tpath = ~other/x\n", "is not in a form"),
        ("home/.gitconfig", "[include]\n\tpath = .gitconfig\n", "more than 10 levels deep"),
        ("w/.git/HEAD", "nonsense\n", "w/.git/HEAD` is not in a form"),
        ("w/.git/index", "nonsense\n", "w/.git/index` is not in a form"),
        ("w/.git/commondir", "nowhere\n", ""),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(path, content);
        let verdict = sandbox.judge("git status").verdict;
        match (verdict, reason) {
            // Git does not take it for a repository, and finds none above.
            (CommandVerdict::Match { .. }, "") => {}
            (CommandVerdict::Ask { why }, _) => assert!(why.contains(reason), "{path}: {why}"),
            (verdict, _) => panic!("{path}: {verdict:?}"),
        }
    }
}

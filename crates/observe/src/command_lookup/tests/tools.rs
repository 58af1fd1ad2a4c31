//! Tools that another program starts.

use super::*;
use countersign_commands::{ClassRule, ProgramFile};
use countersign_core::model::names::Action;
use std::os::unix::fs::PermissionsExt;

/// The class of a line's only command, and the files of the workspace that are pinned for it.
fn judge(workspace: &Workspace, line: &str) -> (Option<String>, usize) {
    let files = EveryProgram(RealFileSystem::new(NOBODY, ""));
    let root = workspace.path("w");
    let lookup = CommandLookup::new(&files, (Some(&root), Some(&root)), Some("/nohome"));
    let class = |name: &str, rules: &[&str]| {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        (Action::parse(name).unwrap(), rules)
    };
    let classes = [
        class("build.lint", &["tsc --noEmit *", "ruff check *"]),
        class("test.run", &["go test *", "jest *", "pnpm test *", "pytest *"]),
        class("git.status", &["git status *"]),
        class("files.delete", &["rm *"]),
    ];
    let rules = RuleSet::new(Vec::new()).with_classes(ClassRule::parse_all(&classes).unwrap());
    let judged = rules.judge(line, &lookup.context()).segments;
    let last = judged.last().unwrap();
    let pinned = match &last.program_file {
        ProgramFile::Replaceable { files, .. } => files.len(),
        _ => 0,
    };
    (last.class.as_ref().map(|class| class.action.to_string()), pinned)
}

fn install(workspace: &Workspace, tool: &str) {
    let folder = workspace.path("w/node_modules/.bin");
    fs::create_dir_all(&folder).unwrap();
    let file = format!("{folder}/{tool}");
    fs::write(&file, "\u{7f}ELF").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn a_tool_that_the_workspace_has_installed_is_covered_and_pinned() {
    let workspace = Workspace::new();
    install(&workspace, "tsc");
    for line in
        ["npx tsc --noEmit", "npx -y tsc --noEmit", "pnpm exec tsc --noEmit", "yarn tsc --noEmit"]
    {
        assert_eq!(judge(&workspace, line), (Some("build.lint".to_owned()), 1), "{line}");
    }
    for line in [
        "npx jest",
        "npx tsc@5 --noEmit",
        "npx -p x tsc --noEmit",
        "npx rm x",
        "pnpm rm x",
        "npx tsc --noEmit /etc/x.ts",
        "touch x && npx tsc --noEmit",
        "cd / && npx tsc --noEmit",
    ] {
        assert_eq!(judge(&workspace, line).0, None, "{line}");
    }
    let moved = workspace.path("w/node_modules/.bin/jest");
    symlink("../../../out/x", moved).unwrap();
    assert_eq!(judge(&workspace, "npx jest").0, None);
}

#[test]
fn runners_that_download_no_tool_are_looked_through() {
    let workspace = Workspace::new();
    for (line, class) in [
        ("npx --no-install jest", "test.run"),
        ("uv run --frozen pytest -q", "test.run"),
        ("uv run ruff check", "build.lint"),
        ("poetry run pytest", "test.run"),
        ("mise exec -- go test ./...", "test.run"),
        ("corepack pnpm test", "test.run"),
        ("rtk git status", "git.status"),
        ("time -p git status", "git.status"),
        ("command git status", "git.status"),
    ] {
        assert_eq!(judge(&workspace, line).0.as_deref(), Some(class), "{line}");
    }
    for line in [
        "uv run rm x",
        "uv run --with x pytest",
        "mise exec -- git status",
        "mise exec go@1 -- go test ./...",
        "rtk proxy sh -c x",
        "rtk test git status",
        "touch x && uv run pytest",
    ] {
        assert_eq!(judge(&workspace, line).0, None, "{line}");
    }
}

#[test]
fn deny_rules_look_behind_runners() {
    let workspace = Workspace::new();
    let root = workspace.path("w");
    let files = EveryProgram(RealFileSystem::new(NOBODY, ""));
    let lookup = CommandLookup::new(&files, (Some(&root), Some(&root)), Some("/nohome"));
    let rules = RuleSet::parse("deny rm *").unwrap();
    for line in ["npx rm x", "mise exec -- rm x", "uv run --with y rm x", "rtk rm x"] {
        let verdict = rules.judge(line, &lookup.context()).verdict;
        assert!(matches!(verdict, CommandVerdict::Deny { .. }), "{line}");
    }
}

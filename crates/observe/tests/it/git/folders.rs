//! `git -C DIR` is judged as the same command in DIR.

use super::sandbox::{ConfigPlace, Sandbox};
use countersign_commands::{ClassRule, CommandVerdict, RuleSet, SegmentJudgement};
use countersign_core::model::names::Action;
use countersign_core::model::place::{Bound, Place};
use std::fs;
use std::os::unix::fs::symlink;

/// The classes of the test: one that reads and one that writes.
fn rules() -> RuleSet {
    let class = |action: &str, rules: &[&str]| {
        (Action::parse(action).unwrap(), rules.iter().map(|rule| (*rule).to_owned()).collect())
    };
    let classes = [
        class("git.read", &["git status *", "git log *", "git diff *"]),
        class("git.add", &["git add *", "git commit *"]),
    ];
    RuleSet::parse("allow git log *").unwrap().with_classes(ClassRule::parse_all(&classes).unwrap())
}

/// Judges a line in the workspace `w`, beside which lies the repository `o`.
fn judge(sandbox: &Sandbox, line: &str) -> (CommandVerdict, SegmentJudgement) {
    let judgement = sandbox.judge_by(&rules(), "w", line);
    let segment = judgement.segments.last().unwrap().clone();
    (judgement.verdict, segment)
}

fn find_class(sandbox: &Sandbox, line: &str) -> Option<String> {
    let class = judge(sandbox, line).1.class;
    class.map(|class| class.action.to_string())
}

fn with_other_repository() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("o/sub")).unwrap();
    sandbox.run_git_in("o", &["init", "-q"]);
    symlink(sandbox.path("o"), sandbox.path("w/link")).unwrap();
    sandbox
}

#[test]
fn inside_the_workspace_a_command_has_the_class_and_rule_that_it_has_there() {
    let sandbox = with_other_repository();
    for (line, class) in [
        ("git -C sub status", "git.read"),
        ("git -C . -C sub status -s", "git.read"),
        ("git --no-pager -C sub -C .. log -1", "git.read"),
        ("git -C sub add .", "git.add"),
        ("cd sub && git -C .. add b.txt", "git.add"),
    ] {
        assert_eq!(find_class(&sandbox, line).as_deref(), Some(class), "{line}");
    }
    let (verdict, segment) = judge(&sandbox, "git -C sub log -1");
    assert!(matches!(verdict, CommandVerdict::Match { .. }), "{verdict:?}");
    assert_eq!(segment.paths.within, [Bound::Workspace]);
    let head = segment.head.as_ref().map(|head| head.words.join(" "));
    assert_eq!(head.as_deref(), Some("git log"));
}

#[test]
fn outside_only_what_reads_has_a_class_and_the_folder_is_read() {
    let sandbox = with_other_repository();
    for line in [
        "git -C ../o status",
        "git -C OTHER status",
        "git -C link status",
        "git -C ../w -C ../o/sub status",
    ] {
        let line = line.replace("OTHER", &sandbox.path("o"));
        let (verdict, segment) = judge(&sandbox, &line);
        assert!(segment.class.is_some(), "{line}: {:?}", segment.covering);
        assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{line}: {verdict:?}");
        assert!(segment.paths.places.contains(&vec![Place::ReadOutside]), "{line}: {segment:?}");
        assert_eq!(segment.head, None, "{line}");
    }
    // An allow rule would make it autonomous.
    let (verdict, _) = judge(&sandbox, "git -C ../o log -1");
    assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{verdict:?}");
    for line in ["git -C ../o add .", "git -C link commit -m x", "git -C sub -C ../../o add ."] {
        assert_eq!(find_class(&sandbox, line), None, "{line}");
    }
}

#[test]
fn what_does_not_lead_to_one_existing_folder_has_no_class() {
    let sandbox = with_other_repository();
    for line in [
        "git -C",
        "git -C status",
        "git -C missing status",
        "git -C b.txt status",
        "git -C '' status",
        "git -C link -C missing status",
        "git -C sub --git-dir=../.git status",
        "git -C sub -c core.fsmonitor=x status",
        "mkdir new && git -C new status",
        "mv sub other && git -C sub status",
    ] {
        assert_eq!(find_class(&sandbox, line), None, "{line}");
    }
}

#[test]
fn the_configuration_is_read_where_the_command_runs() {
    let sandbox = with_other_repository();
    assert!(find_class(&sandbox, "git -C ../o status").is_some());
    sandbox.run_git_in("o", &["config", "core.fsmonitor", "./x"]);
    assert_eq!(find_class(&sandbox, "git -C ../o status"), None);
    assert!(find_class(&sandbox, "git -C sub status").is_some());
    sandbox.plant(&[("core.fsmonitor", "PROGRAM")], ConfigPlace::Repository);
    assert_eq!(find_class(&sandbox, "git -C sub status"), None);
}

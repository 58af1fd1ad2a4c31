//! Every setting that names a program, on real repositories: real git runs the planted program, and
//! then no rule covers the command. With a clean configuration the rule does.

mod cases;
mod folders;
mod parser;
mod repositories;
mod sandbox;

use cases::{CASES, Case, Executed, Seen};
use countersign_commands::CommandVerdict;
use sandbox::{ConfigPlace, Sandbox};

fn check(case: &Case, place: ConfigPlace) {
    let sandbox = Sandbox::new();
    let context = format!("{:?}: {} in {place:?}", case.settings, case.line);
    let clean = sandbox.judge(case.line);
    let is_match = matches!(clean.verdict, CommandVerdict::Match { .. });
    assert!(is_match, "{context}: {:?}", clean.verdict);
    sandbox.plant(case.settings, place);
    let planted = sandbox.judge(case.line);
    let CommandVerdict::Ask { why } = &planted.verdict else {
        panic!("{context}: {:?}", planted.verdict);
    };
    assert!(why.contains("git"), "{context}: {why}");
    let [segment] = planted.segments.as_slice() else { panic!("{context}") };
    let was_seen = sandbox.runs_planted(&segment.segment.argv);
    match case.seen {
        Seen::Always => assert!(was_seen, "{context}: git did not run it"),
        Seen::FromHome => assert_eq!(was_seen, place == ConfigPlace::Home, "{context}"),
        Seen::Sometimes => {}
        Seen::Never => assert!(!was_seen, "{context}: git ran it after all"),
    }
    // How `run` executes a command does not depend on the file: two places are enough.
    if place == ConfigPlace::Included {
        return;
    }
    let second = Sandbox::new();
    second.plant(case.settings, place);
    let executed = second.judge(case.line).segments[0].invocation().argv;
    let is_run = second.runs_planted(&executed);
    match case.executed {
        Executed::WithoutIt => assert!(!is_run, "{context}: executed with the planted program"),
        Executed::WithIt => assert_eq!(is_run, was_seen, "{context}: ruled out after all"),
    }
}

fn check_cases(place: ConfigPlace) {
    for case in CASES {
        check(case, place);
    }
}

#[test]
fn a_program_that_the_repository_configures_makes_a_command_ask() {
    check_cases(ConfigPlace::Repository);
}

#[test]
fn a_program_that_an_included_file_configures_makes_a_command_ask() {
    check_cases(ConfigPlace::Included);
}

#[test]
fn a_program_that_the_home_folder_configures_makes_a_command_ask() {
    check_cases(ConfigPlace::Home);
}

#[test]
fn a_hook_makes_the_commands_that_run_it_ask() {
    for (hook, line, other) in [
        ("pre-commit", "git commit -m x", "git status"),
        ("commit-msg", "git commit -m x", "git add ."),
        ("post-index-change", "git status", "git log"),
        ("post-checkout", "git checkout -q -- a.one b.txt", "git diff"),
        ("reference-transaction", "git branch new", "git diff"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.plant_hook(hook);
        let judgement = sandbox.judge(line);
        let CommandVerdict::Ask { why } = &judgement.verdict else { panic!("{judgement:?}") };
        assert!(why.contains(&format!("a hook `{hook}`")), "{why}");
        let segment = &judgement.segments[0];
        assert!(!sandbox.runs_planted(&segment.invocation().argv), "{hook}: {line}");
        let sandbox = Sandbox::new();
        sandbox.plant_hook(hook);
        assert!(sandbox.runs_planted(&segment.segment.argv), "{hook}: {line}");
        assert!(matches!(sandbox.judge(other).verdict, CommandVerdict::Match { .. }), "{other}");
        assert!(!sandbox.runs_planted(&sandbox.judge(other).segments[0].argv), "{hook}: {other}");
    }
}

#[test]
fn settings_that_name_no_program_change_nothing() {
    let sandbox = Sandbox::new();
    for (key, value) in [
        ("core.fsmonitor", "true"),
        ("core.pager", "cat"),
        ("core.editor", ":"),
        ("core.sshCommand", "ssh"),
        ("commit.gpgSign", "false"),
        ("log.showSignature", "no"),
        ("diff.submodule", "short"),
        ("filter.one.clean", ""),
        ("filter.one.required", "true"),
        ("diff.one.xfuncname", "x"),
        ("credential.helper", ""),
        ("pager.log", "false"),
        ("http.sslVerify", "true"),
        ("protocol.ext.allow", "never"),
        ("user.signingKey", "x"),
    ] {
        sandbox.plant(&[(key, value)], ConfigPlace::Repository);
    }
    for line in cases::LINES {
        let judgement = sandbox.judge(line);
        let is_match = matches!(judgement.verdict, CommandVerdict::Match { .. });
        assert!(is_match, "{line}: {:?}", judgement.verdict);
    }
}

#[test]
fn options_in_front_of_the_subcommand_ask() {
    let sandbox = Sandbox::new();
    for line in ["git --git-dir=x status", "git --work-tree x status", "git -c core.pager=x log"] {
        let verdict = sandbox.judge(line).verdict;
        assert!(matches!(verdict, CommandVerdict::Ask { .. }), "{line}: {verdict:?}");
    }
    let verdict = sandbox.judge("git --no-pager log").verdict;
    assert!(matches!(verdict, CommandVerdict::Match { .. }), "{verdict:?}");
}

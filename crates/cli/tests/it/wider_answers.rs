//! Answers to command lines that go further than the exact command, and the programs that a yes pins.

use crate::daemon::Daemon;
use crate::desk::{Desk, code, first_id, is_printed_id};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

const GRAPH: &str = "\
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: moderate}}}
  git: {autonomous: [], requires_approval: [log], blocked: [], actions: {log: {risk: moderate}}}
commands: {classes: {git.log: [git log *]}}
tools: {Bash: {actions: [shell.run], command: /command}}
";

fn open() -> Daemon {
    let daemon = Daemon::on(Desk::new().with("countersign.yaml", GRAPH), &[]);
    std::fs::create_dir(daemon.desk.path("shop")).unwrap();
    daemon
}

/// The exit code for a command line in the folder `shop`.
fn ask(daemon: &Daemon, line: &str) -> i32 {
    let args = json!({"command": line}).to_string();
    let mut command =
        daemon.desk.command(&["gate", "--session", "s1", "--tool", "Bash", "--args", &args]);
    command.current_dir(daemon.desk.path("shop"));
    command.env("COUNTERSIGN_DATA", daemon.desk.path("data"));
    code(&command.output().unwrap())
}

fn approve(daemon: &Daemon, words: &[&str]) -> String {
    daemon.desk.run(&[&["approve", &daemon.waiting()], words].concat())
}

#[test]
fn a_yes_goes_as_far_as_it_says() {
    for (words, granted, covered, not_covered) in [
        (&["--session"][..], "the command `git log -5`", "git log -5", "git log -6"),
        (
            &["--session", "--covers", "command"],
            "the command `git log -5`",
            "git log -5",
            "git log -6",
        ),
        (
            &["--for", "session", "--covers", "head"],
            "any `git log …` in this workspace",
            "git log -6",
            "ls",
        ),
        (
            &["--for", "1h", "--covers", "actions"],
            "showing the git log in this workspace",
            "git log -6",
            "ls",
        ),
    ] {
        let daemon = open();
        assert_eq!(ask(&daemon, "git log -5"), 8);
        let answer = approve(&daemon, words);
        assert!(answer.contains(&format!("answered: you allowed {granted}, ")), "{answer}");
        assert_eq!(ask(&daemon, covered), 0, "{words:?}");
        assert_eq!(ask(&daemon, not_covered), 8, "{words:?}");
    }
}

#[test]
fn a_grant_of_a_head_is_listed_and_revoked() {
    let daemon = open();
    assert_eq!(ask(&daemon, "git log -5"), 8);
    approve(&daemon, &["--session", "--covers", "head"]);
    for words in [&["grants"][..], &["inspect", "--permissions"], &["log", "--verbose"]] {
        let listed = daemon.desk.run(words);
        assert!(listed.contains("any `git log …`"), "{words:?}: {listed}");
    }
    let grants = daemon.desk.run(&["grants", "--json"]);
    assert_eq!(daemon.desk.code(&["revoke", &first_id(&grants, 'g').unwrap()]), 0);
    assert_eq!(ask(&daemon, "git log -6"), 8);
}

#[test]
fn a_coverage_that_is_not_offered_answers_nothing() {
    let daemon = open();
    assert_eq!(ask(&daemon, "git log -5"), 8);
    for (words, exit) in [
        (&["--project", "--covers", "head"][..], "exit: 1"),
        (&["--session", "--covers", "everything"], "exit: 2"),
        (&["--covers", "head"], "exit: 2"),
        (&["--once", "--covers", "head"], "exit: 2"),
        (&["--task", "--covers", "head"], "exit: 2"),
    ] {
        let refused = approve(&daemon, words);
        assert!(refused.contains(exit) && !refused.contains("answered"), "{words:?}: {refused}");
    }
    assert_eq!(ask(&daemon, "git log -5"), 8, "the request stays open");
}

#[test]
fn a_card_says_how_many_approvals_a_wider_choice_would_have_spared() {
    let daemon = open();
    for line in ["git log -1", "git log -2", "git log -3"] {
        assert_eq!(ask(&daemon, line), 8);
        if line != "git log -3" {
            approve(&daemon, &[]);
        }
    }
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    let said = "choice session head: any `git log …` in this workspace, for this session, a day at most, \
                would have spared 1 of your approvals";
    assert!(card.contains(said), "{card}");
    let listed: Value =
        serde_json::from_str(daemon.desk.run(&["ls", "--json"]).split("exit:").next().unwrap())
            .unwrap();
    assert!(listed.to_string().contains(r#""spared":1"#), "{listed}");
}

/// A program that the agent's user can replace.
fn write_program(daemon: &Daemon, text: &str) {
    let path = daemon.desk.path("shop/tool");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_yes_pins_the_program_that_the_card_shows() {
    let daemon = open();
    write_program(&daemon, "#!/bin/sh\necho one\n");
    assert_eq!(ask(&daemon, "./tool x"), 8);
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    assert!(card.contains("program: HERE/shop/tool (sha256 "), "{card}");
    let said = "which the agent could replace; a yes pins this content for the project";
    assert!(card.contains(said), "{card}");
    approve(&daemon, &["--session"]);
    assert_eq!(ask(&daemon, "./tool x"), 0);
    let grants = daemon.desk.run(&["grants"]);
    let (covering, pinned) = grants.split_once("pinned programs").unwrap();
    assert!(covering.contains("command `./tool x`") && !covering.contains("sha"), "{grants}");
    assert!(pinned.contains("HERE/shop/tool ("), "{grants}");
    write_program(&daemon, "#!/bin/sh\necho two\n");
    assert_eq!(ask(&daemon, "./tool x"), 8, "another content");
}

#[test]
fn without_its_pin_a_program_asks_again() {
    let daemon = open();
    write_program(&daemon, "#!/bin/sh\necho one\n");
    assert_eq!(ask(&daemon, "./tool x"), 8);
    approve(&daemon, &["--session"]);
    let grants = daemon.desk.run(&["grants"]);
    let (_, pinned) = grants.split_once("pinned programs").unwrap();
    let pin = pinned.split_whitespace().find(|word| is_printed_id(word, 7)).unwrap();
    assert_eq!(daemon.desk.code(&["revoke", pin]), 0);
    assert_eq!(ask(&daemon, "./tool x"), 8);
}

#[test]
fn a_longer_yes_to_a_named_script_holds_while_its_content_stays() {
    let daemon = open();
    let write = |name: &str, text: &str| {
        std::fs::write(daemon.desk.path("shop").join(name), text).unwrap();
    };
    write("build.sh", "true\n");
    let line = "sh build.sh --all";
    assert_eq!(ask(&daemon, line), 8);
    let answer = approve(&daemon, &["--session"]);
    assert!(answer.contains("HERE/shop/build.sh"), "{answer}");
    assert_eq!(ask(&daemon, line), 0);
    write("build.sh", "rm -r ~\n");
    assert_eq!(ask(&daemon, line), 8);
}

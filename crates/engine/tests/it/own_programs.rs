//! Programs that no table describes, and scripts of the workspace, where the graph has a class for them.

use crate::pins::Home;
use crate::world::yes;
use countersign_core::model::request::{Answer, AnswerChoices};
use countersign_core::model::words::{Choice, Covers, Outcome, Reason, Risk};
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::AnswerTarget;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const GRAPH: &str = "
domains:
  shell:
    autonomous: []
    requires_approval: [run, program]
    blocked: []
    actions: {run: {risk: high}, program: {risk: moderate}}
  files: {autonomous: [search, edit], requires_approval: [], blocked: []}
commands:
  classes: {files.search: [rg *], shell.program: [PROGRAM WORD, PROGRAM SCRIPT]}
";

/// A home in which the program `bd` was seen.
fn home() -> Home {
    let home = Home::with_graph(GRAPH);
    for name in ["bd", "git", "rg", "claude", "python3"] {
        home.write_named(name, name);
    }
    for line in ["bd list", "rg a src", "claude --version x"] {
        home.approve_once(line);
    }
    home
}

/// The actions of a line, and their highest risk.
fn classify(home: &Home, line: &str) -> (String, Risk) {
    let checked = home.check(line);
    let verdicts = &checked.decision().verdicts;
    let actions: Vec<&str> = verdicts.iter().map(|verdict| verdict.action.as_str()).collect();
    (actions.join(" "), verdicts.iter().map(|verdict| verdict.risk).max().unwrap())
}

fn write_script(home: &Home, name: &str, text: &str) {
    let path = format!("{}/w/{name}", home.root);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn a_program_of_ones_own_is_moderate_once_it_was_seen() {
    let home = home();
    let own = ("shell.program".to_owned(), Risk::Moderate);
    for line in [
        "bd show x",
        "bd --json show x",
        "bd",
        "bd --json",
        "bd src/a.rs",
        "bd create --title 'fix: see https://example.org' src",
        "cd src && bd show x 2>&1 | rg b",
        "bd show x && bd list",
        "bd push --help",
    ] {
        let found = classify(&home, line);
        let is_own = found.0.starts_with("shell.program") && found.1 == Risk::Moderate;
        assert!(is_own, "{line}: {found:?}");
    }
    assert_eq!(classify(&home, "bd show y"), own);
    home.write_named("bd", "second");
    assert_eq!(classify(&home, "bd show y"), ("shell.run".to_owned(), Risk::High));
}

#[test]
fn what_leaves_deletes_or_starts_stays_high() {
    for line in [
        "bd push",
        "bd dolt push",
        "bd sync --now",
        "bd issue delete 5",
        "bd list --force",
        "bd run x",
        "bd exec x",
        "bd list -- x",
        "bd list git",
        "bd list 'git push origin'",
        "bd list --with=git",
        "bd list https://example.org",
        "bd list me@example.org",
        "bd list example.org:x",
        "bd list /etc/passwd",
        "bd list --file=../x",
        "bd list ~/x",
        "bd list .env",
        "bd list $(git push)",
        "bd --db x list",
        "X=1 bd list",
        "sudo bd list",
        "for a in b c; do bd list $a; done",
        "bd list <<< text",
        "claude -p hello",
        "python3 -c pass",
    ] {
        assert_eq!(classify(&home(), line), ("shell.run".to_owned(), Risk::High), "{line}");
    }
}

#[test]
fn a_yes_is_for_the_program_and_its_first_word() {
    let home = home();
    assert!(matches!(home.approve_heads("bd show x"), AnswerReply::Accepted { .. }));
    for line in ["bd show y", "bd --json show z", "cd src && bd show a | rg b"] {
        assert_eq!(home.decide(line).1, Reason::Granted, "{line}");
    }
    for line in ["bd close x", "bd", "bd show x && bd close x", "bd show git", "bd show --force"] {
        assert_eq!(home.decide(line).0, Outcome::Ask, "{line}");
    }
}

#[test]
fn no_yes_is_to_all_such_programs() {
    let home = home();
    let answer =
        Answer { say: AnswerChoices::One(Choice::Session), covers: Some(Covers::Actions), ..yes() };
    let asked = home.ask("bd show x");
    let reply = home.engine.answer(AnswerTarget::Call(asked), &answer).unwrap().reply;
    assert!(matches!(reply, AnswerReply::Refused(_)), "{reply:?}");
}

#[test]
fn beside_other_items_a_yes_to_the_actions_is_one_to_the_heads() {
    let home = home();
    let answer =
        |covers| Answer { say: AnswerChoices::One(Choice::Session), covers: Some(covers), ..yes() };
    let asked = home.ask("bd show x && bd close y");
    let given = home.engine.answer(AnswerTarget::Call(asked), &answer(Covers::Actions)).unwrap();
    assert!(matches!(given.reply, AnswerReply::Accepted { .. }), "{:?}", given.reply);
    for line in ["bd show z", "bd close z"] {
        assert_eq!(home.decide(line).1, Reason::Granted, "{line}");
    }
    assert_eq!(home.decide("bd edit z").0, Outcome::Ask);
}

#[test]
fn a_program_that_is_not_there_counts_once_that_was_seen() {
    let home = home();
    assert_eq!(classify(&home, "frob list").0, "shell.run");
    home.approve_once("frob list");
    assert_eq!(classify(&home, "frob show x"), ("shell.program".to_owned(), Risk::Moderate));
    home.write_named("frob", "put there later");
    assert_eq!(classify(&home, "frob show x").0, "shell.run");
}

#[test]
fn a_script_of_the_workspace_is_its_own_head_while_its_content_stays() {
    let home = home();
    write_script(&home, "tool.sh", "#!/bin/sh\ntrue\n");
    assert_eq!(classify(&home, "./tool.sh one").0, "shell.run");
    home.approve_once("./tool.sh one");
    let own = ("shell.program".to_owned(), Risk::Moderate);
    assert_eq!(classify(&home, "./tool.sh two --three"), own);
    assert!(matches!(home.approve_heads("./tool.sh two --three"), AnswerReply::Accepted { .. }));
    for same in ["./tool.sh one", "cd src && ../tool.sh one"] {
        assert_eq!(home.decide(same).1, Reason::Granted, "{same}");
    }
    for asks in [
        "./tool.sh two --three https://example.org",
        "echo x >> tool.sh && ./tool.sh one",
        "./tool.sh delete",
    ] {
        assert_eq!(home.decide(asks).0, Outcome::Ask, "{asks}");
    }
    write_script(&home, "tool.sh", "#!/bin/sh\nfalse\n");
    assert_eq!(classify(&home, "./tool.sh one").0, "shell.run");
    write_script(&home, "deploy.sh", "#!/bin/sh\ntrue\n");
    home.approve_once("./deploy.sh one");
    assert_eq!(classify(&home, "./deploy.sh two").0, "shell.run");
}

#[test]
fn a_script_of_an_interpreter_has_the_class_but_no_head() {
    let home = home();
    write_script(&home, "gen.py", "pass\n");
    home.approve_once("python3 gen.py one");
    let own = ("shell.program".to_owned(), Risk::Moderate);
    assert_eq!(classify(&home, "python3 gen.py two"), own);
    assert!(matches!(home.approve_heads("python3 gen.py two"), AnswerReply::Refused { .. }));
    write_script(&home, "gen.py", "exit(1)\n");
    assert_eq!(classify(&home, "python3 gen.py two").0, "shell.run");
}

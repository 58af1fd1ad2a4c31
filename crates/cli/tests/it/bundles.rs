//! Cards with several items, answered from the command line.

use crate::daemon::Daemon;
use crate::desk::Desk;
use insta::assert_snapshot;

const GRAPH: &str = "\
domains:
  files: {autonomous: [], requires_approval: [write, move, tidy], blocked: []}
";

/// A call that declares two more actions.
const CALL: [&str; 9] = [
    "gate",
    "--session",
    "s1",
    "--action",
    "files.tidy",
    "--declares",
    "files.write",
    "--declares",
    "files.move",
];

fn open() -> (Daemon, String) {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    assert_eq!(daemon.desk.code(&CALL), 8);
    let id = daemon.waiting();
    (daemon, id)
}

/// The lines behind the card.
fn answer(daemon: &Daemon, words: &[&str]) -> String {
    let printed = daemon.run(words);
    let told = printed.lines().filter(|line| {
        ["answered", "stderr: error", "stderr: help", "  help", "exit"]
            .iter()
            .any(|head| line.starts_with(head))
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_item_takes_its_own_choice() {
    let (daemon, id) = open();
    assert_snapshot!(answer(&daemon, &["approve", &id]), @"
    stderr: error: the card has 3 items, and each one is answered
    exit: 2
    ");
    let items = ["--item", "files.tidy=once", "--item", "files.write=session"];
    assert_snapshot!(answer(&daemon, &[&["approve", id.as_str()][..], &items].concat()), @"
    answered: you allowed files.tidy, once
    answered: you allowed writing files, session
    exit: 0
    ");
    assert_eq!(daemon.desk.code(&CALL), 8);
    assert_snapshot!(answer(&daemon, &["approve", &id, "--item", "files.move=once"]), @"
    answered: you allowed files.move, once
    exit: 0
    ");
    assert_eq!(daemon.desk.code(&CALL), 0);
    assert_eq!(daemon.desk.code(&["approve", &id, "--item", "files.move=often"]), 2);
    assert_eq!(daemon.desk.code(&["approve", &id, "--item", "files.move"]), 2);
}

#[test]
fn all_moderate_items_are_allowed_at_once() {
    let (daemon, id) = open();
    assert_snapshot!(answer(&daemon, &["approve", &id, "--all-moderate", "--session"]), @r#"
    answered: you allowed moving files, session
    answered: you allowed everything like "Tidy (files)", session
    answered: you allowed writing files, session
    exit: 0
    "#);
    assert_eq!(daemon.desk.code(&CALL), 0);
}

#[test]
fn a_decline_is_about_all_of_the_card() {
    let (daemon, id) = open();
    assert_snapshot!(answer(&daemon, &["decline", &id, "--note", "not today"]), @"
    answered: you declined files.move
    answered: you declined files.tidy
    answered: you declined files.write
    exit: 0
    ");
    assert_eq!(daemon.desk.code(&CALL), 3);
}

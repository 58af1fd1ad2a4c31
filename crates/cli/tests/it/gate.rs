//! `gate`: a call of a script, with everything that a call can have.

use crate::daemon::Daemon;

const GATE: [&str; 3] = ["gate", "--session", "s1"];

fn gate(daemon: &Daemon, words: &[&str]) -> String {
    daemon.desk.run(&[&GATE[..], words].concat())
}

#[test]
fn arguments_that_are_not_an_object_are_refused() {
    let daemon = Daemon::open();
    for args in ["[]", "1", "\"x\"", "null", "{", ""] {
        let printed = gate(&daemon, &["--action", "email.read", "--args", args]);
        assert!(
            printed.ends_with("exit: 2") && printed.contains("JSON object"),
            "{args}: {printed}"
        );
    }
    assert!(gate(&daemon, &["--action", "email.read", "--args", "{}"]).ends_with("exit: 0"));
}

#[test]
fn the_end_of_an_allowed_call_is_reported_with_the_printed_command() {
    let daemon = Daemon::open();
    let printed = gate(&daemon, &["--action", "email.read"]);
    let (_, command) = printed.split_once("when it has ended: countersign ").unwrap();
    let command = command.split(" (or --failed)").next().unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(daemon.desk.run(&words), "the end of the call is recorded\nexit: 0");
    let failed: Vec<&str> =
        words.iter().map(|word| if *word == "--done" { "--failed" } else { word }).collect();
    assert_eq!(daemon.desk.code(&failed), 1, "it has ended already");
    assert_eq!(daemon.desk.code(&[&GATE[..], &["--done", "3e22a1"]].concat()), 2);
    // What asks is not allowed yet, so there is nothing to report.
    assert!(!gate(&daemon, &["--action", "email.delete"]).contains("when it has ended"));
}

#[test]
fn a_call_takes_folder_confidence_category_fallback_declared_actions_run_and_project() {
    let daemon = Daemon::open();
    let words = [
        "--action",
        "email.delete",
        "--cwd",
        ".",
        "--confidence",
        "0.9",
        "--category",
        "purchase",
        "--fallback",
        "I archive it",
        "--declares",
        "email.pay",
    ];
    assert!(gate(&daemon, &words).ends_with("exit: 8"));
    let shown = daemon.desk.run(&["ls", "--json"]);
    assert!(shown.contains("I archive it"), "{shown}");
    let call = daemon.desk.run(&["ledger", "export"]).replace("\\\"", "\"");
    assert!(call.contains("\"confidence\":0.9") && call.contains("email.pay"), "{call}");
    assert!(call.contains("\"categories\":[\"purchase\"]"), "{call}");
    assert!(shown.contains("\"HERE\""), "the folder is absolute: {shown}");
    assert!(gate(&daemon, &["--action", "email.delete", "--confidence", "2"]).ends_with("exit: 2"));
    assert!(gate(&daemon, &["--action", "email.delete", "--cwd", "nowhere"]).ends_with("exit: 1"));
    let printed = gate(&daemon, &["--action", "email.read", "--project", "shop"]);
    assert!(printed.contains("is not an existing folder"), "{printed}");
    let run = "w3e22a1019b8d16e8e070008000000000";
    assert!(gate(&daemon, &["--action", "email.read", "--run", run]).ends_with("exit: 5"));
    assert!(gate(&daemon, &["--action", "email.read", "--run", "x"]).ends_with("exit: 2"));
}

//! `ask`, `consent`, `workflow start` and `gesture`: what a script does as an agent.

use crate::daemon::Daemon;
use crate::desk::{Desk, is_printed_id};
use serde_json::Value;

const ASK: [&str; 6] = ["ask", "--session", "s1", "--reasoning", "the schema changed", "--json"];
const GRAPH: &str = "\
domains:
  notes: {autonomous: [read], requires_approval: [add], blocked: []}
workflows:
  tidy: {actions: [notes.read, notes.add], steps: [{name: collect, actions: [notes.add]}]}
";

/// The first id of this kind among printed words.
fn printed_id(text: &str, letter: char) -> Option<String> {
    let mut words = text.split_whitespace();
    words.find(|word| word.starts_with(letter) && is_printed_id(word, 33)).map(str::to_owned)
}

/// The exit code and the JSON on stdout.
fn reply(daemon: &Daemon, words: &[&str]) -> (i32, Value) {
    let output = daemon.desk.output(words);
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap_or(Value::Null);
    (output.status.code().unwrap(), value)
}

fn ask(daemon: &Daemon, words: &[&str]) -> (i32, Value) {
    reply(daemon, &[&ASK[..], words].concat())
}

#[test]
fn a_script_asks_ahead_and_reads_the_answer_later() {
    let daemon = Daemon::open();
    let write = ["--category", "filesystem_write", "--scope", "this_session", "Write the notes"];
    let (code, asked) = ask(&daemon, &write);
    assert_eq!((code, &asked["status"]), (8, &Value::from("pending")));
    let id = asked["request_id"].as_str().unwrap();
    let read = ["ask", "--session", "s1", "--json", "--id", id];
    assert_eq!(reply(&daemon, &read).0, 8);
    daemon.desk.run(&["approve", &daemon.waiting(), "--for", "15m", "--note", "only today"]);
    let (code, found) = reply(&daemon, &read);
    assert_eq!((code, &found["scope_granted"]), (0, &Value::from("15m")));
    assert_eq!(found["operator_note"], "only today");
    // The narrowed yes answers the same wish again.
    let (code, again) = ask(&daemon, &write);
    assert_eq!((code, &again["grant_id"]), (0, &found["grant_id"]));
    daemon.desk.run(&["revoke", found["grant_id"].as_str().unwrap()]);
    assert_eq!(reply(&daemon, &read).0, 7);
}

#[test]
fn each_answer_has_its_exit_code() {
    let daemon = Daemon::open();
    let push = ["--category", "git_push", "Push it"];
    let asked = ask(&daemon, &push).1;
    daemon.desk.run(&["decline", &daemon.waiting(), "--note", "not now"]);
    let id = asked["request_id"].as_str().unwrap();
    assert_eq!(reply(&daemon, &["ask", "--session", "s1", "--json", "--id", id]).0, 3);
    assert_eq!(ask(&daemon, &push).0, 3, "a decline sticks");
    let asked = ask(&daemon, &["--category", "deploy", "Deploy it"]).1;
    let id = asked["request_id"].as_str().unwrap();
    let withdrawn = daemon.desk.run(&["ask", "--session", "s1", "--withdraw", id]);
    assert_eq!(withdrawn, "the question is withdrawn\nexit: 0");
    assert_eq!(reply(&daemon, &["ask", "--session", "s1", "--json", "--id", id]).0, 6);
    assert_eq!(daemon.desk.code(&["ask", "--session", "s1", "Do it"]), 2, "without a reason");
    assert_eq!(ask(&daemon, &["--scope", "for_ever", "Do it"]).0, 2);
}

#[test]
fn a_yes_to_a_critical_category_is_no_exit_code_zero() {
    let daemon = Daemon::open();
    let asked = ask(&daemon, &["--category", "purchase", "Buy it"]).1;
    let request = daemon.waiting();
    let card = daemon.desk.run(&["show", &request]);
    assert!(card.contains("it gives no permission"), "{card}");
    let typed = reply(&daemon, &["show", &request, "--json"]).1;
    let typed = typed["card"]["confirm"]["typed"].as_str().unwrap().to_owned();
    let approved = daemon.desk.run(&["approve", &request, "--confirm", &typed]);
    assert!(approved.ends_with("exit: 0"), "{approved}");
    let id = asked["request_id"].as_str().unwrap();
    let (code, found) = reply(&daemon, &["ask", "--session", "s1", "--json", "--id", id]);
    assert_eq!((code, &found["status"]), (8, &Value::from("approved")));
    assert_eq!(found["granted"], false);
}

#[test]
fn a_run_is_driven_from_a_script_and_survives_a_restart() {
    let mut daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    let start = ["workflow", "start", "tidy", "--session", "s1"];
    let started = daemon.desk.run(&start);
    assert!(started.ends_with("exit: 8"), "{started}");
    let run = printed_id(&started, 'w').unwrap();
    let own = |command: &str| daemon.desk.run(&["workflow", command, &run, "--session", "s1"]);
    assert!(own("status").ends_with("exit: 8"));
    assert!(own("end").ends_with("exit: 8"));
    daemon.desk.run(&["approve", &daemon.waiting()]);
    assert!(own("status").ends_with("exit: 0"));
    let add = |daemon: &Daemon| {
        let gate = ["gate", "--session", "s1", "--action", "notes.add", "--run", &run];
        daemon.desk.code(&gate)
    };
    assert_eq!(add(&daemon), 0);
    daemon.restart();
    let own = |command: &str| daemon.desk.run(&["workflow", command, &run, "--session", "s1"]);
    let suspended = own("status");
    assert!(suspended.contains("suspended") && suspended.ends_with("exit: 8"), "{suspended}");
    assert_eq!(add(&daemon), 8, "a suspended run carries nothing");
    let elsewhere = ["workflow", "reattach", &run, "--session", "s2"];
    assert_eq!(daemon.desk.code(&elsewhere), 1);
    assert_eq!(own("reattach"), "the run is live\nexit: 0");
    let other =
        ["gate", "--session", "s1", "--action", "notes.add", "--run", &run, "--target", "b"];
    assert_eq!(daemon.desk.code(&other), 0);
    assert_eq!(own("end"), "the run is ended\nexit: 0");
    let ended = own("status");
    assert!(ended.contains("completed") && ended.ends_with("exit: 7"), "{ended}");
    daemon.restart();
    assert_eq!(daemon.desk.code(&["workflow", "reattach", &run, "--session", "s1"]), 1);
}

#[test]
fn a_declined_start_says_consent_denied() {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[]);
    let start = ["workflow", "start", "tidy", "--session", "s1"];
    let run = printed_id(&daemon.desk.run(&start), 'w').unwrap();
    daemon.desk.run(&["decline", &daemon.waiting()]);
    let status = daemon.desk.run(&["workflow", "status", &run, "--session", "s1"]);
    assert!(status.contains("consent denied") && status.ends_with("exit: 3"), "{status}");
    assert_eq!(daemon.desk.code(&["workflow", "end", &run, "--session", "s1"]), 3);
    assert_eq!(daemon.desk.code(&start), 3);
}

#[test]
fn an_agent_lists_its_consent_and_ends_its_session() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    daemon.desk.run(&["approve", &daemon.waiting(), "--session"]);
    let listed = daemon.desk.run(&["consent", "--session", "s1"]);
    assert!(listed.contains("email.delete") && listed.contains("this_session"), "{listed}");
    let ended = daemon.desk.run(&["session", "end", "s1", "--as-agent"]);
    assert!(ended.contains("has ended"), "{ended}");
    let listed = daemon.desk.run(&["consent", "--session", "s1"]);
    assert!(listed.contains("no grant is in force"), "{listed}");
    let log = daemon.desk.run(&["ledger", "export"]);
    assert!(log.contains("session_ended") && log.contains("agent"), "{log}");
}

#[test]
fn a_gesture_is_made_and_closed_from_a_script() {
    let daemon = Daemon::open();
    let make = ["gesture", "make", "--session", "desk", "--declares", "email.delete"];
    assert_eq!(daemon.desk.code(&make), 1, "there is no such session");
    let made = daemon.desk.run(&[&make[..], &["--agent", "coder"]].concat());
    let id = printed_id(&made, 't').unwrap();
    let close = ["gesture", "close", &id, "--session", "desk", "--agent", "coder"];
    assert_eq!(daemon.desk.run(&close), "the gesture is closed\nexit: 0");
    assert_eq!(daemon.desk.run(&close), "the gesture was over already\nexit: 0");
}

#[test]
fn a_yes_for_the_project_holds_in_the_next_session() {
    let daemon = Daemon::on(Desk::new().with("shop/notes.txt", ""), &[]);
    let gate = |session: &str, project: &str| {
        let words =
            ["gate", "--session", session, "--action", "email.delete", "--project", project];
        let mut command = daemon.desk.command(&words);
        command.current_dir(daemon.desk.path("shop"));
        command.env("COUNTERSIGN_DATA", daemon.desk.path("data"));
        command.output().unwrap()
    };
    assert_eq!(gate("s1", ".").status.code(), Some(8));
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    assert!(card.contains("HERE/shop"), "{card}");
    let approved = daemon.desk.run(&["approve", &daemon.waiting(), "--project"]);
    assert!(approved.ends_with("exit: 0"), "{approved}");
    assert_eq!(gate("s2", ".").status.code(), Some(0));
    // The folder above holds the daemon's files and a home.
    let refused = gate("s3", "..");
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("home folder") || text.contains("own files"), "{text}");
}

//! `say`, and the same sentences typed in `watch`.

use crate::daemon::Daemon;
use crate::desk::{Desk, code};
use crate::watch::TestTerminal;
use insta::assert_snapshot;

/// `git push` and `make` in a session without a folder.
const GRAPH: &str = "\
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: []}
tools:
  Bash: {actions: [shell.run], command: /command}
";

fn open() -> Daemon {
    Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[])
}

fn run_command(daemon: &Daemon, session: &str, line: &str) -> i32 {
    let args = format!("{{\"command\": \"{line}\"}}");
    let words = ["gate", "--session", session, "--tool", "Bash", "--args", &args];
    let mut command = daemon.desk.command(&words);
    // A folder with our own files in it is no workspace.
    let folder = daemon.desk.path("work");
    std::fs::create_dir_all(&folder).unwrap();
    command.current_dir(folder).env("COUNTERSIGN_DATA", daemon.desk.path("data"));
    code(&command.output().unwrap())
}

/// After a stop people watch whether anything still runs, look into the log, and go on later.
#[test]
fn after_a_stop_nothing_runs_until_the_operator_goes_on() {
    let mut daemon = open();
    assert_eq!(run_command(&daemon, "s1", "frobnicate"), 8);
    daemon.run(&["say", "s1", "Grant standing consent for: frobnicate"]);
    assert_eq!(run_command(&daemon, "s1", "frobnicate"), 0);
    let stopped = daemon.run(&["say", "s1", "stop"]);
    assert!(stopped.contains("1 standing command kept"), "{stopped}");
    daemon.restart();
    for question in ["stop", "What have I consented to?", "Revoke consent for: nothing"] {
        daemon.run(&["say", "s1", question]);
        assert_eq!(run_command(&daemon, "s1", "frobnicate"), 5, "{question}");
    }
    let log = daemon.run(&["log", "--verbose"]);
    assert!(log.contains("stopped"), "{log}");
    let agent = format!("uid-{}", rustix::process::geteuid().as_raw());
    assert_eq!(daemon.desk.code(&["resume", &agent]), 0);
    assert_eq!(run_command(&daemon, "s1", "frobnicate"), 0);
    assert!(daemon.run(&["log", "--verbose"]).contains("you let the session go on after a stop"));
    let again = daemon.run(&["resume", &agent]);
    assert!(again.contains("is not paused, and none of its sessions is stopped"), "{again}");
}

#[test]
fn a_script_grants_lists_and_revokes_in_a_session() {
    let daemon = open();
    assert_eq!(run_command(&daemon, "s1", "frobnicate --all"), 8);
    assert_snapshot!(daemon.run(&["say", "s1", "Grant", "standing", "consent", "for:", "frobnicate --all"]), @"
    Granted standing consent for: frobnicate --all
    exit: 0
    ");
    assert_eq!(run_command(&daemon, "s1", "frobnicate --all"), 0);
    let args = [
        "gate",
        "--session",
        "s1",
        "--tool",
        "Bash",
        "--args",
        "{\"command\": \"frobnicate --all\"}",
    ];
    assert!(daemon.desk.run(&args).contains("Using session allowlist: frobnicate --all"));
    assert_snapshot!(daemon.run(&["say", "s1", "What have I consented to?"]), @r#"
    Session Allowlist:
    - frobnicate --all (used 2 times)

    Operations:
    - shell.run (moderate): waits for your answer
    - shell.run (moderate): granted turn 1 (standing)
    - shell.run (moderate): granted turn 1 (standing)

    To revoke: "Revoke consent for: <command>" or "Revoke all consent"
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["say", "s1", "hello there"]), @"
    noted as a turn; these words change no consent
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["say", "s1", "Revoke all consent"]), @"
    Revoked 1 grant; standing commands that remain: none
    exit: 0
    ");
    assert_eq!(run_command(&daemon, "s1", "frobnicate --all"), 8);
    assert_eq!(daemon.desk.code(&["say", "s9", "stop"]), 1);
    assert_eq!(daemon.desk.code(&["say", "s1"]), 2);
}

#[test]
fn sentences_typed_in_watch_go_to_the_session_of_the_card() {
    let daemon = open();
    assert_eq!(run_command(&daemon, "s1", "frobnicate --all"), 8);
    assert_eq!(run_command(&daemon, "s2", "frobnicate --all"), 8);
    let mut terminal = TestTerminal::watch(&daemon.desk);
    terminal.expect("(1 more) ");
    terminal.type_keys("Grant standing consent for: frobnicate --all\r");
    terminal.expect("Granted standing consent for: frobnicate --all");
    let codes = [
        run_command(&daemon, "s1", "frobnicate --all"),
        run_command(&daemon, "s2", "frobnicate --all"),
    ];
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    terminal.expect("Using session allowlist: frobnicate --all");
    // The call needs no answer any more, so the card of the other session follows.
    terminal.expect("was withdrawn");
    terminal.expect("Allow frobnicate --all? ");
    terminal.type_keys("no, wait\r");
    terminal.expect("Stopped: ");
}

#[test]
fn a_standing_command_covers_every_folder_of_the_workspace() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).with("shop/src/main.rs", "");
    let daemon = Daemon::on(desk, &[]);
    let data = daemon.desk.path("data").display().to_string();
    let push = |cwd: &str| {
        let args = "{\"command\": \"frobnicate --all\"}";
        let words = ["gate", "--session", "s1", "--project", ".", "--tool", "Bash", "--args", args];
        let mut command =
            daemon.desk.command(&[&words[..], &["--cwd", cwd, "--data", &data]].concat());
        command.current_dir(daemon.desk.path("shop")).output().unwrap().status.code()
    };
    assert_eq!(push("."), Some(8));
    let grant = ["say", "s1", "Grant standing consent for: frobnicate --all"];
    assert_snapshot!(daemon.run(&grant), @"
    Granted standing consent for: frobnicate --all
    exit: 0
    ");
    assert_eq!([push("."), push("src"), push("/tmp")], [Some(0), Some(0), Some(8)]);
}

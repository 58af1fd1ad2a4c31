//! `doctor` and `workflow`: problems of an installation, and abandoned runs.

use crate::daemon::Daemon;
use crate::desk::{Desk, first_id};
use countersign_client::Connection;
use insta::assert_snapshot;
use serde_json::json;
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Without what depends on the machine.
fn doctor(daemon: &Daemon, words: &[&str]) -> String {
    let said = daemon.run(&[&["doctor"], words].concat());
    let kept = said.lines().filter(|line| !line.contains("disk:") && !line.contains("clock:"));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_healthy_installation_has_no_problem() {
    let daemon = Daemon::open();
    assert_snapshot!(doctor(&daemon, &[]), @"
    ok  folder: only you can read data
    ok  sockets: data/operator.sock accepts connections
    ok  sockets: data/agent.sock accepts connections
    ok  daemon: version 0.1.0 is running
    ok  waiting: 0 requests, 0 notices
    ok  graph: countersign.yaml is valid, DIGEST
    ok  review: consent does not decay
    warning  assurance: L0: agents that run as your own user can bypass the daemon
      do: run the daemon and the agents as two different users
    ok  ledger: the last 4 entries are intact
    exit: 0
    ");
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert!(doctor(&daemon, &["--deep"]).contains("ledger: all "));
}

#[test]
fn without_a_daemon_or_a_record_it_says_how_to_create_them() {
    let desk = Desk::new().under("COUNTERSIGN_DATA", "data");
    assert_snapshot!(desk.run(&["doctor"]), @"
    warning  folder: data does not exist
             do: `countersign serve` creates it
    warning  daemon: it is not running
             do: run `countersign serve`
    ok       graph: countersign.yaml is valid, f00d5b…80918e
    ok       review: consent does not decay
    warning  assurance: L0: agents that run as your own user can bypass the daemon
             do: run the daemon and the agents as two different users
    warning  record: it does not exist yet
             do: `countersign serve` creates it
    exit: 0
    ");
}

#[test]
fn files_that_other_users_can_read_or_write_are_problems() {
    let daemon = Daemon::open();
    let mode = |name: &str, mode| {
        set_permissions(daemon.desk.path(name), Permissions::from_mode(mode)).unwrap();
    };
    mode("data", 0o755);
    mode("data/countersign.db", 0o644);
    mode("countersign.yaml", 0o666);
    mode("data/agent.sock", 0o666);
    assert_snapshot!(doctor(&daemon, &[]), @"
    problem  folder: other users can read data
      do: chmod 700 data
    problem  files: other users can read data/countersign.db
      do: chmod 600 data/countersign.db
    ok  sockets: data/operator.sock accepts connections
    problem  sockets: other users can connect to data/agent.sock (mode 666)
      do: restart the daemon, which sets the mode
    ok  daemon: version 0.1.0 is running
    ok  waiting: 0 requests, 0 notices
    ok  graph: countersign.yaml is valid, DIGEST
    problem  graph: other users can write countersign.yaml
      do: chmod go-w countersign.yaml
    ok  review: consent does not decay
    warning  assurance: L0: agents that run as your own user can bypass the daemon
      do: run the daemon and the agents as two different users
    ok  ledger: the last 4 entries are intact
    exit: 1
    ");
    // It looks, and changes nothing.
    let found = std::fs::metadata(daemon.desk.path("data")).unwrap().permissions().mode();
    assert_eq!(found & 0o777, 0o755);
    mode("data", 0o700);
}

#[test]
fn an_invalid_graph_and_an_altered_record_are_problems() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    let database = rusqlite::Connection::open(daemon.desk.path("data/countersign.db")).unwrap();
    database
        .execute_batch(
            "DROP TRIGGER entries_stay;
             UPDATE entries SET bytes = replace(bytes, 'email.read', 'email.sent');",
        )
        .unwrap();
    let desk = &daemon.desk;
    std::fs::write(desk.path("broken.yaml"), "domains: {email: {autonomous: [a], blocked: [a]}}")
        .unwrap();
    let said = doctor(&daemon, &["--graph", "broken.yaml"]);
    assert!(said.contains("problem  graph: "), "{said}");
    assert!(said.contains("problem  ledger: "), "{said}");
    assert!(said.ends_with("exit: 1"), "{said}");
}

#[test]
fn a_left_over_socket_is_a_warning() {
    let desk = Desk::new().under("COUNTERSIGN_DATA", "data");
    std::fs::create_dir(desk.path("data")).unwrap();
    set_permissions(desk.path("data"), Permissions::from_mode(0o700)).unwrap();
    drop(std::os::unix::net::UnixListener::bind(desk.path("data/operator.sock")).unwrap());
    set_permissions(desk.path("data/operator.sock"), Permissions::from_mode(0o600)).unwrap();
    let said = desk.run(&["doctor"]);
    assert!(said.contains("operator.sock is left over: no daemon listens on it"), "{said}");
    assert!(said.ends_with("exit: 0"), "{said}");
}

#[test]
fn an_audit_tells_which_workflows_ask_and_a_reconciliation_what_it_found() {
    let graph = "\
domains:
  files: {trust_level: high, autonomous: [read], requires_approval: [write], blocked: []}
workflows:
  look: {actions: [files.read]}
  change: {actions: [files.read, files.write]}
";
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", graph), &[]);
    assert_snapshot!(daemon.run(&["workflow", "audit"]), @"
    WORKFLOW  START  BECAUSE OF  ACTIONS
    change  asks  files.write  files.read, files.write
    look  does not ask: low risk  -  files.read

    no run is active
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["workflow", "reconcile", "s1"]), @"
    nothing was ended: there is no such session
    exit: 0
    ");
    assert_eq!(daemon.ask("files.read", "a"), 0);
    assert_snapshot!(daemon.run(&["workflow", "reconcile", "s1", "--json"]), @r#"
    {"swept":false,"reason":"no_blanket"}
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["workflow", "audit", "ffffffff"]), @"
    stderr: error: no run has the id `ffffffff`
    stderr:  help: `countersign workflow audit` lists the runs with their short ids
    exit: 2
    ");
    assert_eq!(daemon.desk.code(&["workflow"]), 2);
}

#[test]
fn a_run_is_listed_while_it_lives_and_suspended_by_a_restart() {
    let graph = "\
domains:
  files: {trust_level: high, autonomous: [read], requires_approval: [], blocked: []}
workflows:
  look: {actions: [files.read]}
";
    let mut daemon = Daemon::on(Desk::empty().with("countersign.yaml", graph), &[]);
    let agents = Connection::new(&daemon.desk.path("data/agent.sock"), Duration::from_secs(20));
    agents.post("/v1/runs", &json!({"session": "s1", "workflow": "look"})).unwrap();
    assert_snapshot!(daemon.run(&["workflow", "reconcile", "s1"]), @"
    nothing was ended: the runs are in use
    exit: 0
    ");
    let listed = daemon.desk.run(&["workflow", "audit", "--json"]);
    let id = first_id(&listed, 'w').unwrap();
    let short = id.get(..7).unwrap();
    assert!(daemon.desk.run(&["workflow", "audit", short]).contains("state     live"));
    // A restart leaves its agent ten minutes to take it up again.
    daemon.restart();
    let suspended = daemon.desk.run(&["workflow", "audit", short]);
    assert!(suspended.contains("state     suspended"), "{suspended}");
    assert!(suspended.contains("if its agent does not take it up before"), "{suspended}");
    agents.post(&format!("/v1/runs/{id}/reattach"), &json!({"session": "s1"})).unwrap();
    assert!(daemon.desk.run(&["workflow", "audit", short]).contains("state     live"));
    daemon.restart();
    assert_snapshot!(daemon.run(&["workflow", "reconcile", "s1"]), @"
    Countersign ended the runs that no agent continued
    exit: 0
    ");
    assert!(daemon.desk.run(&["workflow", "audit", short]).contains("state     ended"));
    assert_snapshot!(daemon.run(&["workflow", "reconcile", "s1"]), @"
    there was nothing to end
    exit: 0
    ");
}

/// What `doctor` says about a program.
fn about(printed: &str, program: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let starts = |line: &&str| line.contains(&format!("{program}: "));
    let mut said = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if starts(line) {
            said.push(*line);
            said.extend(lines.get(at + 1).filter(|next| next.trim_start().starts_with("do: ")));
        }
    }
    said.join("\n")
}

const CLAUDE: &str = "home/.claude/settings.json";

#[test]
fn a_program_without_our_hooks_is_reported() {
    let desk = Desk::new().with(CLAUDE, "{}").with("home/.codex/hooks.json", "{broken");
    let printed = desk.run(&["doctor"]);
    assert_snapshot!(about(&printed, "Claude Code"), @"
    warning  Claude Code: it is not guarded: HERE/home/.claude/settings.json has none of our hooks
             do: run `countersign init --agents claude`
    ");
    assert_snapshot!(about(&printed, "Codex"), @"
    problem  Codex: it is not guarded: HERE/home/.codex/hooks.json: line 1, column 2: expected string for object property
             do: repair the file, then run `countersign init --agents codex`
    ");
}

#[test]
fn an_installed_hook_is_tried_with_a_running_daemon() {
    let graph = "\
domains:
  files: {trust_level: high, autonomous: [read], requires_approval: [], blocked: []}
tools:
  Read: {actions: [files.read], target: /file_path}
";
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", graph), &[]);
    std::fs::create_dir_all(daemon.desk.path("home/.claude")).unwrap();
    daemon.desk.run(&["init", "--yes", "--agents", "claude,codex"]);
    let printed = daemon.desk.run(&["doctor"]);
    assert_snapshot!(about(&printed, "Claude Code"), @"
    ok       Claude Code: our hooks are in HERE/home/.claude/settings.json
    ok       Claude Code: the hook answers
    ");
    assert_snapshot!(about(&printed, "Codex"), @"
    ok       Codex: our hooks are in HERE/home/.codex/hooks.json
    problem  Codex: it does not run 6 of our hooks, because you have not trusted them
             do: start `codex` and choose `Trust all and continue`, or open /hooks in it
    ok       Codex: the hook answers
    ");
}

#[test]
fn a_hook_that_does_not_block_is_a_problem() {
    let desk = Desk::new().with(CLAUDE, "{}");
    desk.run(&["init", "--yes"]);
    let own = env!("CARGO_BIN_EXE_countersign");
    for (script, said) in [
        ("#!/bin/sh\nexit 0\n", "it does not block what it cannot read"),
        ("#!/bin/sh\nexit 2\n", "it does not block what it cannot read"),
        ("#!/bin/sh\necho x >&2; exit 101\n", "it does not block what it cannot read"),
    ] {
        let stub = desk.path("countersign-stub");
        std::fs::write(&stub, script).unwrap();
        set_permissions(&stub, Permissions::from_mode(0o755)).unwrap();
        let settings = desk.text(CLAUDE).replace(own, stub.to_str().unwrap());
        std::fs::write(desk.path(CLAUDE), settings).unwrap();
        let printed = desk.run(&["doctor"]);
        assert!(printed.contains("our hooks in HERE/home/.claude/settings.json are not those"));
        assert!(printed.contains(said), "{printed}");
        assert!(printed.ends_with("exit: 1"), "{printed}");
    }
    std::fs::remove_file(desk.path("countersign-stub")).unwrap();
    assert!(desk.run(&["doctor"]).contains("countersign-stub` cannot be started"));
}

#[test]
fn a_key_that_turns_hooks_off_is_a_problem() {
    let desk = Desk::new().with(CLAUDE, "{\"disableAllHooks\": true}");
    desk.run(&["init", "--yes"]);
    let printed = desk.run(&["doctor"]);
    assert!(
        printed.contains("`disableAllHooks` in HERE/home/.claude/settings.json turns hooks off")
    );
}

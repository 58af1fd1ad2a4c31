//! Rules that change while the daemon runs: they count at once, or not at all.

use crate::assurance::{protected_desk, set_mode};
use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::doors;
use countersign_api::{EventsQuery, LedgerPosition};
use countersign_client::{Connection, Event, OperatorClient};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

const GRAPH: &str = "\
rules: policies
domains:
  files: {autonomous: [read], requires_approval: [delete], blocked: [wipe]}
";
const POLICY: &str = "\
@id(\"secrets\")
forbid (principal, action in Action::\"files\", resource)
when { context.facts.secret };
";
const NO_READING: &str = "\
@id(\"no-reading\")
forbid (principal, action == Action::\"files.read\", resource);
";

/// The events of a daemon from its start.
fn events(socket: &Path) -> impl Iterator<Item = Event> + use<> {
    let operator = OperatorClient::new(Connection::new(socket, Duration::from_secs(20)));
    let query = EventsQuery { from: LedgerPosition::new(1), surface: None };
    operator.events(&query).unwrap().map(Result::unwrap)
}

fn find(events: &mut impl Iterator<Item = Event>, kind: &str) -> Event {
    events.find(|event| event.data.kind.word() == kind).unwrap()
}

#[test]
fn a_changed_policy_counts_without_a_restart() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).with("policies/a.cedar", POLICY);
    let daemon = Daemon::on(desk, &[]);
    let mut events = events(&daemon.desk.path("data/operator.sock"));
    find(&mut events, "graph_loaded");
    assert_eq!(daemon.ask("files.read", "a.txt"), 0);
    fs::write(daemon.desk.path("policies/b.cedar"), NO_READING).unwrap();
    find(&mut events, "graph_loaded");
    assert_ne!(daemon.ask("files.read", "a.txt"), 0);
    fs::write(daemon.desk.path("policies/b.cedar"), "forbid (").unwrap();
    let mut notices = events.by_ref().filter_map(|event| event.data.notice);
    notices.find(|notice| notice.cause.word() == "graph_refused").unwrap();
    assert_ne!(daemon.ask("files.read", "a.txt"), 0, "the last good rules stay in force");
    fs::remove_file(daemon.desk.path("policies/b.cedar")).unwrap();
    find(&mut events, "graph_loaded");
    assert_eq!(daemon.ask("files.read", "a.txt"), 0);
}

#[test]
fn a_graph_that_agents_of_other_users_can_write_is_not_loaded() {
    let daemon = doors::Daemon::start(protected_desk(), &["--no-http"]);
    assert!(daemon.greeting.contains("assurance L1"), "{}", daemon.greeting);
    let mut events = events(&daemon.desk.path("lib/data/operator.sock"));
    find(&mut events, "graph_loaded");
    let read_status = || -> Value {
        let output = daemon.desk.output(&["status", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let before = read_status();
    let graph = daemon.desk.path("etc/deep/graph.yaml");
    set_mode(&graph, 0o666);
    let looser = fs::read_to_string(&graph).unwrap().replace("[read]", "[read, delete]");
    let looser = looser.replace("requires_approval: [delete]", "requires_approval: []");
    fs::write(&graph, looser).unwrap();
    let lowered = find(&mut events, "assurance_found");
    assert_eq!(lowered.data.kind.word(), "assurance_found");
    let mut causes = Vec::new();
    while causes.len() < 2 {
        let notice = find(&mut events, "notice_raised").data.notice.unwrap();
        assert!(notice.text.contains("graph.yaml (mode 666); do: chmod 644"), "{}", notice.text);
        causes.push(notice.cause.word());
    }
    causes.sort_unstable();
    assert_eq!(causes, ["assurance_lowered", "graph_refused"]);
    let after = read_status();
    assert_eq!((&before["graph"], &after["assurance"]), (&after["graph"], &Value::from("L0")));
    let doctor = daemon.desk.run(&["doctor"]);
    assert!(doctor.contains("problem  graph: HERE/etc/deep/graph.yaml (file of user "), "{doctor}");
    assert!(doctor.contains("do: chmod 644 HERE/etc/deep/graph.yaml"), "{doctor}");
    assert!(doctor.contains("ok       program: HERE/bin/countersign (file of user "), "{doctor}");
    set_mode(&graph, 0o644);
    find(&mut events, "graph_loaded");
}

#[test]
fn an_agent_may_not_touch_the_policies() {
    let graph = GRAPH.replace("[read]", "[read, write]");
    let desk = Desk::empty().with("countersign.yaml", graph).with("policies/a.cedar", POLICY);
    let daemon = Daemon::on(desk, &[]);
    assert_eq!(daemon.ask("files.write", "notes.txt"), 0);
    let policy = daemon.desk.path("policies/new.cedar");
    assert_eq!(daemon.ask("files.write", policy.to_str().unwrap()), 5);
}

#[test]
fn a_change_says_what_became_looser_and_a_mistake_shows_until_it_is_fixed() {
    let daemon = Daemon::open();
    let mut events = events(&daemon.desk.path("data/operator.sock"));
    let mut next_notice = |cause: &str| {
        let mut notices = events.by_ref().filter_map(|event| event.data.notice);
        notices.find(|notice| notice.cause.word() == cause).unwrap().text
    };
    let graph = daemon.desk.path("countersign.yaml");
    let status = || daemon.desk.run(&["status"]);
    assert!(status().contains("graph HERE/countersign.yaml, in force since 20"), "{}", status());
    let looser = crate::desk::GRAPH.replace("[read]", "[read, send]").replace("[send, ", "[");
    fs::write(&graph, &looser).unwrap();
    let change =
        "countersign.yaml changed: 1 looser (email.send tier: requires_approval → autonomous)";
    assert_eq!(next_notice("graph_changed"), change);
    assert!(status().contains(&format!("\n  {change}\n")), "{}", status());
    fs::write(&graph, format!("{looser}one: 1\ntwo: 2\nthree: 3\n")).unwrap();
    let refused = next_notice("graph_refused");
    let start = "countersign.yaml is not in force: countersign.yaml:10:1: ";
    assert!(refused.starts_with(start), "{refused}");
    assert!(refused.contains(" (and 2 more); still using the version of 20"), "{refused}");
    assert!(status().contains(&format!("problem (graph): {refused}; since 20")), "{}", status());
    let notices = daemon.desk.run(&["notices"]);
    assert!(notices.contains("graph_refused"), "{notices}");
    fs::remove_file(&graph).unwrap();
    assert!(next_notice("graph_refused").contains("cannot read `countersign.yaml`"));
    fs::write(&graph, &looser).unwrap();
    let restored = "the graph file is again the version that was in force";
    assert_eq!(next_notice("graph_changed"), restored);
    assert!(!status().contains("problem"), "{}", status());
    let notices = daemon.desk.run(&["notices"]);
    assert!(!notices.contains("graph_refused"), "{notices}");
}

const COMMANDS: &str = "\
domains:
  shell:
    autonomous: []
    requires_approval: [run]
    blocked: []
    actions:
      run: {risk: high, categories: [shell_exec]}
tools:
  Bash: {actions: [shell.run], command: /command}
# By hand.
commands:
  deny: [make clean]
";

/// The exit code of asking about a command line.
fn ask_about(daemon: &Daemon, line: &str) -> i32 {
    let args = format!("{{\"command\": \"{line}\"}}");
    let words = ["gate", "--tool", "Bash", "--args", &args, "--session", "s", "--wait", "0"];
    daemon.desk.code(&words)
}

#[test]
fn a_rule_from_the_command_line_is_in_force_when_the_command_ends() {
    let daemon = Daemon::on(Desk::empty().with("countersign.yaml", COMMANDS), &[]);
    assert_eq!(ask_about(&daemon, "true"), 8);
    let shown = daemon.run(&["allow", "true", "--yes"]);
    assert!(shown.contains("+  allow: [\"true\"]"), "{shown}");
    assert!(shown.contains("1 calls would newly pass"), "{shown}");
    assert!(shown.contains("it is in force"), "{shown}");
    assert_eq!(ask_about(&daemon, "true"), 0);
    let shown = daemon.run(&["block", "true", "--yes"]);
    assert!(shown.contains("it is in force"), "{shown}");
    assert_eq!(ask_about(&daemon, "true"), 5);
    let text = daemon.desk.text("countersign.yaml");
    assert!(text.contains("# By hand.") && text.contains("deny: [make clean, \"true\"]"), "{text}");
    assert!(daemon.run(&["rule", "ask", "true", "--yes"]).contains("it is in force"));
    assert_eq!(ask_about(&daemon, "true"), 8);
    assert_eq!(daemon.desk.code(&["allow", "true"]), 2, "without a terminal nobody confirms");
    assert_eq!(ask_about(&daemon, "true"), 8);
    assert_eq!(daemon.desk.code(&["allow", "xargs *", "--yes"]), 2);
}

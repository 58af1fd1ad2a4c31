//! `countersign simulate`: counts what a graph would ask, and compares two graphs.

use crate::desk::Desk;
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

const GRAPH: &str = "\
domains:
  mail:
    autonomous: [read]
    requires_approval: [draft, send]
    blocked: [wipe]
    actions:
      send: {risk: high}
tools:
  Read: {actions: [mail.read]}
  Draft: {actions: [mail.draft]}
  Send: {actions: [mail.send], target: /to}
  Wipe: {actions: [mail.wipe]}
";

const CALLS: &str = r#"{"session": "a", "tool": "Read", "args": {}}
{"session": "a", "tool": "Draft", "args": {"n": 1}}
{"session": "a", "tool": "Draft", "args": {"n": 2}}

{"session": "a", "tool": "Send", "args": {"to": "ana@example.org"}}
{"session": "a", "tool": "Send", "args": {"to": "ana@example.org"}}
{"session": "b", "tool": "Wipe", "args": {}, "ts": "ignored"}
"#;

fn desk() -> Desk {
    Desk::empty().with("g.yaml", GRAPH).with("calls.jsonl", CALLS)
}

fn simulate(desk: &Desk, words: &[&str]) -> Value {
    let words = [&["simulate", "calls.jsonl", "--graph", "g.yaml", "--json"], words].concat();
    let shown = desk.run(&words);
    let (json, _) = shown.split_once("\nexit: 0").unwrap_or_else(|| panic!("{shown}"));
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {shown}"))
}

#[test]
fn every_call_that_asks_counts_if_nobody_answers() {
    let report = simulate(&desk(), &[]);
    let counts = ["calls", "prompts", "denials"].map(|key| report[key].clone());
    assert_eq!(counts, [json!(6), json!(4), json!(1)]);
    assert_eq!(report["by_tool"][0], json!({"name": "Draft", "calls": 2, "prompts": 2}));
}

#[test]
fn a_careful_operator_grants_moderate_risk_for_the_session_and_high_risk_once() {
    let report = simulate(&desk(), &["--operator", "careful"]);
    assert_eq!(report["prompts"], 3, "{report}");
    let sent = json!({"name": "Send", "calls": 2, "prompts": 2});
    assert!(report["by_tool"].as_array().is_some_and(|rows| rows.contains(&sent)), "{report}");
}

#[test]
fn the_graph_in_use_is_compared_with_the_one_to_try() {
    let looser = GRAPH.replace("autonomous: [read]", "autonomous: [read, draft]");
    let looser = looser.replace("requires_approval: [draft, send]", "requires_approval: [send]");
    let desk = desk().with("new.yaml", &looser).under("COUNTERSIGN_GRAPH", "g.yaml");
    let shown = desk.run(&["simulate", "calls.jsonl", "--graph", "new.yaml"]);
    for line in [
        "new.yaml: 33.3 prompts per 100 calls if nobody answers (2 of 6 calls ask, 1 are denied)",
        "2 calls would newly pass",
        "0 calls would newly ask",
    ] {
        assert!(shown.contains(line), "{line} is not in:\n{shown}");
    }
}

#[test]
fn a_line_that_is_no_call_is_named() {
    let desk = desk().with("calls.jsonl", "{\"session\": \"a\", \"tool\": \"Read\"}\nno\n");
    let shown = desk.run(&["simulate", "calls.jsonl", "--graph", "g.yaml"]);
    assert!(shown.contains("calls.jsonl: line 2"), "{shown}");
    assert!(shown.contains("exit: 1"), "{shown}");
}

#[test]
fn one_object_per_call_says_how_it_was_decided() {
    let shown = desk().run(&["simulate", "calls.jsonl", "--graph", "g.yaml", "--each"]);
    let first: Value = serde_json::from_str(shown.lines().next().unwrap()).unwrap();
    assert_eq!(first["outcome"], "allow");
    assert_eq!(first["actions"], json!(["mail.read"]));
}

const SHELL_GRAPH: &str = "\
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: moderate}}}
commands: {allow: [ls *]}
tools: {Bash: {actions: [shell.run], command: /command}}
";

/// The program in the path could be replaced by an agent, so the first call shows its content, and
/// the yes counts for the project. The names of the sessions are not in the order of their calls.
#[test]
fn a_program_that_was_seen_in_one_session_is_known_in_the_next() {
    let desk = Desk::empty().with("g.yaml", SHELL_GRAPH).with("bin/ls", "#!/bin/sh\n");
    std::fs::set_permissions(desk.path("bin/ls"), Permissions::from_mode(0o755)).unwrap();
    let (path, project) = (desk.path("bin"), desk.path("."));
    let call = |session: &str| {
        let args = json!({"command": "ls"});
        json!({"session": session, "tool": "Bash", "args": args, "project": project}).to_string()
    };
    let calls = ["z", "a"].map(call).join("\n");
    let desk = desk.with("calls.jsonl", &calls).under("PATH", path.to_str().unwrap());
    let shown = desk.run(&[
        "simulate",
        "calls.jsonl",
        "--graph",
        "g.yaml",
        "--operator",
        "careful",
        "--each",
    ]);
    let outcomes: Vec<String> = shown
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|call| format!("{} {}", call["session"], call["outcome"]))
        .collect();
    assert_eq!(outcomes, [r#""z" "ask""#, r#""a" "allow""#], "{shown}");
}

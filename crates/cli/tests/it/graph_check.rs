//! `graph check`: every problem with its position, and a summary line.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn graph_check(text: &str) -> String {
    Desk::empty().with("g.yaml", text).run(&["graph", "check", "g.yaml"])
}

#[test]
fn a_valid_graph_gets_one_line() {
    assert_snapshot!(graph_check(GRAPH), @"
    g.yaml: valid; 1 domain, 6 actions, consent does not decay
    exit: 0
    ");
}

#[test]
fn all_problems_are_shown_with_position_and_help() {
    let text = "
domains:
  email:
    trust_level: huge
    autonomous: [read, send]
    requires_approval: [send]
    blocked: []
    blokced: []
unclasified: ask
";
    assert_snapshot!(graph_check(text), @"
    error: `trust_level` may not be `huge`
     --> g.yaml:4:18
      |
    4 |     trust_level: huge
      |                  ^^^^
      = help: write one of `low`, `medium`, `high`
    error: `send` is listed in both `autonomous` and `requires_approval`
     --> g.yaml:6:25
      |
    6 |     requires_approval: [send]
      |                         ^^^^
      = help: keep it in one list; an action has exactly one tier
    error: `email` has no key `blokced`
     --> g.yaml:8:5
      |
    8 |     blokced: []
      |     ^^^^^^^
      = help: did you mean `blocked`?
    error: `unclasified` is neither a key of a graph nor a domain with its three lists
     --> g.yaml:9:1
      |
    9 | unclasified: ask
      | ^^^^^^^^^^^
      = help: did you mean `unclassified`?
    g.yaml: 4 problems; the graph cannot be loaded
    exit: 1
    ");
}

#[test]
fn decay_without_a_review_says_its_effect_and_what_to_run() {
    let text = "
consent_decay: {enabled: true, review_interval_days: 30}
domains:
  email: {autonomous: [read], requires_approval: [], blocked: []}
";
    let printed = graph_check(text);
    assert_snapshot!(printed, @"
    warning: consent decays but nothing was ever reviewed, so every autonomous action asks
     --> g.yaml:2:16
      |
    2 | consent_decay: {enabled: true, review_interval_days: 30}
      |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = help: review the graph, which writes `last_reviewed`
    g.yaml: valid; 1 domain, 1 action, never reviewed: until `countersign graph review`, autonomous actions ask, except read-only ones
    exit: 0
    ");
    let line = printed.lines().find(|line| line.contains("countersign graph review")).unwrap();
    assert!(line.contains("never reviewed") && line.contains("actions ask"), "{line}");
}

#[test]
fn an_old_review_says_its_effect() {
    let text = "
consent_decay: {enabled: true, review_interval_days: 30}
last_reviewed: 2000-01-01
domains:
  email: {autonomous: [read], requires_approval: [], blocked: []}
";
    assert_snapshot!(graph_check(text), @"
    g.yaml: valid; 1 domain, 1 action, reviewed 2000-01-01 and due again: until `countersign graph review`, autonomous actions ask, except read-only ones
    exit: 0
    ");
}

#[test]
fn a_single_domain_that_is_due_is_counted() {
    let text = "
consent_decay: {enabled: true, review_interval_days: 30}
domains:
  email: {autonomous: [read], requires_approval: [], blocked: []}
  files: {autonomous: [read], requires_approval: [], blocked: []}
";
    let desk = Desk::empty().with("countersign.yaml", text);
    assert_eq!(desk.code(&["graph", "review", "email", "--yes"]), 0);
    assert_snapshot!(desk.run(&["graph", "check"]), @"
    countersign.yaml: valid; 2 domains, 2 actions, 1 domain due for review: there, until `countersign graph review`, autonomous actions ask, except read-only ones
    exit: 0
    ");
}

#[test]
fn a_review_in_the_future_is_a_warning() {
    let text = "
last_reviewed: 9999-01-01
domains:
  email: {autonomous: [read], requires_approval: [], blocked: []}
";
    assert_snapshot!(graph_check(text), @"
    warning: `9999-01-01` is in the future and counts as never reviewed
     --> g.yaml:2:16
      |
    2 | last_reviewed: 9999-01-01
      |                ^^^^^^^^^^
      = help: review the graph, which writes today's date
    g.yaml: valid; 1 domain, 1 action, reviewed 9999-01-01; consent does not decay
    exit: 0
    ");
}

#[test]
fn json_lists_problems_with_their_positions() {
    let desk = Desk::empty().with(
        "g.json",
        r#"{"email": {"autonomous": ["a"], "requires_approval": ["a"], "blocked": []}}"#,
    );
    let output = desk.output(&["graph", "check", "g.json", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed["v"], json!(1));
    let problem = &printed["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&json!(1), &json!(55)), "{printed}");
    assert_eq!(problem["file"], json!("g.json"));
    let output = Desk::new().output(&["graph", "check", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!((&printed["domains"], &printed["actions"]), (&json!(1), &json!(6)), "{printed}");
}

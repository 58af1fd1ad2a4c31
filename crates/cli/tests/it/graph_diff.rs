//! `graph diff`: a table of what becomes looser and stricter, and an exit code for scripts.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;
use serde_json::{Value, json};

const CHANGED: &str = "\
unclassified: deny
domains:
  email:
    trust_level: medium
    autonomous: [read]
    requires_approval: [send, delete, pay, wipe]
    blocked: [send_to_unknown]
    actions:
      delete: {reversible: true, always_ask: true}
      pay: {categories: [purchase, send_email]}
      send: {categories: [send_email]}
tools:
  mail_*: {actions: [email.read]}
";

fn desk(new: &str) -> Desk {
    Desk::empty().with("old.yaml", GRAPH).with("new.yaml", new)
}

const DIFF: [&str; 4] = ["graph", "diff", "old.yaml", "new.yaml"];

#[test]
fn looser_rules_are_listed_first_and_fail() {
    assert_snapshot!(desk(CHANGED).run(&DIFF), @"
    BECOMES   WHERE         WHAT          BEFORE    AFTER
    looser    email.send    categories    -         send_email
    looser    email.wipe    tier          blocked   requires_approval
    looser    tool mail_*   tools         -         email.read
    unclear   email.pay     categories    purchase  purchase, send_email
    stricter  the graph     unclassified  ask       deny
    stricter  email.delete  always_ask    false     true
    stricter  email.send    risk          moderate  high
    neither   domain email  trust_level   high      medium

    3 looser, 1 unclear, 3 stricter, 1 neither
    compared: rules, not grants: a grant stays until it ends or is revoked
    exit: 1
    ");
}

#[test]
fn stricter_rules_exit_with_zero() {
    let stricter = format!("{GRAPH}unclassified: deny\n");
    assert_snapshot!(desk(&stricter).run(&DIFF), @"
    BECOMES   WHERE      WHAT          BEFORE  AFTER
    stricter  the graph  unclassified  ask     deny

    0 looser, 0 unclear, 1 stricter, 0 neither
    compared: rules, not grants: a grant stays until it ends or is revoked
    exit: 0
    ");
}

#[test]
fn equal_graphs_have_no_difference() {
    assert_snapshot!(desk(&format!("# read again\n{GRAPH}")).run(&DIFF), @"
    no rule differs
    compared: rules, not grants: a grant stays until it ends or is revoked
    exit: 0
    ");
}

#[test]
fn unclear_differences_fail_too() {
    let old = format!("{GRAPH}tools: {{t: {{actions: [email.send]}}}}\n");
    let new = format!("{GRAPH}tools: {{t: {{actions: [email.send], target: /to}}}}\n");
    let desk = Desk::empty().with("old.yaml", old).with("new.yaml", new);
    assert_snapshot!(desk.run(&DIFF), @"
    BECOMES  WHERE   WHAT    BEFORE  AFTER
    unclear  tool t  target  -       /to

    0 looser, 1 unclear, 0 stricter, 0 neither
    compared: rules, not grants: a grant stays until it ends or is revoked
    exit: 1
    ");
}

#[test]
fn json_has_every_difference_and_says_what_it_compares() {
    let output = desk(CHANGED).output(&[&DIFF[..], &["--json"]].concat());
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!((&printed["v"], &printed["old"]["file"]), (&json!(1), &json!("old.yaml")));
    let counts = json!({"looser": 3, "unclear": 1, "stricter": 3, "neither": 1});
    assert_eq!(printed["counts"], counts);
    assert!(printed["compares"].as_str().unwrap().starts_with("rules, not grants"));
    let first = json!({
        "becomes": "looser",
        "kind": "action",
        "where": "email.send",
        "what": "categories",
        "before": "-",
        "after": "send_email",
    });
    assert_eq!(printed["differences"][0], first);
}

#[test]
fn both_graphs_must_be_valid() {
    let broken = "d: {autonomous: [], requires_approval: []}\n";
    assert_snapshot!(desk(broken).run(&DIFF), @"
    stderr: error: the domain `d` has no list `blocked`
    stderr:  --> new.yaml:1:1
    stderr:   |
    stderr: 1 | d: {autonomous: [], requires_approval: []}
    stderr:   | ^
    stderr:   = help: add `blocked`, with `[]` if it is empty; a domain names all three lists
    exit: 1
    ");
    let desk = desk(GRAPH);
    assert_snapshot!(desk.run(&["graph", "diff", "gone.yaml", "new.yaml"]), @"
    stderr: error: cannot read `gone.yaml`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
    assert_eq!(desk.code(&["graph", "diff", "old.yaml", "gone.yaml"]), 1);
    assert!(desk.output(&["graph", "diff", "old.yaml", "gone.yaml"]).stdout.is_empty());
}

#[test]
fn one_graph_is_compared_with_the_one_in_use() {
    let desk = desk(GRAPH).under("COUNTERSIGN_GRAPH", "new.yaml");
    assert_eq!(desk.code(&["graph", "diff", "new.yaml"]), 0);
    let printed = desk.run(&["graph", "diff", "old.yaml"]);
    assert!(printed.contains("stderr: graph: new.yaml (named by COUNTERSIGN_GRAPH)"), "{printed}");
    assert_eq!(desk.code(&["graph", "diff"]), 2);
    assert_eq!(desk.code(&["graph", "diff", "old.yaml", "new.yaml", "old.yaml"]), 2);
    assert_eq!(desk.code(&[&DIFF[..], &["--timeout", "5"]].concat()), 2);
}

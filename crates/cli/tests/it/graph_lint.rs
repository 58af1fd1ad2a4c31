//! `graph lint`: findings with their positions, and a line if there are none.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

const GRAPH: &str = "
domains:
  web:
    autonomous: [fetch]
    requires_approval: [click]
    blocked: [wipe]
    actions:
      fetch: {categories: [network]}
      click: {when_idle: true}
slash:
  clean: [web.wipe]
consent_decay: {enabled: false}
";

fn desk() -> Desk {
    Desk::empty().with("countersign.yaml", GRAPH)
}

#[test]
fn findings_are_shown_with_their_positions_and_fail() {
    assert_snapshot!(desk().run(&["graph", "lint"]), @"
    silent_high: `web.fetch` runs without approval, although `network` makes its risk high
     --> countersign.yaml:8:27
      |
    8 |       fetch: {categories: [network]}
      |                           ^^^^^^^^^
      = help: move it to `requires_approval`, or declare the risk if it is intended
    mark_without_effect: `when_idle` has no effect on `web.click`: its risk is moderate, and only low risk passes
     --> countersign.yaml:9:26
      |
    9 |       click: {when_idle: true}
      |                          ^^^^
      = help: remove the flag, or change what overrides it
    slash_without_effect: `clean` cannot allow `web.wipe`: it is blocked
      --> countersign.yaml:11:11
       |
    11 |   clean: [web.wipe]
       |           ^^^^^^^^
       = help: remove it from the slash command
    countersign.yaml: 3 findings; the graph is valid
    exit: 1
    ");
}

#[test]
fn a_clean_graph_says_so() {
    let text = "d: {autonomous: [], requires_approval: [act], blocked: []}\n";
    let desk = Desk::empty().with("g.yaml", text);
    assert_snapshot!(desk.run(&["graph", "lint", "g.yaml"]), @"
    g.yaml: clean; no findings
    exit: 0
    ");
}

#[test]
fn the_shipped_graphs_are_clean() {
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../graphs");
    for name in ["personal", "coding", "assistive"] {
        let file = graphs.join(name).join("countersign.yaml");
        assert_eq!(Desk::empty().code(&["graph", "lint", file.to_str().unwrap()]), 0, "{name}");
    }
}

#[test]
fn json_names_check_position_and_help() {
    let output = desk().output(&["graph", "lint", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(printed["v"], json!(1));
    let findings = printed["findings"].as_array().unwrap();
    let checks: Vec<_> = findings.iter().map(|finding| &finding["check"]).collect();
    assert_eq!(checks, ["silent_high", "mark_without_effect", "slash_without_effect"]);
    let place = (&findings[2]["line"], &findings[2]["column"], &findings[2]["help"]);
    assert_eq!(place, (&json!(11), &json!(11), &json!("remove it from the slash command")));
}

#[test]
fn an_invalid_graph_is_not_linted() {
    let desk = Desk::empty().with("g.yaml", "d: {autonomous: [], requires_approval: []}\n");
    assert_snapshot!(desk.run(&["graph", "lint", "g.yaml"]), @"
    stderr: error: the domain `d` has no list `blocked`
    stderr:  --> g.yaml:1:1
    stderr:   |
    stderr: 1 | d: {autonomous: [], requires_approval: []}
    stderr:   | ^
    stderr:   = help: add `blocked`, with `[]` if it is empty; a domain names all three lists
    exit: 1
    ");
    assert_snapshot!(desk.run(&["graph", "lint", "gone.yaml"]), @"
    stderr: error: cannot read `gone.yaml`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
}

#[test]
fn an_unknown_option_is_a_usage_error() {
    assert_eq!(desk().code(&["graph", "lint", "--fix"]), 2);
}

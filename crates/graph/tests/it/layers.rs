//! The rules of a repository: what its file may say, and what it changes.

use countersign_core::model::graph::{Graph, LayerStanding};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};
use countersign_graph::layer::{Layer, apply_layer, parse_layer};
use countersign_graph::{Format, load_graph};
use insta::assert_snapshot;

const GRAPH: &str = "\
domains:
  git:
    autonomous: [read, commit]
    requires_approval: [push]
    blocked: [force_push]
    actions:
      read: {risk: read_only}
  files:
    autonomous: [edit]
    requires_approval: [edit_outside_workspace]
    blocked: [edit_guarded]
commands:
  deny: [\"rm *\"]
secrets: [\"customers.csv\"]
";

fn graph() -> Graph {
    load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

fn read(text: &str) -> Layer {
    parse_layer("countersign.yaml", text.as_bytes()).unwrap()
}

fn refusal(text: &str) -> String {
    parse_layer("countersign.yaml", text.as_bytes()).unwrap_err().to_string()
}

fn tier(graph: &Graph, action: &str) -> Option<Tier> {
    graph.rule(&Action::parse(action).unwrap()).map(|rule| rule.tier)
}

#[test]
fn a_key_that_only_a_graph_may_have_is_refused_with_its_place() {
    let text = "unclassified: ask\ntools: {}\npolicies: x\ncommands: {classes: {}, env: []}\n";
    assert_snapshot!(refusal(text), @"
    countersign.yaml:1:1: `unclassified` belongs in your own graph, not in a repository
    countersign.yaml:2:1: `tools` belongs in your own graph, not in a repository
    countersign.yaml:3:1: the rules of a repository have no key `policies`
    countersign.yaml:4:12: `classes` belongs in your own graph, not in a repository
    countersign.yaml:4:25: `env` belongs in your own graph, not in a repository
    ");
    assert_snapshot!(refusal("domains: {git: {blocked: [push], requires_approval: [push], trust_level: high}}"), @"
    countersign.yaml:1:27: `push` is listed in both `requires_approval` and `blocked`
    countersign.yaml:1:61: `git` has no key `trust_level`
    ");
    assert_snapshot!(refusal("[]"), @"countersign.yaml:1:1: the rules of a repository are a map, but this is a list");
    assert!(refusal("secrets: [\"a/../b\"]").contains("is not a place pattern"));
}

#[test]
fn lists_may_be_left_out_and_remarks_are_ignored() {
    let layer = read("_for: the team\ndomains: {git: {_: x, blocked: [push]}}\n");
    assert!(!layer.needs_trust());
}

#[test]
fn what_could_allow_more_is_named() {
    let text = "domains: {git: {autonomous: [push]}}\ncommands: {allow: [\"make *\"]}\nsecrets: [\"!a.pem\"]\n";
    let layer = read(text);
    assert!(layer.needs_trust());
    assert_snapshot!(layer.untrusted_parts("countersign.yaml").unwrap(), @"
    countersign.yaml:1:29: `autonomous` lets agents act without asking, so it needs your trust
    countersign.yaml:2:19: command rules that allow something need your trust
    countersign.yaml:3:11: an exception takes places out of your own lists, so it needs your trust
    ");
    assert!(!read("domains: {git: {autonomous: []}}").needs_trust());
}

#[test]
fn without_trust_a_tier_only_becomes_later() {
    let layer = read(
        "domains: {git: {requires_approval: [read, force_push, fetch], blocked: [push, clone]}}",
    );
    let merged = apply_layer(&graph(), &layer, LayerStanding::Narrowing);
    let tiers = ["git.read", "git.commit", "git.push", "git.force_push", "git.fetch", "git.clone"]
        .map(|action| tier(&merged, action));
    assert_eq!(
        tiers,
        [
            Some(Tier::RequiresApproval),
            Some(Tier::Autonomous),
            Some(Tier::Blocked),
            Some(Tier::Blocked),
            None,
            Some(Tier::Blocked),
        ]
    );
    // Or it would pass as reading.
    assert_eq!(merged.rule(&Action::parse("git.read").unwrap()).unwrap().risk, Risk::Moderate);
    let moved: Vec<String> = merged.layer.unwrap().moved.keys().map(ToString::to_string).collect();
    assert_eq!(moved, ["git.clone", "git.push", "git.read"]);
}

#[test]
fn with_trust_a_tier_becomes_earlier_but_nothing_blocked_is_opened() {
    let layer = read(
        "domains: {git: {autonomous: [push, force_push, fetch]}}\ncommands: {allow: [\"make *\"]}\n",
    );
    let merged = apply_layer(&graph(), &layer, LayerStanding::Trusted);
    let tiers = ["git.push", "git.force_push", "git.fetch"].map(|action| tier(&merged, action));
    assert_eq!(tiers, [Some(Tier::Autonomous), Some(Tier::Blocked), Some(Tier::Autonomous)]);
    assert_eq!(merged.commands.allow, ["make *"]);
    let ignored = apply_layer(&graph(), &layer, LayerStanding::Narrowing);
    assert_eq!(ignored.commands.allow, Vec::<String>::new());
    assert_eq!(tier(&ignored, "git.push"), Some(Tier::RequiresApproval));
}

#[test]
fn places_and_denied_commands_are_added_once() {
    let layer = read(
        "commands: {deny: [\"rm *\", \"dd *\"]}\nsecrets: [customers.csv, a.key]\nguarded: [deploy]\n",
    );
    let merged = apply_layer(&graph(), &layer, LayerStanding::Narrowing);
    assert_eq!(merged.commands.deny, ["rm *", "dd *"]);
    assert_eq!(merged.secrets, ["customers.csv", "a.key"]);
    let applied = merged.layer.unwrap();
    assert_eq!(
        (applied.deny, applied.secrets, applied.guarded),
        (vec!["dd *".to_owned()], vec!["a.key".to_owned()], vec!["deploy".to_owned()])
    );
}

/// A path that is guarded and outside is decided as guarded.
#[test]
fn a_place_that_is_added_leads_to_no_looser_rule() {
    let loose = GRAPH
        .replace("[edit_outside_workspace]", "[edit_guarded]")
        .replace("[edit_guarded]\ncommands", "[edit_outside_workspace]\ncommands");
    let graph = load_graph("g.yaml", loose.as_bytes(), Format::Yaml).unwrap().graph;
    assert_eq!(tier(&graph, "files.edit_guarded"), Some(Tier::RequiresApproval));
    let merged = apply_layer(&graph, &read("guarded: [deploy]"), LayerStanding::Narrowing);
    assert_eq!(tier(&merged, "files.edit_guarded"), Some(Tier::Blocked));
    let other =
        apply_layer(&graph, &read("commands: {deny: [\"dd *\"]}"), LayerStanding::Narrowing);
    assert_eq!(tier(&other, "files.edit_guarded"), Some(Tier::RequiresApproval));
}

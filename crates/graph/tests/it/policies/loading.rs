//! Loading a graph together with its policy folder.

use super::*;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{
    LoadedGraph, ReadPolicyFolder, load_graph_with_policies, load_inline_graph, node,
};

const POLICY: &str = "forbid(principal, action, resource) when { context.facts.secret };";

fn graph_with_policies() -> String {
    format!("{GRAPH}rules: policies\n")
}

fn load_with_folder(folder: &ReadPolicyFolder<'_>) -> Result<LoadedGraph, Vec<Problems>> {
    load_graph_with_policies("g.yaml", graph_with_policies().as_bytes(), Format::Yaml, folder)
}

#[test]
fn the_hash_of_a_graph_covers_its_policies() {
    let hash = |text: &str| {
        let files = |folder: &str| {
            assert_eq!(folder, "policies");
            Ok(vec![policy_file("a.cedar", text), policy_file("b.cedar", "")])
        };
        load_with_folder(&files).unwrap().graph.hash
    };
    assert_eq!(hash(POLICY), hash(POLICY));
    assert_ne!(hash(POLICY), hash(&format!("{POLICY}\n")));
    let plain = load_graph_with_policies("g.yaml", GRAPH.as_bytes(), Format::Yaml, &|_| Ok(vec![]));
    assert_eq!(plain.unwrap().graph.hash, load_test_graph().hash);
}

#[test]
fn moving_a_policy_to_another_file_changes_the_hash() {
    let hash =
        |files: fn() -> Vec<PolicyFile>| load_with_folder(&|_| Ok(files())).unwrap().graph.hash;
    let here = hash(|| vec![policy_file("a.cedar", POLICY), policy_file("b.cedar", "")]);
    let there = hash(|| vec![policy_file("a.cedar", ""), policy_file("b.cedar", POLICY)]);
    assert_ne!(here, there);
}

#[test]
fn an_unreadable_folder_is_a_problem_of_the_graph() {
    let problems = load_with_folder(&|_| Err("there is no folder `policies`".into())).unwrap_err();
    assert_eq!(problems[0].to_string(), "g.yaml:14:8: there is no folder `policies`");
}

#[test]
fn a_graph_with_policies_is_refused_without_a_folder() {
    let text = graph_with_policies();
    let message = "14:8: this graph has policies, but no folder to read them from was given";
    let problems = load_graph("g.yaml", text.as_bytes(), Format::Yaml).unwrap_err();
    assert_eq!(problems.to_string(), format!("g.yaml:{message}"));
    let node = node::parse(text.as_bytes(), Format::Yaml).unwrap();
    assert_eq!(load_inline_graph(&node).unwrap_err().len(), 1);
}

#[test]
fn the_rules_key_must_name_a_folder() {
    for (rules, message) in [
        ("5", "14:8: `rules` should be text, but this is a number"),
        ("\"\"", "14:8: `rules` names no folder"),
    ] {
        let text = format!("{GRAPH}rules: {rules}\n");
        let found = load_graph_with_policies("g", text.as_bytes(), Format::Yaml, &|_| Ok(vec![]));
        assert_eq!(found.unwrap_err()[0].to_string(), format!("g:{message}"));
    }
}

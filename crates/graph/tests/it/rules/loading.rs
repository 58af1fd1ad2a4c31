//! A graph and its folder of policies, read together.

use super::*;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{
    LoadedGraph, PolicyFolder, load_graph_with_policies, load_inline_graph, node,
};

const POLICY: &str = "forbid(principal, action, resource) when { context.facts.secret };";

fn with_rules() -> String {
    format!("{GRAPH}rules: policies\n")
}

fn load(folder: &PolicyFolder<'_>) -> Result<LoadedGraph, Vec<Problems>> {
    load_graph_with_policies(("g.yaml", with_rules().as_bytes()), Format::Yaml, folder)
}

#[test]
fn a_graph_is_known_by_its_text_and_that_of_its_policies() {
    let hash = |text: &str| {
        let files = |folder: &str| {
            assert_eq!(folder, "policies");
            Ok(vec![source("a.cedar", text), source("b.cedar", "")])
        };
        load(&files).unwrap().graph.hash
    };
    assert_eq!(hash(POLICY), hash(POLICY));
    assert_ne!(hash(POLICY), hash(&format!("{POLICY}\n")));
    let plain =
        load_graph_with_policies(("g.yaml", GRAPH.as_bytes()), Format::Yaml, &|_| Ok(vec![]));
    assert_eq!(plain.unwrap().graph.hash, graph().hash);
}

#[test]
fn a_moved_text_is_another_graph() {
    let hash = |files: fn() -> Vec<PolicyFile>| load(&|_| Ok(files())).unwrap().graph.hash;
    let here = hash(|| vec![source("a.cedar", POLICY), source("b.cedar", "")]);
    let there = hash(|| vec![source("a.cedar", ""), source("b.cedar", POLICY)]);
    assert_ne!(here, there);
}

#[test]
fn a_folder_that_cannot_be_read_is_a_problem_of_the_graph() {
    let problems = load(&|_| Err("there is no folder `policies`".into())).unwrap_err();
    assert_eq!(problems[0].to_string(), "g.yaml:14:8: there is no folder `policies`");
}

#[test]
fn a_graph_with_policies_is_refused_where_nobody_reads_them() {
    let text = with_rules();
    let message = "14:8: this graph has policies, and here is no folder to read them from";
    let problems = load_graph("g.yaml", text.as_bytes(), Format::Yaml).unwrap_err();
    assert_eq!(problems.to_string(), format!("g.yaml:{message}"));
    let node = node::parse(text.as_bytes(), Format::Yaml).unwrap();
    assert_eq!(load_inline_graph(&node).unwrap_err().len(), 1);
}

#[test]
fn rules_names_a_folder() {
    for (rules, message) in [
        ("5", "14:8: `rules` should be text, and this is a number"),
        ("\"\"", "14:8: `rules` names no folder"),
    ] {
        let text = format!("{GRAPH}rules: {rules}\n");
        let found = load_graph_with_policies(("g", text.as_bytes()), Format::Yaml, &|_| Ok(vec![]));
        assert_eq!(found.unwrap_err()[0].to_string(), format!("g:{message}"));
    }
}

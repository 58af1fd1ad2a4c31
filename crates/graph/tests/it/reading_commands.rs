//! The page that says of each command that only looks what could make it do more.

use crate::shipped::CODING;
use countersign_core::model::words::Risk;
use countersign_graph::{Format, load_graph};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/reading-commands.md");

/// Builds and tests run the code of the workspace, whatever their risk: no row would say more.
const RUNNING_DOMAINS: &[&str] = &["build", "test"];

/// The rules of the first column of the first table, each in backticks.
fn read_answered_rules() -> BTreeSet<String> {
    let table = PAGE.split("## Commands").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let mut rules = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [named, _, answer] = cells.as_slice() else { panic!("{row}") };
        assert!(answer.contains("(tried)") || answer.contains("(read)"), "{row}");
        for rule in named.split('`').skip(1).step_by(2) {
            assert!(rules.insert(rule.to_owned()), "twice: {rule}");
        }
    }
    rules
}

#[test]
fn every_rule_of_a_class_that_only_looks_has_an_answer() {
    let graph = load_graph("countersign.yaml", CODING.as_bytes(), Format::Yaml).unwrap().graph;
    let mut looking = BTreeSet::new();
    for (action, rules) in &graph.commands.classes {
        let domain = action.as_str().split('.').next().unwrap();
        let risk = graph.rules[action].risk;
        if risk <= Risk::Low && !RUNNING_DOMAINS.contains(&domain) {
            looking.extend(rules.iter().cloned());
        }
    }
    let answered = read_answered_rules();
    let missing: Vec<_> = looking.difference(&answered).collect();
    assert!(missing.is_empty(), "no answer in docs/reading-commands.md: {missing:?}");
    let outdated: Vec<_> = answered.difference(&looking).collect();
    assert!(outdated.is_empty(), "no such rule of a class that only looks: {outdated:?}");
}

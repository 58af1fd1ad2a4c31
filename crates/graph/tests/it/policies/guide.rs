//! Tests the policy guide: its graph loads, its policies compile, its list of facts is complete.

use super::*;
use countersign_graph::load_graph_with_policies;
use countersign_graph::policies::facts;

const GUIDE: &str = include_str!("../../../../../docs/guides/policies.md");

/// The code blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let bodies = GUIDE.split(&fence).skip(1);
    bodies.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn every_policy_of_the_guide_compiles_with_its_graph() {
    let [graph] = <[String; 1]>::try_from(blocks("yaml")).unwrap();
    let policies = blocks("cedar");
    assert!(policies.len() >= 9);
    for policy in &policies {
        let files = |folder: &str| {
            assert_eq!(folder, "policies");
            Ok(vec![policy_file("example.cedar", policy)])
        };
        let loaded = load_graph_with_policies("g.yaml", graph.as_bytes(), Format::Yaml, &files);
        loaded.unwrap_or_else(|found| panic!("{policy}\n{}", found[0]));
    }
}

#[test]
fn the_guide_lists_exactly_the_facts() {
    let rows = GUIDE.lines().skip_while(|line| !line.starts_with("| fact")).skip(2);
    let rows = rows.take_while(|line| line.starts_with("| `"));
    let listed: Vec<_> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    assert_eq!(listed, facts::names().collect::<Vec<_>>());
}

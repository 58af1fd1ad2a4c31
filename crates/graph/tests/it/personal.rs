//! The example graph is a fixture too: it loads without a warning and keeps the seed's tiers.

use crate::seed::seed;
use countersign_core::graph::Graph;
use countersign_core::time::Date;
use countersign_graph::{Format, read, review};
use std::collections::BTreeMap;

const PERSONAL: &str = include_str!("../../../../graphs/personal/countersign.yaml");

/// Tier and channel of every action: what the example must have in common with the seed.
fn tiers(graph: &Graph) -> BTreeMap<String, String> {
    let rules = graph.rules.iter();
    rules.map(|(action, r)| (action.to_string(), format!("{} {:?}", r.tier, r.channel))).collect()
}

#[test]
fn the_personal_graph_loads_without_a_warning_and_keeps_the_tiers_of_the_seed() {
    let personal = read("countersign.yaml", PERSONAL.as_bytes(), Format::Yaml).unwrap();
    assert_eq!(personal.warnings, []);
    let seed = read("seed.json", seed().as_bytes(), Format::Json).unwrap().graph;
    assert_eq!(tiers(&personal.graph), tiers(&seed));
    assert_eq!(personal.graph.domains, seed.domains);
    assert_eq!((personal.graph.decay, personal.graph.visible), (seed.decay, seed.visible));
}

#[test]
fn a_review_of_the_personal_graph_changes_one_date() {
    let date = Date::parse("2026-02-01").unwrap();
    let stamped = review::stamp(PERSONAL, Format::Yaml, &[], date).unwrap();
    let expected = PERSONAL.replace("last_reviewed: 2026-01-05", "last_reviewed: 2026-02-01");
    assert_eq!(stamped, expected);
}

//! The personal example graph loads without a warning and keeps the tiers of the earlier Consent Graph.

use crate::consent_graph::consent_graph_file;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::time::Date;
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, LoadedGraph, load_graph, load_graph_with_policies, review};
use std::collections::BTreeMap;

const PERSONAL: &str = include_str!("../../../../graphs/personal/countersign.yaml");
const POLICIES: [(&str, &str); 2] = [
    ("email.cedar", include_str!("../../../../graphs/personal/policies/email.cedar")),
    ("files.cedar", include_str!("../../../../graphs/personal/policies/files.cedar")),
];

fn load_personal_graph() -> LoadedGraph {
    let policies = |folder: &str| {
        assert_eq!(folder, "policies");
        let file = |(name, text): &(&str, &str)| {
            let (name, bytes) = ((*name).to_owned(), text.as_bytes().to_vec());
            PolicyFile { display_path: name.clone(), name, bytes }
        };
        Ok(POLICIES.iter().map(file).collect())
    };
    load_graph_with_policies("countersign.yaml", PERSONAL.as_bytes(), Format::Yaml, &policies)
        .unwrap()
}

/// Tier and channel of every action, which the example shares with the earlier one.
fn list_tiers(graph: &Graph) -> BTreeMap<String, String> {
    let rules = graph.rules.iter();
    rules.map(|(action, r)| (action.to_string(), format!("{} {:?}", r.tier, r.channel))).collect()
}

#[test]
fn the_personal_graph_loads_without_a_warning_and_keeps_the_tiers_of_the_earlier_graph() {
    let personal = load_personal_graph();
    assert_eq!(personal.warnings, []);
    let earlier =
        load_graph("earlier.json", consent_graph_file().as_bytes(), Format::Json).unwrap().graph;
    // The earlier system read no command lines.
    let mut tiers = list_tiers(&personal.graph);
    assert_eq!(tiers.remove("system.destroy").as_deref(), Some("blocked Any"));
    assert_eq!(tiers, list_tiers(&earlier));
    for (name, domain) in earlier.domains.iter() {
        assert_eq!(personal.graph.domains.get(name), Some(domain), "{name}");
    }
    assert_eq!((personal.graph.decay, personal.graph.visible), (earlier.decay, earlier.visible));
}

#[test]
fn the_policies_of_the_personal_graph_have_the_names_of_their_actions() {
    let personal = load_personal_graph();
    let blocked = [
        "email.delete_vip",
        "files.write_outside_workspace",
        "files.modify_secrets",
        "files.delete_outside_workspace",
    ];
    for action in blocked {
        let action = Action::parse(action).unwrap();
        assert!(personal.graph.rule(&action).is_some(), "{action}");
        let rules = personal.policies.as_ref().unwrap();
        assert!(rules.names().iter().any(|name| name == action.verb()), "{action}");
    }
}

#[test]
fn a_review_of_the_personal_graph_changes_one_date() {
    let date = Date::parse("2026-02-01").unwrap();
    let stamped = review::stamp_review(PERSONAL, Format::Yaml, &[], date).unwrap();
    let expected = PERSONAL.replace("last_reviewed: 2026-01-05", "last_reviewed: 2026-02-01");
    assert_eq!(stamped, expected);
}

//! The tier lists and the Cedar policies they compile to agree.

use super::*;
use countersign_core::model::graph::Unclassified;
use proptest::prelude::*;

/// A graph with these actions in these tiers.
fn graph_with_tiers(actions: &[(u8, u8, Tier)], unclassified: Unclassified) -> Graph {
    let mut text = String::from("domains:\n");
    for domain in 0..4 {
        text.push_str(&format!("  d{domain}:\n"));
        for tier in Tier::ALL {
            let of_tier = actions.iter().filter(|(d, _, t)| *d == domain && *t == *tier);
            let verbs: Vec<_> = of_tier.map(|(_, verb, _)| format!("v{verb}")).collect();
            text.push_str(&format!("    {}: [{}]\n", tier.word(), verbs.join(", ")));
        }
    }
    let mut graph = load_graph("g.yaml", text.as_bytes(), Format::Yaml).unwrap().graph;
    graph.unclassified = unclassified;
    graph
}

fn any_tier() -> impl Strategy<Value = Tier> {
    prop_oneof![Just(Tier::Autonomous), Just(Tier::RequiresApproval), Just(Tier::Blocked)]
}

fn any_facts() -> impl Strategy<Value = ArgumentFacts> {
    prop_oneof![
        Just(no_facts()),
        Just(all_facts()),
        Just(path_facts("/w/.env")),
        any::<i64>().prop_map(|amount| amount_facts(amount, None)),
        ".*".prop_map(|text| ArgumentFacts { branch: Fact::Known(text), ..all_facts() }),
        ".*".prop_map(|why| ArgumentFacts { path: Fact::Unreadable(why), ..no_facts() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn without_policies_cedar_agrees_with_the_lists(
        tiers in prop::collection::btree_map((0..4_u8, 0..6_u8), any_tier(), 0..20),
        shut in any::<bool>(),
        facts in prop::collection::vec(any_facts(), 0..3),
    ) {
        let actions: Vec<_> = tiers.iter().map(|((d, v), tier)| (*d, *v, *tier)).collect();
        let unclassified = if shut { Unclassified::Deny } else { Unclassified::Ask };
        let graph = graph_with_tiers(&actions, unclassified);
        let rules = compile(&graph, &[]).unwrap();
        for domain in 0..5 {
            for verb in 0..6 {
                let action = action(&format!("d{domain}.v{verb}"));
                let listed = graph.rule(&action).map(|rule| rule.tier);
                let expected = listed.unwrap_or(match unclassified {
                    Unclassified::Ask => Tier::RequiresApproval,
                    Unclassified::Deny => Tier::Blocked,
                });
                let found = rules.evaluate_including_lists(&action, &facts).unwrap();
                prop_assert_eq!(found, expected_ruling(expected, &[]));
                prop_assert_eq!(rules.evaluate(&action, &facts), None);
            }
        }
    }
}

#[test]
fn every_context_has_the_types_of_the_schema() {
    let rules = compile_policies("");
    for facts in [no_facts(), all_facts(), path_facts("/w/.env"), amount_facts(1, None)] {
        rules.validate_context(&action("files.edit"), &facts).unwrap();
        rules.validate_context(&action("nowhere.listed"), &facts).unwrap();
    }
}

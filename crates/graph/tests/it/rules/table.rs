//! The lists and what they compile to say the same.

use super::*;
use countersign_core::model::graph::Unclassified;
use proptest::prelude::*;

/// A graph with these actions in these tiers.
fn listed(actions: &[(u8, u8, Tier)], unclassified: Unclassified) -> Graph {
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

fn tier() -> impl Strategy<Value = Tier> {
    prop_oneof![Just(Tier::Autonomous), Just(Tier::RequiresApproval), Just(Tier::Blocked)]
}

fn facts() -> impl Strategy<Value = ArgumentFacts> {
    prop_oneof![
        Just(nothing()),
        Just(everything()),
        Just(at("/w/.env")),
        any::<i64>().prop_map(|amount| paying(amount, None)),
        ".*".prop_map(|text| ArgumentFacts { branch: Fact::Known(text), ..everything() }),
        ".*".prop_map(|why| ArgumentFacts { path: Fact::Unreadable(why), ..nothing() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn without_policies_cedar_says_what_the_lists_say(
        tiers in prop::collection::btree_map((0..4_u8, 0..6_u8), tier(), 0..20),
        shut in any::<bool>(),
        facts in prop::collection::vec(facts(), 0..3),
    ) {
        let actions: Vec<_> = tiers.iter().map(|((d, v), tier)| (*d, *v, *tier)).collect();
        let unclassified = if shut { Unclassified::Deny } else { Unclassified::Ask };
        let graph = listed(&actions, unclassified);
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
                prop_assert_eq!(found, ruled(expected, &[]));
                prop_assert_eq!(rules.evaluate(&action, &facts), None);
            }
        }
    }
}

/// What is built for a call has the types of the schema, whatever is known.
#[test]
fn every_context_has_the_types_that_policies_were_checked_against() {
    let rules = rules("");
    for facts in [nothing(), everything(), at("/w/.env"), paying(1, None)] {
        rules.validate_context(&action("files.edit"), &facts).unwrap();
        rules.validate_context(&action("nowhere.listed"), &facts).unwrap();
    }
}

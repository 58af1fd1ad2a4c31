//! The rules of a repository that nobody has trusted never allow more.

use super::graphs::{ACTIONS, action};
use super::holds;
use super::tales::tale;
use super::worlds::World;
use countersign_core::model::graph::{Graph, LayerStanding};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Outcome, Tier};
use countersign_core::steps::retry::retry_call;
use countersign_graph::layer::{apply_layer, parse_layer};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a layer says about one action: its tier, and whether it wants the trusted channel.
type Listed = (Option<Tier>, bool);

fn tier() -> impl Strategy<Value = Tier> {
    // `autonomous` needs trust, but a list may name it: then the whole layer has no standing. Here it is
    // applied as if it had, and still must not allow more.
    prop_oneof![Just(Tier::Autonomous), Just(Tier::RequiresApproval), Just(Tier::Blocked)]
}

/// Whether the domains of a layer have conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conditions {
    None,
    Some,
}

fn listed() -> impl Strategy<Value = Vec<Listed>> {
    let one = (prop::option::of(tier()), prop_oneof![4 => Just(false), 1 => Just(true)]);
    prop::collection::vec(one, ACTIONS.len())
}

/// The text of a layer, as a repository would have it.
fn write_layer(listed: &[Listed], conditions: Conditions) -> String {
    let mut domains: BTreeMap<String, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for (at, (tier, is_bound)) in listed.iter().enumerate() {
        let action: Action = action(at);
        let domain = domains.entry(action.domain().to_owned()).or_default();
        let verb = action.verb().to_owned();
        if let Some(tier) = tier {
            domain.entry(tier.word()).or_default().push(verb.clone());
        }
        if *is_bound {
            domain.entry("trusted_channel_required").or_default().push(verb);
        }
    }
    let mut text = "domains:\n".to_owned();
    for (name, lists) in domains {
        writeln!(text, "  {name}:").unwrap();
        for (list, verbs) in lists {
            writeln!(text, "    {list}: [{}]", verbs.join(", ")).unwrap();
        }
        if conditions == Conditions::Some {
            writeln!(text, "    require_diff: true\n    cooling_period_hours: 2").unwrap();
        } else {
            writeln!(text, "    _: nothing else").unwrap();
        }
    }
    text
}

fn add_layer(graph: &Graph, listed: &[Listed], conditions: Conditions) -> Graph {
    let text = write_layer(listed, conditions);
    let layer = parse_layer("countersign.yaml", text.as_bytes()).unwrap();
    apply_layer(graph, &layer, LayerStanding::Narrowing)
}

#[test]
fn rules_of_a_repository_without_trust_never_allow_more() {
    let conditions = prop_oneof![Just(Conditions::None), Just(Conditions::Some)];
    holds(&(tale(), listed(), conditions), |(tale, listed, conditions)| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        let narrowed = add_layer(&graph, &listed, conditions);
        for call in world.probes() {
            let before = world.decided((&state, &graph), &call);
            let after = world.decided((&state, &narrowed), &call);
            prop_assert!(
                after.outcome >= before.outcome.min(Outcome::Ask),
                "{before:?}\n{after:?}"
            );
            prop_assert!(
                before.outcome != Outcome::Deny || after.outcome == Outcome::Deny,
                "{before:?}\n{after:?}"
            );
        }
        for record in state.calls.values() {
            let (session, agent) = (&record.call.session, &record.call.agent);
            let retry = |graph: &Graph| {
                world.knowing(&state, graph, |f| retry_call(f, record.call.id, session, agent))
            };
            let (before, after) = (retry(&graph), retry(&narrowed));
            prop_assert!(before.goes_ahead() || !after.goes_ahead(), "{before:?}\n{after:?}");
        }
        Ok(())
    });
}

#[test]
fn where_nobody_can_read_the_rules_nothing_passes_that_nobody_is_asked_about() {
    holds(&tale(), |tale| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        let unreadable = graph.with_unreadable_layer("it is a link");
        for call in world.probes() {
            let before = world.decided((&state, &graph), &call);
            let after = world.decided((&state, &unreadable), &call);
            prop_assert!(
                after.outcome >= before.outcome.min(Outcome::Ask),
                "{before:?}\n{after:?}"
            );
        }
        Ok(())
    });
}

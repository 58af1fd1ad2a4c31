//! The same facts give the same decision, in whatever order they are kept.

use super::tales::{Tale, tale};
use super::worlds::World;
use super::{Held, holds, try_on};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::{Outcome, Reason, Risk};
use countersign_core::state::State;
use countersign_core::state::grants::Grants;
use countersign_core::steps::resolve::resolve_call;
use proptest::prelude::*;

/// What everybody sees of a decision; which of two equal reducers helped, nobody does.
fn seen(decision: &Decision) -> (Outcome, Reason, Vec<(Outcome, Reason, Risk)>) {
    let verdicts = decision.verdicts.iter().map(|one| (one.outcome, one.reason, one.risk));
    (decision.outcome, decision.reason, verdicts.collect())
}

/// The same grants, put in from the other end.
fn backwards(state: &State) -> State {
    let mut other = state.clone();
    let mut grants: Vec<_> = state.grants.iter().cloned().collect();
    grants.reverse();
    other.grants = Grants::empty();
    grants.into_iter().for_each(|grant| other.grants.insert(grant));
    other
}

/// The same graph with every list turned round.
fn turned(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    graph.reducers.reverse();
    graph.tools.reverse();
    graph.rules = graph.rules.into_iter().collect();
    for workflow in graph.workflows.values_mut() {
        workflow.steps.reverse();
    }
    for rule in graph.rules.values_mut() {
        rule.categories.reverse();
    }
    graph
}

#[test]
fn the_same_facts_give_the_same_decision() {
    holds(&tale(), |tale| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        let (copy, other_order) = ((*state).clone(), backwards(&state));
        for call in world.probes() {
            let first = world.decided((&state, &graph), &call);
            prop_assert_eq!(&world.decided((&state, &graph), &call), &first);
            prop_assert_eq!(&world.decided((&copy, &graph), &call), &first);
            prop_assert_eq!(&world.decided((&other_order, &graph), &call), &first);
        }
        Ok(())
    });
}

#[test]
fn the_same_tale_told_twice_leaves_the_same_ledger() {
    try_on(&tale(), 128, |tale| {
        let (once, twice) = (World::after(&tale), World::after(&tale));
        // Only the salts differ.
        let told = |world: &World| -> Vec<_> {
            world
                .engine
                .read_all_entries()
                .unwrap()
                .iter()
                .map(|entry| entry.change().unwrap())
                .collect()
        };
        prop_assert_eq!(told(&once), told(&twice));
        Ok(())
    });
}

fn order_does_not_matter(tale: &Tale) -> Held {
    let world = World::after(tale);
    let (state, graph) = (world.state(), world.graph());
    let (other_state, other_graph) = (backwards(&state), turned(&graph));
    for (at, call) in
        (0..tale.calls.len()).filter_map(|at| Some((at, world.resolved(&world.draft(at))?)))
    {
        let first = seen(&world.decided((&state, &graph), &call));
        let draft = world.draft(at);
        let same = world.knowing(&state, &other_graph, |facts| resolve_call(facts, draft.clone()));
        let same = same.unwrap();
        prop_assert_eq!(&same.digest, &call.digest);
        prop_assert_eq!(&seen(&world.decided((&other_state, &other_graph), &same)), &first);
        let mut reversed = call.clone();
        reversed.actions.reverse();
        let decision = world.decided((&state, &graph), &reversed);
        prop_assert_eq!(decision.outcome, first.0);
    }
    Ok(())
}

#[test]
fn the_order_of_grants_rules_reducers_and_tools_never_matters() {
    try_on(&tale(), 256, |tale| order_does_not_matter(&tale));
}

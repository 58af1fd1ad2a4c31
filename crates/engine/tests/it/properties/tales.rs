//! Tales: a graph, the calls that keep coming back, and what happens.

use super::calls::{Sketch, sketch};
use super::graphs::{action, an_action, calm, graph};
use super::steps::{Deed, deed, giving, taking_back};
use countersign_core::model::call::Definition;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::{Effect, Risk};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt;
use std::ops::Range;

#[derive(Clone)]
pub(super) struct Tale {
    pub graph: Graph,
    pub calls: Vec<Sketch>,
    pub deeds: Vec<Deed>,
}

/// One line for each thing, because a tale that breaks a property is read by a person.
impl fmt::Debug for Tale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Graph { decay, last_reviewed, unclassified, reducers, workflows, slash, .. } =
            &self.graph;
        writeln!(f, "graph: {decay:?}, {last_reviewed:?}, unclassified {unclassified:?}")?;
        writeln!(f, "{reducers:?}\n{workflows:?}\n{slash:?}")?;
        self.graph.domains.iter().try_for_each(|domain| writeln!(f, "domain: {domain:?}"))?;
        self.graph.rules.iter().try_for_each(|rule| writeln!(f, "rule: {rule:?}"))?;
        self.calls.iter().try_for_each(|call| writeln!(f, "call: {call:?}"))?;
        self.deeds.iter().try_for_each(|deed| writeln!(f, "deed: {deed:?}"))
    }
}

/// Anything at all.
pub(super) fn tale() -> impl Strategy<Value = Tale> {
    told(deed(), 6..24)
}

fn told(deeds: impl Strategy<Value = Deed>, length: Range<usize>) -> impl Strategy<Value = Tale> {
    (graph(), vec(sketch(), 4), vec(deeds, length)).prop_map(|(graph, calls, deeds)| Tale {
        graph,
        calls,
        deeds,
    })
}

/// Much is granted and used, some of it taken back, and little stands in the way.
pub(super) fn give_and_take() -> impl Strategy<Value = Tale> {
    told(prop_oneof![8 => giving(), 2 => taking_back(), 2 => deed()], 8..30).prop_map(in_calm)
}

/// Every other action is critical, so its grants are used up as soon as its call begins; effects are
/// often unknown, and much is answered and taken back in words.
pub(super) fn critical_and_spoken() -> impl Strategy<Value = Tale> {
    let words = select(vec!["yes", "yes", "no", "stop", "hello", "Revoke all consent"]);
    let deeds = prop_oneof![
        6 => giving(),
        2 => taking_back(),
        2 => words.prop_map(|text| Deed::Says(0, text)),
        2 => (0..9usize).prop_map(|at| Deed::Finish(at, Effect::Unknown)),
        2 => (0..9usize).prop_map(Deed::Retry),
        2 => deed(),
    ];
    told(deeds, 8..30).prop_map(|tale| {
        let mut tale = in_calm(tale);
        for rule in tale.graph.rules.values_mut().step_by(2) {
            rule.risk = Risk::Critical;
        }
        tale
    })
}

/// Every call does several things, so that cards have several items.
pub(super) fn bundles() -> impl Strategy<Value = Tale> {
    let several = vec(vec(an_action(), 2..4), 4);
    (told(deed(), 4..16), several).prop_map(|(tale, several)| {
        let mut tale = in_calm(tale);
        for (call, actions) in tale.calls.iter_mut().zip(several) {
            call.draft.actions = actions.into_iter().map(action).collect();
            call.draft.actions.sort();
            call.draft.actions.dedup();
        }
        tale
    })
}

fn in_calm(mut tale: Tale) -> Tale {
    calm(&mut tale.graph);
    for call in &mut tale.calls {
        call.draft.observed.definition = Definition::AsPinned;
        call.draft.target.truncate(1);
        call.draft.claims.risk = None;
        call.session = 0;
    }
    tale
}

//! Where the diff of two graphs finds nothing looser, nothing more is allowed.

use super::graphs::{action, an_action, domain, is_valid, rule};
use super::tales::{Tale, tale};
use super::try_on;
use super::worlds::World;
use countersign_core::decide;
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::{Domain, Graph, Rule, Unclassified};
use countersign_core::model::words::Tier;
use countersign_graph::diff::{Difference, diff};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};

/// One place of a graph, changed.
#[derive(Clone, Debug)]
enum Change {
    /// Another rule for an action, as far as the mask goes.
    Rule(Rule, u8),
    Domain(Domain, u8),
    Unlisted,
    Unclassified,
    NoReducers,
    OutOfWorkflows,
    NoContacts,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (rule(), any::<u8>()).prop_map(|(rule, mask)| Change::Rule(rule, mask)),
        3 => (domain(), any::<u8>()).prop_map(|(domain, mask)| Change::Domain(domain, mask)),
        2 => Just(Change::Unlisted),
        1 => Just(Change::Unclassified),
        1 => Just(Change::NoReducers),
        2 => Just(Change::OutOfWorkflows),
        1 => Just(Change::NoContacts),
    ]
}

fn pick<T>(mask: u8, bit: u8, (old, new): (T, T)) -> T {
    if mask & (1 << bit) == 0 { old } else { new }
}

fn mixed(old: &Rule, new: &Rule, mask: u8) -> Rule {
    let categories = pick(mask, 2, (&old.categories, &new.categories)).clone();
    let risk = pick(mask, 1, (old.risk, new.risk));
    Rule {
        tier: pick(mask, 0, (old.tier, new.tier)),
        risk: categories.iter().map(|category| category.floor()).fold(risk, Ord::max),
        categories,
        undo: pick(mask, 3, (old.undo, new.undo)),
        asking: pick(mask, 4, (old.asking, new.asking)),
        when_idle: pick(mask, 5, (old.when_idle, new.when_idle)),
        channel: pick(mask, 6, (old.channel, new.channel)),
    }
}

/// None where no file could say it.
fn changed(graph: &Graph, at: usize, change: &Change) -> Option<Graph> {
    let (mut graph, action) = (graph.clone(), action(at));
    match change {
        Change::Rule(new, mask) => {
            let rule = graph.rules.get_mut(&action)?;
            *rule = mixed(rule, new, *mask);
        }
        Change::Domain(new, mask) => {
            let domain = graph.domains.get_mut(action.domain())?;
            *domain = Domain {
                trust: pick(*mask, 0, (domain.trust, new.trust)),
                last_reviewed: None,
                visible: pick(*mask, 1, (domain.visible, new.visible)),
                destinations: pick(*mask, 2, (domain.destinations, new.destinations)),
                conditions: pick(*mask, 3, (domain.conditions, new.conditions)),
            };
        }
        Change::Unlisted => {
            graph.rules.remove(&action);
        }
        Change::Unclassified => graph.unclassified = Unclassified::Deny,
        Change::NoReducers => graph.reducers.retain(|reducer| reducer.action != action),
        Change::OutOfWorkflows => {
            let workflows = graph.workflows.values_mut();
            workflows.for_each(|workflow| workflow.actions.retain(|one| *one != action));
        }
        Change::NoContacts => graph.contacts.clear(),
    }
    graph.reducers.iter().all(|reducer| is_valid(&graph, reducer)).then_some(graph)
}

/// A decayed permission is held back further than the tier after it, which confidence may pass.
fn rests_on_decay(world: &World, old: &Graph, found: &[Difference]) -> bool {
    let today = world.engine.display_time().date();
    let decayed = old.domains.values().any(|domain| old.is_decayed(Some(domain), today));
    decayed && found.iter().any(|d| d.key == "tier" && d.before == Tier::Autonomous.word())
}

#[derive(Default)]
struct Tried {
    pairs: Cell<usize>,
    /// The first decision that became milder, and what the diff says.
    broken: RefCell<Option<(Vec<Difference>, Decision, Decision)>>,
}

impl Tried {
    /// Judges a pair by its differences without those about `overlooked`.
    fn pair(&self, world: &World, (old, new): (&Graph, &Graph), overlooked: &str) {
        let found = diff(old, new);
        let loosens = |d: &Difference| d.direction.can_loosen() && d.key != overlooked;
        if found.is_empty() || found.iter().any(loosens) || rests_on_decay(world, old, &found) {
            return;
        }
        self.pairs.set(self.pairs.get() + 1);
        let state = world.state();
        for call in world.probes() {
            let judged = |graph| world.knowing(&state, graph, |facts| decide(facts, &call));
            let (before, after) = (judged(old), judged(new));
            if after.outcome < before.outcome && self.broken.borrow().is_none() {
                self.broken.replace(Some((found.clone(), before, after)));
            }
        }
    }
}

fn tried(cases: u32, overlooked: &str) -> Tried {
    let tried = Tried::default();
    let values = (tale(), prop::collection::vec((an_action(), change()), 6));
    try_on(&values, cases, |(tale, changes): (Tale, Vec<(usize, Change)>)| {
        let world = World::after(&tale);
        let graph = world.graph();
        for (at, change) in &changes {
            if let Some(other) = changed(&graph, *at, change) {
                tried.pair(&world, (&graph, &other), overlooked);
                tried.pair(&world, (&other, &graph), overlooked);
            }
        }
        Ok(())
    });
    tried
}

#[test]
fn where_nothing_becomes_looser_nothing_more_is_allowed() {
    let tried = tried(480, "nothing");
    assert!(tried.pairs.get() > 480, "only {} pairs say something", tried.pairs.get());
    let broken = tried.broken.take();
    assert!(broken.is_none(), "{broken:#?}");
}

#[test]
fn a_diff_that_overlooked_something_would_be_found_out() {
    for overlooked in ["tier", "risk", "always_ask", "listed"] {
        // Rare rules need more worlds; the common ones are found in a few.
        let found =
            [160, 960].iter().any(|cases| tried(*cases, overlooked).broken.take().is_some());
        assert!(found, "{overlooked}");
    }
}

//! The same tale leaves the same ledger on every store.
//!
//! The other properties are tried in memory, where a world costs little. A database reads only the
//! rows that a step needs; if it reads too few, a decision comes out differently, and so does the
//! ledger from there on.

use super::interleavings::happen_in_pairs;
use super::tales::{Tale, bundles, give_and_take, tale};
use super::worlds::World;
use super::{Held, try_on};
use crate::stores::{in_memory, postgres, sqlite};
use countersign_core::model::call::CallTarget;
use countersign_core::model::change::Change;
use countersign_core::model::time::Time;
use countersign_engine::{Memory, Store};
use proptest::prelude::*;
use std::cell::Cell;

/// What happened, without the salts, which no two runs share. Of several grants that end at once, a
/// store may name any first.
fn changes(world: &World) -> Vec<(Time, Change)> {
    let entries = world.engine.read_all_entries().unwrap();
    let mut changes: Vec<_> = entries.iter().map(|entry| entry.change().unwrap()).collect();
    let is_together =
        |a: &(Time, Change), b: &(Time, Change)| a.0 == b.0 && a.1.kind() == b.1.kind();
    for together in changes.chunk_by_mut(is_together) {
        together.sort_by_cached_key(|(_, change)| format!("{change:?}"));
    }
    changes
}

/// A known difference: a call with two questions is declined by the first answer, and the second answer
/// declines too. A database does not read the call any more, so the second decline names no target.
fn is_known_difference(expected: &Change, found: &Change) -> bool {
    let (Change::RequestAnswered { answered }, Change::RequestAnswered { .. }) = (found, expected)
    else {
        return false;
    };
    let nothing = CallTarget::Named(Vec::new());
    let is_without_targets = answered.declines.iter().all(|decline| decline.target == nothing);
    expected != found && is_without_targets && without_targets(expected) == without_targets(found)
}

fn without_targets(change: &Change) -> Change {
    let mut change = change.clone();
    if let Change::RequestAnswered { answered } = &mut change {
        for decline in &mut answered.declines {
            decline.target = CallTarget::Named(Vec::new());
        }
    }
    change
}

/// Compares worlds with those of the same tales in memory.
#[derive(Default)]
struct Comparison {
    known_differences: Cell<usize>,
}

impl Comparison {
    /// The first change that differs says more than two ledgers. After a known difference nothing is
    /// compared.
    fn compare(&self, expected: &World, found: &World) -> Held {
        let (expected, found) = (changes(expected), changes(found));
        for (number, (expected, found)) in (1..).zip(expected.iter().zip(&found)) {
            if expected.0 == found.0 && is_known_difference(&expected.1, &found.1) {
                self.known_differences.set(self.known_differences.get() + 1);
                return Ok(());
            }
            prop_assert_eq!(expected, found, "entry {}: in memory on the left", number);
        }
        prop_assert_eq!(expected.len(), found.len());
        Ok(())
    }
}

fn is_same_on(store: Box<dyn Store>, tale: &Tale) -> Held {
    Comparison::default().compare(&World::after(tale), &World::after_on(store, tale))
}

fn is_same_in_pairs_on(store: Box<dyn Store>, tale: &Tale) -> Held {
    let memory = happen_in_pairs(Box::new(Memory::empty()), tale);
    Comparison::default().compare(&memory, &happen_in_pairs(store, tale))
}

#[test]
fn a_tale_is_the_same_on_sqlite() {
    try_on(&tale(), 128, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path())), &tale)
    });
}

#[test]
fn a_tale_is_the_same_on_sqlite_without_a_cache() {
    try_on(&tale(), 128, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path()).without_cache()), &tale)
    });
}

#[test]
fn giving_and_taking_back_is_the_same_on_sqlite_without_a_cache() {
    try_on(&give_and_take(), 96, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path()).without_cache()), &tale)
    });
}

#[test]
fn cards_of_several_items_are_the_same_on_sqlite_without_a_cache() {
    let comparison = Comparison::default();
    try_on(&bundles(), 64, |tale| {
        let folder = in_memory();
        let store = Box::new(sqlite(folder.path()).without_cache());
        comparison.compare(&World::after(&tale), &World::after_on(store, &tale))
    });
    let known = comparison.known_differences.get();
    assert!(known > 0, "nothing differs any more: remove `is_known_difference`");
}

#[test]
fn steps_that_meet_are_the_same_on_sqlite() {
    try_on(&give_and_take(), 64, |tale| {
        let folder = in_memory();
        is_same_in_pairs_on(Box::new(sqlite(folder.path())), &tale)
    });
}

#[test]
fn a_tale_is_the_same_on_postgres() {
    try_on(&tale(), 12, |tale| is_same_on(Box::new(postgres()), &tale));
}

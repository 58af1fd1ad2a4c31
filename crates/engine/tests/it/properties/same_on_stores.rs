//! The same tale leaves the same ledger on every store.
//!
//! The other properties are tried in memory, where a world costs little. A database reads only the
//! rows that a step needs; if it reads too few, a decision comes out differently, and so does the
//! ledger from there on.

use super::interleavings::happen_in_pairs;
use super::tales::{Tale, bundles, critical_and_spoken, give_and_take, tale};
use super::worlds::World;
use super::{Held, try_on};
use crate::stores::{in_memory, postgres, sqlite};
use countersign_core::model::change::Change;
use countersign_core::model::time::Time;
use countersign_engine::{Memory, Store};
use proptest::prelude::*;

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

/// The first change that differs says more than two ledgers.
fn compare(expected: &World, found: &World) -> Held {
    let (expected, found) = (changes(expected), changes(found));
    for (number, (expected, found)) in (1..).zip(expected.iter().zip(&found)) {
        prop_assert_eq!(expected, found, "entry {}: in memory on the left", number);
    }
    prop_assert_eq!(expected.len(), found.len());
    Ok(())
}

fn is_same_on(store: Box<dyn Store>, tale: &Tale) -> Held {
    compare(&World::after(tale), &World::after_on(store, tale))
}

fn is_same_in_pairs_on(store: Box<dyn Store>, tale: &Tale) -> Held {
    let memory = happen_in_pairs(Box::new(Memory::empty()), tale);
    compare(&memory, &happen_in_pairs(store, tale))
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
    try_on(&bundles(), 64, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path()).without_cache()), &tale)
    });
}

#[test]
fn critical_calls_and_words_are_the_same_on_sqlite() {
    try_on(&critical_and_spoken(), 128, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path())), &tale)
    });
}

#[test]
fn critical_calls_and_words_are_the_same_on_sqlite_without_a_cache() {
    try_on(&critical_and_spoken(), 128, |tale| {
        let folder = in_memory();
        is_same_on(Box::new(sqlite(folder.path()).without_cache()), &tale)
    });
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

#[test]
fn critical_calls_and_words_are_the_same_on_postgres() {
    try_on(&critical_and_spoken(), 12, |tale| is_same_on(Box::new(postgres()), &tale));
}

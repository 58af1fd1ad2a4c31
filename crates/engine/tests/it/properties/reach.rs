//! A generator that never gets anywhere proves nothing: here is where it gets.

use super::tales::tale;
use super::try_on;
use super::worlds::World;
use countersign_core::model::change::Change;
use countersign_core::model::words::Reason;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Reasons that a call cannot have in these worlds: they have a graph, no files, few
/// questions, and agents that cancel nothing.
const ELSEWHERE: [Reason; 6] = [
    Reason::NoGraph,
    Reason::SelfProtection,
    Reason::UnresolvedPath,
    Reason::Cancelled,
    Reason::TooManyOpen,
    Reason::ChangedBeforeRun,
];
/// Reasons that only proposals have, when they are submitted or applied.
const OF_PROPOSALS: [Reason; 2] = [Reason::UndoMissing, Reason::Cooling];

#[test]
fn the_worlds_reach_every_reason() {
    let reached = RefCell::new(BTreeMap::<Reason, usize>::new());
    try_on(&tale(), 1024, |tale| {
        let world = World::after(&tale);
        for entry in world.engine.read_all_entries().unwrap() {
            if let (_, Change::CallDecided { decision, .. }) = entry.change().unwrap() {
                *reached.borrow_mut().entry(decision.reason).or_default() += 1;
            }
        }
        Ok(())
    });
    let reached = reached.into_inner();
    let missing: Vec<_> = Reason::ALL
        .iter()
        .filter(|reason| !ELSEWHERE.contains(reason) && !OF_PROPOSALS.contains(reason))
        .filter(|reason| !reached.contains_key(reason))
        .collect();
    assert!(missing.is_empty(), "not reached: {missing:?}; reached: {reached:?}");
}

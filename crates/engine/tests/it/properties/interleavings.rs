//! Whatever comes between the read and the commit of a step, the ledger is what it would be if the
//! steps had come one after the other.

use super::steps::Deed;
use super::tales::{Tale, give_and_take, tale};
use super::worlds::World;
use super::{Held, try_on};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Attempt, Change, Kind};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::NodeName;
use countersign_core::model::words::Assurance;
use countersign_core::state::State;
use countersign_core::steps::record::{record, record_again};
use countersign_core::steps::retry::retry_call;
use countersign_engine::{Memory, Store};
use countersign_ledger::{Entry, replay, verify};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

/// Deeds that change what a decision knows besides the record, which is not what this is about.
fn changes_only_the_record(deed: &Deed) -> bool {
    !matches!(deed, Deed::Surface(_) | Deed::Review | Deed::Restart | Deed::Wait(_))
}

/// Does the deeds in pairs: the second of a pair comes between the read and the commit of the first.
pub(super) fn happen_in_pairs(store: Box<dyn Store>, tale: &Tale) -> World {
    let mut world = World::on(store, &tale.graph, &tale.calls);
    let other = Arc::new(Mutex::new(world.companion()));
    let deeds: Vec<&Deed> =
        tale.deeds.iter().filter(|deed| changes_only_the_record(deed)).collect();
    for pair in deeds.chunks(2) {
        if let Some(second) = pair.get(1) {
            let (other, second) = (Arc::clone(&other), (*second).clone());
            other.lock().unwrap().learn_from(&world);
            let interruption = move || other.lock().unwrap().act(&second);
            world.store.interrupt_next_commit(Box::new(interruption));
        }
        world.act(pair[0]);
        if let Some(interruption) = world.store.take_interruption() {
            interruption();
        }
        world.learn_from(&other.lock().unwrap());
    }
    world
}

/// Every decision, with all that follows from it, comes out again on the state that the entries
/// before it make.
fn comes_out_in_order(world: &World, entries: &[Entry]) -> Held {
    let (mut state, graph) = (State::empty(), world.graph());
    for (seq, entry) in entries.iter().enumerate() {
        let (at, change) = entry.change().unwrap();
        if let Change::CallDecided { attempt, decision, ruled, given } = &change {
            let facts = Facts {
                now: at,
                ids: &IdGenerator::new(at, 0),
                graph: Some(&graph),
                state: &state,
                surface: given.surface,
                assurance: Assurance::Separated,
                questions: countersign_core::model::open_questions::OpenQuestions::none(
                    countersign_core::model::open_questions::QuestionLimits::default(),
                ),
                protected: &[],
                ruled,
                key: None,
                node: NodeName::local(),
                place: None,
            };
            let expected = match attempt {
                Attempt::First(call) => {
                    prop_assert_eq!(&decide(&facts, call), decision, "entry {}", entry.seq);
                    record(&facts, call, decision)
                }
                Attempt::Retry(id) => {
                    let call = Arc::clone(&state.calls.get(id).unwrap().call);
                    let repeated = retry_call(&facts, *id, &call.session, &call.agent);
                    prop_assert_eq!(&repeated, decision, "entry {}", entry.seq);
                    record_again(&facts, &call, decision)
                }
                Attempt::Start { .. }
                | Attempt::Ahead { .. }
                | Attempt::Proposal { .. }
                | Attempt::Apply { .. }
                | Attempt::Malformed { .. } => Vec::new(),
            };
            let expected: Vec<Kind> = expected.iter().map(Change::kind).collect();
            let recorded: Vec<Kind> =
                entries[seq..].iter().take(expected.len()).map(|entry| entry.kind).collect();
            prop_assert_eq!(recorded, expected, "after entry {}", entry.seq);
        }
        state.apply(at, &change);
    }
    prop_assert_eq!(&state, &*world.state());
    Ok(())
}

fn stays_in_order(tale: &Tale) -> Held {
    let world = happen_in_pairs(Box::new(Memory::empty()), tale);
    let entries = world.engine.read_all_entries().unwrap();
    prop_assert!(verify(&entries).is_ok());
    prop_assert_eq!(&replay(&entries).unwrap(), &*world.state());
    comes_out_in_order(&world, &entries)
}

#[test]
fn steps_that_meet_leave_the_ledger_of_steps_one_after_the_other() {
    try_on(&tale(), 384, |tale| stays_in_order(&tale));
}

#[test]
fn consent_that_is_used_and_taken_back_at_the_same_time_stays_in_order() {
    try_on(&give_and_take(), 384, |tale| stays_in_order(&tale));
}

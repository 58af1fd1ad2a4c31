//! The ledger, replayed, gives the state and every decision again.

use super::tales::tale;
use super::worlds::World;
use super::{Held, holds};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::time::Time;
use countersign_core::model::words::Assurance;
use countersign_core::state::State;
use countersign_core::steps::retry::retry_call;
use countersign_ledger::{Entry, replay, verify};
use proptest::prelude::*;

/// What is decided again about an attempt, if it was about a call.
fn again(
    world: &World,
    state: &State,
    (seq, at): (usize, Time),
    (attempt, ruled): (&Attempt, &RuleResults),
) -> Option<Decision> {
    // Which graph and which surfaces there were is not in the state.
    let moment = world.moments.iter().rev().find(|moment| moment.since <= seq)?;
    let ids = IdGenerator::new(at, 0);
    let facts = Facts {
        now: at,
        ids: &ids,
        graph: Some(&moment.graph),
        state,
        surface: moment.surface,
        assurance: Assurance::Separated,
        questions: countersign_core::model::open_questions::OpenQuestions::none(
            countersign_core::model::open_questions::QuestionLimits::default(),
        ),
        protected: &[],
        ruled,
        key: None,
        node: countersign_core::model::names::NodeName::local(),
        place: None,
    };
    match attempt {
        Attempt::First(call) => Some(decide(&facts, call)),
        Attempt::Retry(id) => {
            let call = &state.calls.get(id)?.call;
            Some(retry_call(&facts, *id, &call.session, &call.agent))
        }
        Attempt::Start { .. }
        | Attempt::Ahead { .. }
        | Attempt::Proposal { .. }
        | Attempt::Apply { .. }
        | Attempt::Malformed { .. } => None,
    }
}

fn every_decision_comes_back(world: &World, entries: &[Entry]) -> Held {
    let mut state = State::empty();
    for (seq, entry) in entries.iter().enumerate() {
        let (at, change) = entry.change().unwrap();
        if let Change::CallDecided { attempt, decision, ruled, .. } = &change
            && let Some(repeated) = again(world, &state, (seq, at), (attempt, ruled))
        {
            prop_assert_eq!(&repeated, decision);
        }
        state.apply(at, &change);
    }
    prop_assert_eq!(&state, &*world.state());
    Ok(())
}

#[test]
fn replaying_the_ledger_gives_the_state_and_every_decision_again() {
    holds(&tale(), |tale| {
        let world = World::after(&tale);
        let entries = world.engine.read_all_entries().unwrap();
        prop_assert!(verify(&entries).is_ok());
        prop_assert_eq!(&replay(&entries).unwrap(), &*world.state());
        every_decision_comes_back(&world, &entries)
    });
}

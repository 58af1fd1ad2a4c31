//! An empty set never carries a call.

use super::acting::one;
use super::graphs::CATEGORIES;
use super::steps::{Deed, What};
use super::tales::{Tale, tale};
use super::worlds::{World, session};
use super::{Held, holds};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::Call;
use countersign_core::model::grant::{Confirmation, Scope};
use countersign_core::model::names::Action;
use countersign_core::model::request::{Answer, AnswerChoices};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Initiator, Outcome, Reason};
use countersign_engine::AnswerTarget;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn a_call_without_actions_is_denied_whatever_was_granted() {
    holds(&tale(), |tale| {
        let mut world = World::after(&tale);
        for at in 0..tale.calls.len() {
            let mut draft = world.draft(at);
            draft.actions = Vec::new();
            let heard = world.check(&draft).map(|checked| checked.decision().clone()).unwrap();
            prop_assert_eq!((heard.outcome, heard.reason), (Outcome::Deny, Reason::Malformed));
        }
        Ok(())
    });
}

/// The outcomes of the recurring calls, each changed a little.
fn outcomes(world: &World, change: impl Fn(&mut Call)) -> Vec<Outcome> {
    let (state, graph) = (world.state(), world.graph());
    let mut calls = world.probes();
    calls.iter_mut().for_each(change);
    calls.iter().map(|call| world.decided((&state, &graph), call).outcome).collect()
}

/// What is given with nothing in it, to the session of every recurring call.
fn give_nothing(world: &mut World) {
    world.click(0, &[], world.known.last().copied());
    world.say(0, (Speaker::Operator, "/nothing"));
    world.plan(0, &[], 4);
    world.say(0, (Speaker::Operator, "yes"));
    let nothing = Answer {
        say: AnswerChoices::Items(BTreeMap::new()),
        ..one(Choice::Once, AnswerProof::TypedText)
    };
    for request in world.open_requests() {
        world.engine.answer(AnswerTarget::Request(request.id), &nothing).unwrap();
    }
}

/// Calls of the first session, on the last click there and in no run.
fn clicked(world: &World) -> impl Fn(&mut Call) + use<> {
    let gesture = world.gestures.last().map(|(_, gesture)| *gesture);
    move |call: &mut Call| {
        call.observed.initiator = Initiator::Operator;
        call.observed.gesture = gesture;
    }
}

fn nothing_is_gained_by_nothing(tale: &Tale) -> Held {
    let mut world = World::after(tale);
    // A word of the operator ends a dry run or a stop, and a plan another plan: that comes first.
    world.say(0, (Speaker::Operator, "hello"));
    world.plan(0, &[], 0);
    world.gestures.clear();
    let before = outcomes(&world, |_| {});
    give_nothing(&mut world);
    prop_assert_eq!(&outcomes(&world, clicked(&world)), &before);
    Ok(())
}

#[test]
fn a_click_a_slash_command_a_plan_and_an_answer_with_nothing_in_them_carry_nothing() {
    holds(&tale(), |tale| nothing_is_gained_by_nothing(&tale));
}

#[test]
fn a_run_of_an_empty_workflow_carries_nothing() {
    holds(&tale(), |tale| {
        let mut world = World::after(&tale);
        let outside = outcomes(&world, |call| (call.run, call.step) = (None, None));
        world.start_and_yes(0, 2);
        let run = world.runs.last().copied().filter(|run| world.state().runs.contains_key(run));
        let inside = outcomes(&world, |call| {
            (call.run, call.step) = (run.filter(|_| call.session == session(0)), None);
        });
        prop_assert_eq!(inside, outside);
        Ok(())
    });
}

#[test]
fn all_category_grants_together_carry_no_call_without_a_category() {
    holds(&tale(), |tale| {
        let mut world = World::after(&tale);
        let mut graph = (*world.graph()).clone();
        graph.rules.values_mut().for_each(|rule| rule.categories.clear());
        graph.tools.iter_mut().for_each(|tool| tool.categories.clear());
        world.engine.load_graph(graph).unwrap();
        let bare = |call: &mut Call| {
            call.given.clear();
            call.claims.categories.clear();
        };
        let before = outcomes(&world, bare);
        for category in 0..CATEGORIES.len() {
            let (session, what, scope) = (0, What::Category(category), Scope::Session);
            let confirmation = Confirmation::Confirmed;
            world.act(&Deed::Grant { session, what, scope, confirmation });
        }
        prop_assert_eq!(outcomes(&world, bare), before);
        Ok(())
    });
}

#[test]
fn no_name_of_an_action_is_empty() {
    for name in ["", ".", "files.", ".read", " "] {
        assert!(Action::parse(name).is_err(), "{name:?}");
    }
}

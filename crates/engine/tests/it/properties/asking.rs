//! Asking: by asking again nothing is gained, by one answer something is, and only once.

use super::acting::{Items, pick, said};
use super::graphs::{action, category};
use super::steps::{Deed, agents};
use super::tales::{Tale, bundles, tale};
use super::worlds::World;
use super::{Held, holds, try_on};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::{Change, Timing};
use countersign_core::model::grant::{Coverage, GrantState};
use countersign_core::model::graph::StepConsent;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::{Answer, Request, RequestState};
use countersign_core::model::words::{Choice, Effect, Outcome, Reason};
use countersign_core::state::State;
use countersign_core::steps::settle::settle;
use countersign_engine::CheckResult;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What the operator consented to and a failure holds back, a success of that call gives back.
fn is_held_back(state: &State, draft: &CallDraft) -> bool {
    !state.sessions.get(&draft.session).unwrap().failures.is_empty()
}

/// The last word of the operator, which an agent would like to be rid of.
fn last_word() -> impl Strategy<Value = Option<Deed>> {
    let says = |text| Just(Some(Deed::Says(0, text)));
    prop_oneof![2 => Just(None), 1 => says("DRY RUN: all of it"), 1 => says("stop")]
}

fn asked_stays_asked(tale: &Tale, tricks: &[Deed], at: usize) -> Held {
    let mut world = World::after(tale);
    let draft = world.draft(at);
    let Some(CheckResult::Pending { call: operation, decision, .. }) = world.check(&draft) else {
        return Ok(());
    };
    // The decisions below are made without what the engine finds out about the target.
    if decision.reason == Reason::UnresolvedPath {
        return Ok(());
    }
    for trick in tricks {
        let (begun, state) = (world.effects.len(), world.state());
        world.act(trick);
        if is_held_back(&state, &draft) {
            return Ok(());
        }
        let is_open = world.open_requests().iter().any(|request| request.lists_call(operation));
        let call = world.resolved(&draft).unwrap();
        let again = world.decided((&world.state(), &world.graph()), &call);
        prop_assert!(again.outcome >= Outcome::Notify, "{again:?} after {begun} effects");
        prop_assert!(again.outcome != Outcome::Notify || !is_open, "{again:?}");
    }
    let again = world.retry(operation);
    prop_assert!(again.is_some(), "redeemed without an answer");
    Ok(())
}

#[test]
fn nothing_an_agent_does_turns_an_ask_into_an_allow() {
    let tricks = prop::collection::vec(agents(), 1..12);
    try_on(&(tale(), last_word(), tricks, 0..4usize), 512, |(mut tale, word, tricks, at)| {
        tale.deeds.extend(word);
        asked_stays_asked(&tale, &tricks, at)
    });
}

/// What a surface could say about a card.
const SAYINGS: [(Choice, Items); 6] = [
    (Choice::Once, Items::All),
    (Choice::Once, Items::First),
    (Choice::Once, Items::Last),
    (Choice::Session, Items::First),
    (Choice::Decline, Items::First),
    (Choice::Decline, Items::Last),
];

/// One card, and what two surfaces say about it: at the same time, or one after the other.
fn two_surfaces(world: &World, card: &Request, says: [(Choice, Items); 2]) -> Held {
    let (before, graph) = (world.state(), world.graph());
    let answers = says.map(|(choice, items)| said(card, (choice, AnswerProof::TypedText), items));
    let settled = |state: &State, answer: &Answer| {
        let card = state.requests.get(&card.id).unwrap();
        world.knowing(state, &graph, |facts| settle(facts, &[card], answer).changes)
    };
    let [first, second] = [settled(&before, &answers[0]), settled(&before, &answers[1])];
    prop_assert_eq!(before.conflict(&first), None);
    let mut after = (*before).clone();
    first.iter().for_each(|change| after.apply(world.engine.display_time(), change));
    let later = settled(&after, &answers[1]);
    prop_assert!(items_of(&first).is_disjoint(&items_of(&later)), "{first:?}\n{later:?}");
    if !first.is_empty() && !second.is_empty() && after.conflict(&second).is_none() {
        prop_assert!(items_of(&first).is_disjoint(&items_of(&second)), "{first:?}\n{second:?}");
        second.iter().for_each(|change| after.apply(world.engine.display_time(), change));
        agrees_with_itself(&after, card.id)?;
    }
    Ok(())
}

/// A card is closed when nothing on it is open, and a decline leaves no exact grant to be used.
fn agrees_with_itself(state: &State, card: RequestId) -> Held {
    let card = state.requests.get(&card).unwrap();
    prop_assert!(card.open_items().count() > 0 || card.state != RequestState::Open);
    let declined = card.items.iter().any(|item| item.answer == Some(Choice::Decline));
    let exact = state.grants.iter().find(|grant| {
        matches!(&grant.coverage, Coverage::Digest { digest, .. } if *digest == card.digest)
            && grant.state == GrantState::Live
    });
    prop_assert!(!declined || exact.is_none(), "declined, and yet {exact:?}");
    Ok(())
}

fn items_of(changes: &[Change]) -> BTreeSet<usize> {
    let items = changes.iter().flat_map(|change| match change {
        Change::RequestAnswered { answered } => answered.items.clone(),
        _ => Vec::new(),
    });
    items.map(|(at, _)| at).collect()
}

#[test]
fn of_two_surfaces_that_answer_at_once_one_is_heard() {
    holds(&(bundles(), 0..9usize), |(tale, at)| {
        let world = World::after(&tale);
        let Some(card) = pick(&world.open_requests(), at) else { return Ok(()) };
        for one in SAYINGS {
            for other in SAYINGS {
                two_surfaces(&world, &card, [one, other])?;
            }
        }
        Ok(())
    });
}

#[test]
fn every_item_of_a_request_is_answered_at_most_once() {
    try_on(&bundles(), 256, |tale| {
        let world = World::after(&tale);
        let mut answered: BTreeSet<(RequestId, usize)> = BTreeSet::new();
        let mut closed: BTreeSet<RequestId> = BTreeSet::new();
        for entry in world.engine.read_all_entries().unwrap() {
            let (_, Change::RequestAnswered { answered: one }) = entry.change().unwrap() else {
                continue;
            };
            if one.timing == Timing::Late {
                continue;
            }
            prop_assert!(!closed.contains(&one.request), "{one:?}");
            closed.extend(one.ending.map(|_| one.request));
            for (at, _) in &one.items {
                prop_assert!(answered.insert((one.request, *at)), "{one:?}");
            }
        }
        Ok(())
    });
}

/// A world in which the only thing that can ask is a category that was not yet consented to.
fn only_categories() -> impl Strategy<Value = Tale> {
    let given = prop::collection::vec(prop::collection::vec(1..4usize, 0..3), 4);
    (bundles(), given).prop_map(|(mut tale, given)| {
        for step in tale.graph.workflows.values_mut().flat_map(|workflow| &mut workflow.steps) {
            step.consent = StepConsent::OfTheRun;
        }
        tale.graph.reducers.clear();
        for (call, given) in tale.calls.iter_mut().zip(given) {
            call.draft.actions.retain(|action| tale.graph.rules.contains_key(action));
            let actions = match call.draft.actions.is_empty() {
                true => vec![action(0)],
                false => call.draft.actions.clone(),
            };
            call.draft = CallDraft { actions, ..crate::world::call("files.read") };
            call.draft.observed.categories = given.into_iter().map(category).collect();
            (call.in_run, call.in_parent, call.clicked) = (true, false, false);
        }
        tale
    })
}

fn one_prompt_per_category(tale: &Tale, order: &[usize]) -> Held {
    let mut world = World::new(&tale.graph, &tale.calls);
    world.start_and_yes(0, 0);
    let mut prompts: BTreeMap<String, usize> = BTreeMap::new();
    for at in order {
        let draft = world.draft(*at);
        if let Some(CheckResult::Pending { decision, .. }) = world.check(&draft) {
            let given = &draft.observed.categories;
            let asked = decision.verdicts.iter().filter(|one| one.outcome == Outcome::Ask);
            let news: BTreeSet<String> = asked
                .flat_map(|one| {
                    let ruled = tale.graph.rules[&one.action].categories.iter();
                    let needed = ruled.chain(given).filter(|c| c.needs_cover());
                    let names: Vec<_> = needed.map(|c| c.as_str().to_owned()).collect();
                    if names.is_empty() { vec![one.action.to_string()] } else { names }
                })
                .collect();
            prop_assert!(news.iter().any(|one| !prompts.contains_key(one)), "{news:?} again");
            news.into_iter().for_each(|one| *prompts.entry(one).or_default() += 1);
            for card in world.open_requests() {
                world.answer(&card, &said(&card, (Choice::Run, AnswerProof::KeyPress), Items::All));
            }
            prop_assert!(world.check(&draft).is_none(), "answered, and asked again");
        }
        while let Some(permit) = world.permits.pop() {
            world.finish(permit, Effect::Done);
        }
    }
    Ok(())
}

#[test]
fn a_category_that_was_answered_for_the_run_prompts_no_more_in_it() {
    let order = prop::collection::vec(0..4usize, 2..12);
    holds(&(only_categories(), order), |(tale, order)| one_prompt_per_category(&tale, &order));
}

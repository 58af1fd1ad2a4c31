//! What is blocked stays so, and what an agent says only makes its call stricter.

use super::acting::proposal;
use super::calls::{Said, claims};
use super::graphs::{action, an_action};
use super::steps::{Deed, What};
use super::tales::{Tale, tale};
use super::worlds::World;
use super::{Held, holds, try_on};
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::names::StepName;
use countersign_core::model::words::{Outcome, Reason, Risk, Tier, Undo};
use countersign_core::state::State;
use countersign_core::steps::retry::retry_call;
use proptest::prelude::*;
use proptest::sample::select;

/// Denials that come before the graph is asked.
const EARLIER: [Reason; 2] = [Reason::Malformed, Reason::Paused];

#[test]
fn blocked_beats_everything() {
    holds(&(tale(), an_action()), |(tale, at)| {
        let world = World::after(&tale);
        let mut graph = (*world.graph()).clone();
        let Some(rule) = graph.rules.get_mut(&action(at)) else { return Ok(()) };
        rule.tier = Tier::Blocked;
        let state = world.state();
        for call in world.probes() {
            if call.parts().any(|(one, _)| *one == action(at)) {
                let decision = world.decided((&state, &graph), &call);
                prop_assert_eq!(decision.outcome, Outcome::Deny);
                let alone = call.parts().count() == 1;
                let said = decision.reason == Reason::Blocked || EARLIER.contains(&decision.reason);
                prop_assert!(said || !alone, "{decision:?}");
            }
        }
        for record in state.calls.values() {
            if record.call.parts().any(|(one, _)| *one == action(at)) {
                let (session, agent) = (&record.call.session, &record.call.agent);
                let again = world
                    .knowing(&state, &graph, |f| retry_call(f, record.call.id, session, agent));
                let kept = again.reason == Reason::AlreadyDone;
                prop_assert!(kept || again.outcome == Outcome::Deny, "{again:?}");
            }
        }
        world.engine.load_graph(graph).unwrap();
        let (_, decision) = world.engine.propose(&proposal(0, at)).unwrap();
        prop_assert_eq!(decision.outcome, Outcome::Deny);
        Ok(())
    });
}

/// Takes back everything that an agent fills in.
fn silent(draft: &CallDraft) -> CallDraft {
    let mut draft = draft.clone();
    draft.claims.categories = Vec::new();
    (draft.claims.risk, draft.claims.undo, draft.claims.confidence) = (None, None, 0.0);
    (draft.claims.reason, draft.claims.fallback) = (String::new(), String::new());
    (draft.declares, draft.step) = (Vec::new(), None);
    draft
}

/// The call with one thing more said about it.
fn louder(silent: &CallDraft, said: &Said, declares: usize) -> Vec<CallDraft> {
    let with = |change: &dyn Fn(&mut CallDraft)| {
        let mut draft = silent.clone();
        change(&mut draft);
        draft
    };
    let mut all = silent.clone();
    said.make(&mut all);
    vec![
        with(&|draft| draft.claims.categories = all.claims.categories.clone()),
        with(&|draft| draft.claims.risk = said.risk),
        with(&|draft| draft.claims.undo = said.undo),
        with(&|draft| draft.claims.reason = "it is urgent".to_owned()),
        with(&|draft| draft.claims.fallback = "I give up".to_owned()),
        with(&|draft| draft.declares = vec![action(declares)]),
        with(&|draft| {
            let step = said.step.filter(|_| draft.run.is_some());
            draft.step = step.map(|name| StepName::parse(name).unwrap());
        }),
    ]
}

/// Saying more makes another digest. An answer and a failure are about one digest, and so is a
/// decline: another way is asked about, until the operator says yes to it or clicks.
fn is_about_this_digest(
    state: &State,
    call: &Call,
    (before, after): (&Decision, &Decision),
) -> bool {
    let mut grants = after.grants().filter_map(|id| state.grants.get(id));
    let mut failures = state.sessions.get(&call.session).unwrap().failures.iter();
    grants.any(|grant| matches!(grant.coverage, Coverage::Digest { .. }))
        || failures.any(|failure| failure.digest == call.digest)
        || before.reason == Reason::DeclinedBefore
}

fn only_stricter(tale: &Tale, said: &Said, declares: usize) -> Held {
    let mut world = World::after(tale);
    // A grant for exactly what the agent claims is what it would want to make use of.
    for claimed in &said.categories {
        let (session, what, scope) = (0, What::Category(*claimed), Scope::Session);
        world.act(&Deed::Grant { session, what, scope, confirmation: Confirmation::Plain });
    }
    let (state, graph) = (world.state(), world.graph());
    for at in 0..tale.calls.len() {
        let quiet = silent(&world.draft(at));
        let Some(call) = world.resolved(&quiet) else { continue };
        let before = world.decided((&state, &graph), &call);
        for draft in louder(&quiet, said, declares) {
            let Some(call) = world.resolved(&draft) else { continue };
            let after = world.decided((&state, &graph), &call);
            let looser = after.goes_ahead() && !before.goes_ahead();
            prop_assert!(
                !looser || is_about_this_digest(&state, &call, (&before, &after)),
                "{before:?}\nbecame\n{after:?}\nby saying {:?}",
                draft.claims
            );
        }
    }
    Ok(())
}

#[test]
fn what_an_agent_says_makes_its_call_only_stricter() {
    let said = (claims(), 0..6usize, select(Risk::ALL), select(Undo::ALL));
    let said = said.prop_map(|(said, claimed, risk, undo)| Said {
        categories: vec![claimed],
        risk: Some(risk),
        undo: Some(undo),
        ..said
    });
    try_on(&(tale(), said, an_action()), 384, |(tale, said, declares)| {
        only_stricter(&tale, &said, declares)
    });
}

#[test]
fn words_of_an_agent_change_no_decision() {
    holds(&tale(), |tale| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        for mut call in world.probes() {
            let before = world.decided((&state, &graph), &call);
            (call.claims.reason, call.claims.fallback) = ("hurry".into(), "nothing".into());
            prop_assert_eq!(world.decided((&state, &graph), &call), before);
        }
        Ok(())
    });
}

#[test]
fn confidence_turns_an_ask_into_a_notice_and_nothing_else() {
    holds(&tale(), |tale| {
        let world = World::after(&tale);
        let (state, graph) = (world.state(), world.graph());
        for mut call in world.probes() {
            call.claims.confidence = 0.0;
            let before = world.decided((&state, &graph), &call);
            call.claims.confidence = 1.0;
            let after = world.decided((&state, &graph), &call);
            let noticed = before.outcome == Outcome::Ask && after.outcome == Outcome::Notify;
            let asked_nobody =
                before.reason == Reason::TooManyAsks || before.reason == Reason::NoOperator;
            prop_assert!(
                (after.outcome, after.reason) == (before.outcome, before.reason)
                    || noticed && after.verdicts.iter().all(is_modest)
                    || asked_nobody && after.outcome == Outcome::Notify
                    || after.outcome == Outcome::Ask && before.outcome == Outcome::Ask,
                "{before:?}\nbecame\n{after:?}"
            );
        }
        Ok(())
    });
}

/// Whether confidence could have helped this verdict, if it did.
fn is_modest(verdict: &countersign_core::model::decision::Verdict) -> bool {
    verdict.reason != Reason::Visible
        || (verdict.risk <= Risk::Moderate
            && verdict.tier == Some(Tier::RequiresApproval)
            && verdict.basis == Basis::Rule)
}

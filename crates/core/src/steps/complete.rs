//! Completes a call: records its effect, and ends the consent that the effect invalidates.

use crate::decide::facts::Facts;
use crate::model::change::{Change, GrantEnding};
use crate::model::grant::{Grant, GrantState, Source};
use crate::model::ids::CallId;
use crate::model::names::{NodeName, SessionKey};
use crate::model::repeat::RepeatEnding;
use crate::model::words::Effect;
use crate::state::CallState;
use crate::steps::end_consent::end_plan_steps;

/// The changes that follow from a call's final effect.
pub fn complete_call(facts: &Facts, call: CallId, effect: Effect) -> Vec<Change> {
    let mut changes = end_execution(facts, call, effect);
    if facts.state.calls.get(&call).is_some_and(|record| record.repeat.is_some()) {
        changes.push(Change::RepeatEnded { call, why: RepeatEnding::Settled });
    }
    changes
}

/// A node stopped while it executed calls of this session: their effect is unknown, and a plan that
/// one of them was a step of ends.
pub fn cut_off_calls(facts: &Facts, session: &SessionKey, node: &NodeName) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let running = facts.state.calls.values().filter(|record| {
        record.state == CallState::Executing
            && record.node == *node
            && record.call.session == *session
    });
    for record in running {
        for change in end_execution(facts, record.call.id, Effect::Unknown) {
            // Two calls of one plan end it once.
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
    }
    changes
}

/// The changes that follow from the effect of one execution, which may be repeated.
pub fn end_execution(facts: &Facts, call: CallId, effect: Effect) -> Vec<Change> {
    let mut changes = vec![Change::CallCompleted { call, effect }];
    if effect == Effect::Forbidden {
        changes.extend(end_task_consent(facts, call));
    }
    if effect != Effect::Done && is_plan_step(facts, call) {
        let session = facts.state.calls.get(&call).map(|record| record.call.session.clone());
        changes.extend(session.iter().flat_map(|session| end_plan_steps(facts, session)));
    }
    changes
}

/// Whether the call used a step of a plan. If it failed, the plan is no longer what was accepted.
fn is_plan_step(facts: &Facts, call: CallId) -> bool {
    facts.state.calls.get(&call).is_some_and(|record| {
        let mut grants = record.consent.grants.iter().filter_map(|id| facts.state.grants.get(*id));
        grants.any(|grant| grant.source == Source::Plan)
    })
}

/// A permission error means that the task was misjudged, so consent for it has to be asked again.
fn end_task_consent(facts: &Facts, call: CallId) -> Vec<Change> {
    let Some(run) = facts.state.calls.get(&call).and_then(|record| record.call.run) else {
        return Vec::new();
    };
    let ends = |grant: &&Grant| {
        grant.is_for_task() && grant.run == Some(run) && grant.state == GrantState::Live
    };
    let grants = facts.state.grants.iter().filter(ends);
    grants.map(|g| Change::GrantEnded { grant: g.id, why: GrantEnding::RunOver }).collect()
}

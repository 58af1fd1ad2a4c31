//! The decision: one pure function over facts.
//!
//! It reads no clock, no store and no environment, so the same facts give the same answer a year
//! later. That lets `why` quote reasons instead of reconstructing them. The steps are in order of
//! precedence: the first that applies decides, and no later step weakens it. `check_sender` has
//! steps 1 and 2, `judge_action` the others; `check_askable` then denies an ask that nobody can
//! answer.
//!
//! See docs/decisions/0001-conflicts-between-the-seeds.md.

mod action_context;
pub mod admission;
mod allow_granted;
mod allow_without_grant;
mod ask;
mod candidates;
mod check_run;
pub mod decided_actions;
pub mod explain;
pub mod facts;
mod heads;
mod layer_basis;
mod matching;
mod must_ask;
pub mod outside_reads;
mod proposal;
mod refuse;
mod stack;
pub mod within_run;

pub use action_context::printed_tier;
pub(crate) use ask::{check_askable, new_questions};
pub(crate) use check_run::find_workflow;
pub(crate) use heads::{are_heads_grantable, needs_no_grant};
pub(crate) use must_ask::is_fan_out;
pub use proposal::decide_proposal;
pub(crate) use refuse::named_own_files;

use crate::decide::facts::Facts;
use crate::model::call::{Call, Malformed};
use crate::model::decision::{Basis, Decision, NearestChange, Verdict};
use crate::model::graph::Graph;
use crate::model::words::{Outcome, Reason};
use action_context::{ActionContext, DecisionInput, DecisionMode};
use decided_actions::{DecidedAction, list_decided_actions};
use layer_basis::credit_layer;

/// Decides a call that has just come in.
pub fn decide(facts: &Facts, call: &Call) -> Decision {
    decide_with(facts, call, DecisionMode::New)
}

/// Decides hypothetical actions, without a real call. There is no recipient, so contacts do not
/// change the action.
pub fn decide_hypothetical(facts: &Facts, call: &Call) -> Decision {
    decide_with(facts, call, DecisionMode::Hypothetical)
}

/// Decides a stored call again. A retry may use only grants that name the call, command or action,
/// and the answers to its own requests.
pub(crate) fn decide_retry(facts: &Facts, call: &Call) -> Decision {
    decide_with(facts, call, DecisionMode::Retry)
}

fn decide_with(facts: &Facts, call: &Call, mode: DecisionMode) -> Decision {
    let graph = match check_sender(facts, call, mode) {
        Ok(graph) => graph,
        Err(decision) => return decision,
    };
    let input = DecisionInput { facts, graph, call, mode };
    let actions = match mode == DecisionMode::Hypothetical {
        true => call.parts().map(DecidedAction::from).collect(),
        false => list_decided_actions(facts, graph, call),
    };
    let context = |decided| ActionContext::new(input, decided);
    let mut verdicts: Vec<_> = actions.into_iter().map(context).map(|q| judge_action(&q)).collect();
    if let Some(layer) = &graph.layer {
        credit_layer(layer, &mut verdicts);
    }
    let decision = Decision::strictest(verdicts);
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => decision,
        Outcome::Ask => check_askable(facts, call, decision),
        Outcome::Deny => add_decline_note(facts, call, decision),
    }
}

/// Steps 1 and 2: there is a graph, the session belongs to the agent, the run is known and not that of an
/// ended session, the parent is not another agent's, and the agent is not paused.
fn check_sender<'a>(
    facts: &Facts<'a>,
    call: &Call,
    mode: DecisionMode,
) -> Result<&'a Graph, Decision> {
    let Some(graph) = facts.graph else {
        let (deny, reason) = (Outcome::Deny, Reason::NoGraph);
        return Err(Decision::for_whole_call(deny, reason, Basis::Call, NearestChange::WellFormed));
    };
    admission::check_owner(&call.session, &call.agent)?;
    check_run::check_run(facts, graph, call)
        .map_err(|what| Decision::malformed(what.to_string()))?;
    if mode == DecisionMode::New && has_foreign_parent(facts, call) {
        return Err(Decision::malformed(Malformed::ForeignParent.to_string()));
    }
    admission::check_not_paused(facts, &call.agent)?;
    if let Some(run) = call.run.and_then(|run| facts.state.runs.get(&run)) {
        admission::check_opening(facts, &call.session, run.opening)?;
    }
    Ok(graph)
}

/// Whether the call names a call of another agent as its parent. A retry uses no parent.
fn has_foreign_parent(facts: &Facts, call: &Call) -> bool {
    let parent = call.observed.parent.and_then(|id| facts.state.calls.get(&id));
    parent.is_some_and(|parent| parent.call.agent != call.agent)
}

/// Steps 3 to 17, for one action. The numbers are those of the order of precedence.
fn judge_action(q: &ActionContext) -> Verdict {
    refuse::deny_blocked(q) // 3
        .or_else(|| refuse::deny_self_protection(q)) // 3
        .or_else(|| refuse::deny_stopped(q)) // 3
        .or_else(|| refuse::deny_wrong_channel(q)) // 4
        .or_else(|| refuse::deny_unmet_conditions(q)) // 5
        .or_else(|| refuse::deny_unlisted(q)) // 5
        .or_else(|| refuse::deny_declined(q)) // 6
        .or_else(|| allow_granted::allow_exact_grant(q)) // 7
        .or_else(|| allow_without_grant::allow_gesture(q)) // 8
        .or_else(|| must_ask::must_ask(q)) // 9
        .or_else(|| allow_without_grant::allow_nested(q)) // 10
        .or_else(|| allow_without_grant::allow_reduced(q)) // 11
        .or_else(|| allow_without_grant::allow_autonomous(q)) // 12
        .or_else(|| allow_without_grant::allow_read_only(q)) // 13
        .or_else(|| allow_without_grant::allow_when_idle(q)) // 13
        .or_else(|| allow_granted::allow_granted(q)) // 14 and 15: a plan's steps are grants
        .or_else(|| allow_without_grant::notify_visible(q)) // 16
        .unwrap_or_else(|| ask::ask(q)) // 17
}

/// A repeated decline repeats the operator's note.
fn add_decline_note(facts: &Facts, call: &Call, mut decision: Decision) -> Decision {
    if decision.reason == Reason::DeclinedBefore
        && let Some(decline) = admission::find_decline(facts, &call.session, &call.lasting)
    {
        decision.note.clone_from(&decline.declined.note);
    }
    decision
}

//! Retries a stored call by its operation id: its record decides first, then the usual steps.
//!
//! A retry uses the stored call, never parameters that are sent again. Only the session and agent
//! that made the call can retry it.

use crate::decide::admission::{check_not_paused, check_opening, is_stopped};
use crate::decide::facts::Facts;
use crate::decide::{check_askable, decide_retry};
use crate::model::call::{Malformed, Words};
use crate::model::decision::{Basis, Decision, NearestChange, Verdict};
use crate::model::grant::Coverage;
use crate::model::graph::Repeat;
use crate::model::ids::CallId;
use crate::model::names::{Agent, SessionKey};
use crate::model::words::{Effect, Outcome, Reason};
use crate::state::{CallRecord, CallState};

pub fn retry_call(facts: &Facts, id: CallId, session: &SessionKey, agent: &Agent) -> Decision {
    let own = |record: &&CallRecord| record.call.session == *session && record.call.agent == *agent;
    let Some(record) = facts.state.calls.get(&id).filter(own) else {
        return Decision::malformed(Malformed::UnknownOperation.to_string());
    };
    let admitted =
        check_not_paused(facts, agent).and_then(|()| check_opening(facts, session, record.opening));
    if let Err(denial) = admitted {
        return denial;
    }
    if is_held_by_stop(facts, record) {
        return decide_by_record(Outcome::Deny, Reason::Stopped, NearestChange::GoOn);
    }
    if record.call.words == Words::Erased && record.state != CallState::Ended(Effect::Done) {
        return Decision::malformed(Malformed::Erased.to_string());
    }
    match record.state {
        CallState::Ended(Effect::Done) => {
            decide_by_record(Outcome::Allow, Reason::AlreadyDone, NearestChange::Later)
        }
        CallState::Executing => {
            decide_by_record(Outcome::Deny, Reason::Running, NearestChange::Finish)
        }
        CallState::Declined => decide_declined(facts, record),
        CallState::Expired => {
            decide_by_record(Outcome::Deny, Reason::Expired, NearestChange::Answer)
        }
        CallState::Cancelled => {
            decide_by_record(Outcome::Deny, Reason::Cancelled, NearestChange::Answer)
        }
        CallState::Parked if has_expired(facts, record) => {
            decide_by_record(Outcome::Deny, Reason::Expired, NearestChange::Answer)
        }
        CallState::Ended(Effect::Unknown) if !is_idempotent(facts, record) => {
            decide_unknown_effect(facts, record)
        }
        CallState::Parked
        | CallState::Approved
        | CallState::Stopped
        | CallState::Denied
        | CallState::Ended(
            Effect::Failed | Effect::Nothing | Effect::Forbidden | Effect::Unknown,
        ) => decide_retry(facts, &record.call),
    }
}

/// What a stop cancelled stays cancelled. While a stop holds, a finished call is still reported as
/// done and a call that only reads may be tried again; everything else waits for the operator.
fn is_held_by_stop(facts: &Facts, record: &CallRecord) -> bool {
    let is_done = record.state == CallState::Ended(Effect::Done);
    let does_more_than_read = || decide_retry(facts, &record.call).reason == Reason::Stopped;
    record.state == CallState::Stopped
        || (!is_done && is_stopped(facts, &record.call.session) && does_more_than_read())
}

fn decide_by_record(outcome: Outcome, reason: Reason, nearest: NearestChange) -> Decision {
    Decision::for_whole_call(outcome, reason, Basis::Record, nearest)
}

fn decide_declined(facts: &Facts, record: &CallRecord) -> Decision {
    let mut decision =
        decide_by_record(Outcome::Deny, Reason::DeclinedBefore, NearestChange::Answer);
    if let Some(declined) = facts.state.declined.get(&record.call.lasting) {
        decision.note.clone_from(&declined.note);
    }
    decision
}

/// Whether one of its requests has expired, even if no sweep has recorded it yet.
fn has_expired(facts: &Facts, record: &CallRecord) -> bool {
    use crate::model::request::RequestState;
    let mut waiting = record.requests.iter().filter_map(|id| facts.state.requests.get(id));
    waiting.any(|r| r.state == RequestState::Open && r.ends_at <= facts.now)
}

fn is_idempotent(facts: &Facts, record: &CallRecord) -> bool {
    let tool = record.call.tool.as_ref();
    let mapping = tool.and_then(|tool| facts.graph.and_then(|graph| graph.tool(tool.as_str())));
    mapping.is_some_and(|mapping| mapping.repeat == Repeat::Idempotent)
}

/// The call may have taken effect, so a person has to check before it runs again. A denial stays a
/// denial, and an answer to exactly this question counts.
fn decide_unknown_effect(facts: &Facts, record: &CallRecord) -> Decision {
    let mut decision = decide_retry(facts, &record.call);
    if decision.outcome == Outcome::Deny {
        return decision;
    }
    for verdict in &mut decision.verdicts {
        if rests_on_answer(facts, record, verdict) {
            continue;
        }
        (verdict.outcome, verdict.reason) = (Outcome::Ask, Reason::UnknownEffect);
        (verdict.basis, verdict.nearest) = (Basis::Record, NearestChange::Answer);
    }
    check_askable(facts, &record.call, Decision::strictest(decision.verdicts))
}

/// Whether an action passes by an answer to this question. The grant of an earlier answer was spent
/// when the effect became unknown.
fn rests_on_answer(facts: &Facts, record: &CallRecord, verdict: &Verdict) -> bool {
    let Basis::Grants(ids) = &verdict.basis else { return false };
    let mut grants = ids.iter().filter_map(|id| facts.state.grants.get(*id));
    grants.any(|grant| {
        matches!(grant.coverage, Coverage::Digest { .. })
            && grant.request.is_some_and(|request| record.requests.contains(&request))
    })
}

//! Automatic repeats of calls that failed for a transient cause.
//!
//! Only a call that one of our executors postponed is repeated: where it attests that nothing
//! happened, or where the tool is declared idempotent. A node leases each attempt first, so that
//! only one node makes it. The call is decided again on the grants that a retry may use, and the
//! repeats end if it would not be allowed without a person.
//!
//! See docs/decisions/0019-automatic-repeats.md.

use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::GrantState;
use countersign_core::model::graph::{self, ToolMapping};
use countersign_core::model::ids::CallId;
use countersign_core::model::limits;
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::repeat::{Lease, PendingRepeat, RepeatEnding};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Risk};
use countersign_core::state::{CallRecord, CallState, ConsentStanding};
use countersign_core::steps::complete;
use countersign_core::steps::record::record_again;
use countersign_core::steps::retry::retry_call;

/// An attempt that this node may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedRepeat {
    pub call: CallId,
    pub session: SessionKey,
    pub agent: Agent,
    pub attempt: u8,
    pub ends_at: Time,
    /// The health check of the tool's mapping. It has to pass before the attempt.
    pub health: Option<String>,
}

/// An executor reports a failure with a transient cause: records the effect and schedules a repeat.
pub fn end_and_schedule_repeat(facts: &Facts, call: CallId, effect: Effect) -> Vec<Change> {
    let mut changes = complete::end_execution(facts, call, effect);
    if let Some(record) = facts.state.calls.get(&call) {
        changes.extend(schedule_next(facts, record, effect));
    }
    changes
}

/// The health check failed: the attempt counts as used, without being made.
pub fn record_failed_health_check(facts: &Facts, leased: &LeasedRepeat) -> Vec<Change> {
    match find_leased(facts, leased) {
        Some(CallRecord { state: CallState::Ended(effect), .. }) => {
            let record = facts.state.calls.get(&leased.call);
            record.and_then(|record| schedule_next(facts, record, *effect)).into_iter().collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// Schedules the next attempt, or ends the repeats.
fn schedule_next(facts: &Facts, record: &CallRecord, effect: Effect) -> Option<Change> {
    let call = record.call.id;
    let ended = |why| Change::RepeatEnded { call, why };
    let known = record.repeat.as_ref();
    if let Some(why) = ending_by_effect(facts, record, effect) {
        return known.map(|_| ended(why));
    }
    let (attempts, since) = known.map_or((0, facts.now), |known| (known.attempts, known.since));
    let wait = limits::REPEAT_WAITS.get(usize::from(attempts));
    let due = wait.map(|wait| facts.now + *wait).filter(|due| *due < since + limits::REPEAT_AGE);
    match due {
        Some(due_at) => Some(Change::RepeatQueued { call, due_at }),
        None => known.map(|_| ended(RepeatEnding::GaveUp)),
    }
}

/// Leases the next attempt of a call for this node, if it is due and allowed.
pub fn lease(facts: &Facts, call: CallId) -> (Option<LeasedRepeat>, Vec<Change>) {
    let due = |record: &&CallRecord| {
        record.repeat.as_ref().is_some_and(|repeat| repeat.due_at <= facts.now)
    };
    let Some(record) = facts.state.calls.get(&call).filter(due) else { return (None, Vec::new()) };
    let (CallState::Ended(effect), Some(repeat)) = (record.state, &record.repeat) else {
        return (None, Vec::new());
    };
    if let Some(why) = find_ending(facts, record, repeat, effect) {
        return (None, vec![Change::RepeatEnded { call, why }]);
    }
    let (attempt, ends_at) = (repeat.attempts.saturating_add(1), facts.now + limits::REPEAT_LEASE);
    let leased = LeasedRepeat {
        call,
        session: record.call.session.clone(),
        agent: record.call.agent.clone(),
        attempt,
        ends_at,
        health: tool_mapping(facts, record).and_then(|mapping| mapping.health.clone()),
    };
    let node = facts.node.clone();
    (Some(leased), vec![Change::RepeatLeased { call, node, attempt, ends_at }])
}

/// Decides a leased attempt. None if the lease was lost or the call would not be allowed.
pub fn decide_leased(facts: &Facts, leased: &LeasedRepeat) -> (Option<Decision>, Vec<Change>) {
    let call = leased.call;
    let Some(record) = find_leased(facts, leased) else { return (None, Vec::new()) };
    let (CallState::Ended(effect), Some(repeat)) = (record.state, &record.repeat) else {
        return (None, Vec::new());
    };
    if let Some(why) =
        ending_by_effect(facts, record, effect).or_else(|| ending_by_age(facts, repeat))
    {
        return (None, vec![Change::RepeatEnded { call, why }]);
    }
    let decision = retry_call(facts, call, &leased.session, &leased.agent);
    let critical = decision.verdicts.iter().any(|verdict| verdict.risk == Risk::Critical);
    if critical || !decision.goes_ahead() {
        return (None, vec![Change::RepeatEnded { call, why: RepeatEnding::NotAllowed }]);
    }
    let changes = record_again(facts, &record.call, &decision);
    (Some(decision), changes)
}

/// The record of a leased call, while this node holds the lease.
fn find_leased<'a>(facts: &Facts<'a>, leased: &LeasedRepeat) -> Option<&'a CallRecord> {
    facts.state.calls.get(&leased.call).filter(|record| {
        record.repeat.as_ref().is_some_and(|repeat| {
            let mine = |lease: &Lease| lease.node == *facts.node && facts.now < lease.ends_at;
            repeat.attempts == leased.attempt && repeat.lease.as_ref().is_some_and(mine)
        })
    })
}

fn find_ending(
    facts: &Facts,
    record: &CallRecord,
    repeat: &PendingRepeat,
    effect: Effect,
) -> Option<RepeatEnding> {
    let are_all_made = usize::from(repeat.attempts) >= limits::REPEAT_WAITS.len();
    let used_up = are_all_made.then_some(RepeatEnding::GaveUp);
    used_up
        .or_else(|| ending_by_age(facts, repeat))
        .or_else(|| ending_by_effect(facts, record, effect))
}

fn ending_by_age(facts: &Facts, repeat: &PendingRepeat) -> Option<RepeatEnding> {
    (repeat.since + limits::REPEAT_AGE <= facts.now).then_some(RepeatEnding::GaveUp)
}

/// Why a call must not be repeated, regardless of grants.
fn ending_by_effect(facts: &Facts, record: &CallRecord, effect: Effect) -> Option<RepeatEnding> {
    let idempotent = tool_mapping(facts, record)
        .is_some_and(|mapping| mapping.repeat == graph::Repeat::Idempotent);
    match effect {
        Effect::Nothing => {}
        Effect::Failed | Effect::Unknown if idempotent => {}
        Effect::Failed | Effect::Unknown => return Some(RepeatEnding::UnknownEffect),
        Effect::Done | Effect::Forbidden => return Some(RepeatEnding::Settled),
    }
    let run = record.call.run.and_then(|run| facts.state.runs.get(&run));
    let allowed = record.card_risk < Risk::Critical
        && record.call.is_whole()
        && record.consent.standing != ConsentStanding::Withdrawn
        && run.is_none_or(|run| run.is_live(facts.now))
        && !record.consent.grants.iter().any(|id| {
            facts.state.grants.get(*id).is_some_and(|grant| grant.state == GrantState::Revoked)
        });
    (!allowed).then_some(RepeatEnding::NotAllowed)
}

fn tool_mapping<'a>(facts: &Facts<'a>, record: &CallRecord) -> Option<&'a ToolMapping> {
    let tool = record.call.tool.as_ref()?;
    facts.graph?.tool(tool.as_str())
}

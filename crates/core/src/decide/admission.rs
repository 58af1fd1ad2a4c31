//! Checks that apply to everything an agent submits: a call, a retry, an ask-ahead, the start of a
//! run or a proposal.
//!
//! Ask-aheads, starts and reported grants use `admit`. Calls and proposals check declines and dry
//! runs per action, after what the graph blocks; their steps call the single functions of this
//! module.

use super::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::call::{Malformed, Parking};
use crate::model::decision::{Basis, Decision, NearestChange};
use crate::model::limits;
use crate::model::names::{Agent, SessionKey};
use crate::model::time::Time;
use crate::model::words::{Outcome, Reason, Surface};
use crate::state::DeclineRecord;

/// What an agent submits, as far as `admit` checks it.
pub struct Submission<'a> {
    pub session: &'a SessionKey,
    pub agent: &'a Agent,
    /// The digest to which an earlier decline applies; none to skip this check.
    pub decline_digest: Option<&'a Digest>,
}

/// A decline that is still in effect.
pub(crate) struct ActiveDecline<'a> {
    pub declined: &'a DeclineRecord,
    pub ends_at: Time,
}

/// Denies if the session belongs to another agent, the agent is paused, the session is stopped, the
/// same was declined recently, or a dry run is on.
pub fn admit(facts: &Facts, submission: &Submission) -> Result<(), Decision> {
    check_owner(submission.session, submission.agent)?;
    check_not_paused(facts, submission.agent)?;
    if is_stopped(facts, submission.session) {
        return Err(deny(Reason::Stopped, NearestChange::GoOn));
    }
    let digest = submission.decline_digest;
    if let Some(decline) = digest.and_then(|digest| find_decline(facts, submission.session, digest))
    {
        return Err(deny_declined(&decline));
    }
    if is_dry_run(facts, submission.session) {
        return Err(deny(Reason::DryRun, NearestChange::Answer));
    }
    Ok(())
}

/// A session is that of one agent.
pub fn check_owner(session: &SessionKey, agent: &Agent) -> Result<(), Decision> {
    match session.belongs_to(agent) {
        true => Ok(()),
        false => Err(Decision::malformed(Malformed::ForeignSession.to_string())),
    }
}

pub fn check_not_paused(facts: &Facts, agent: &Agent) -> Result<(), Decision> {
    match facts.state.is_paused(agent) {
        true => Err(deny(Reason::Paused, NearestChange::Resume)),
        false => Ok(()),
    }
}

/// An operation or a run of a session that has ended goes no further.
pub(crate) fn check_opening(
    facts: &Facts,
    session: &SessionKey,
    opening: u32,
) -> Result<(), Decision> {
    match facts.state.is_of_ended_session(session, opening, facts.now) {
        true => Err(deny(Reason::Paused, NearestChange::NewCall)),
        false => Ok(()),
    }
}

/// The decline of this digest, if it is recent enough to deny again without a prompt.
pub(crate) fn find_decline<'a>(
    facts: &Facts<'a>,
    session: &SessionKey,
    digest: &Digest,
) -> Option<ActiveDecline<'a>> {
    let opening = facts.state.open_session(session, facts.now).map(|open| open.opening);
    let holds = |declined: &&DeclineRecord| declined.state.holds_in(session, opening);
    let declined = facts.state.declined.get(digest).filter(holds)?;
    let ends_at = declined.at + limits::DECLINE_STICKS;
    (facts.now < ends_at).then_some(ActiveDecline { declined, ends_at })
}

pub fn is_dry_run(facts: &Facts, session: &SessionKey) -> bool {
    facts.state.mode(session, facts.now).is_dry_run()
}

pub fn is_stopped(facts: &Facts, session: &SessionKey) -> bool {
    facts.state.is_stopped(session, facts.now)
}

/// Denies an ask if no operator can be reached and the caller does not allow parking.
pub fn require_operator(facts: &Facts, parking: Parking, decision: Decision) -> Decision {
    let is_ask = decision.outcome == Outcome::Ask;
    if is_ask && facts.surface == Surface::Gone && parking == Parking::Refused {
        return decision.denied(Reason::NoOperator, Basis::Surface, NearestChange::Operator);
    }
    decision
}

/// Denies an ask that would open more questions in this session than may be open.
pub fn require_room(
    facts: &Facts,
    session: &SessionKey,
    new_questions: usize,
    decision: Decision,
) -> Decision {
    if decision.outcome != Outcome::Ask {
        return decision;
    }
    let refused = facts.questions.refuse(facts.count_questions_of(session), new_questions);
    let Some(why) = refused else { return decision };
    let mut denial = decision.denied(Reason::TooManyOpen, Basis::Surface, NearestChange::Room);
    denial.note = why;
    denial
}

/// A repeated decline repeats the operator's note.
fn deny_declined(decline: &ActiveDecline) -> Decision {
    let (reason, nearest) = (Reason::DeclinedBefore, NearestChange::After(decline.ends_at));
    let mut decision = Decision::for_whole_call(Outcome::Deny, reason, Basis::Decline, nearest);
    decision.note.clone_from(&decline.declined.note);
    decision
}

fn deny(reason: Reason, nearest: NearestChange) -> Decision {
    Decision::for_whole_call(Outcome::Deny, reason, Basis::Call, nearest)
}

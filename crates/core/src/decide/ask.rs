//! Step 17: no earlier step decided, so the operator is asked, for the first reason that fits; and
//! the asks that nobody can answer or that are too many.

use super::action_context::ActionContext;
use super::admission;
use super::allow_granted::candidates;
use crate::decide::facts::Facts;
use crate::model::call::Call;
use crate::model::decision::{Basis, Decision, NearestChange, Verdict};
use crate::model::limits;
use crate::model::request::Request;
use crate::model::words::{Outcome, Reason, Risk};

pub(crate) fn ask(q: &ActionContext) -> Verdict {
    let grants = candidates(q);
    let (reason, nearest) = if q.is_decayed() || grants.would_cover_after_review() {
        (Reason::Decayed, NearestChange::Review)
    } else if grants.are_live_but_for_risk() {
        (Reason::TooRiskyToCarry, NearestChange::Answer)
    } else if grants.would_cover_before_end() {
        (Reason::Expired, NearestChange::Answer)
    } else {
        (Reason::NoGrant, NearestChange::Answer)
    };
    q.verdict(Outcome::Ask, reason, q.tier_basis(), nearest)
}

/// The questions that an ask opens: one for all actions up to moderate risk, and one for each action
/// above. Actions that are already asked about are left out.
pub(crate) fn new_questions<'d>(
    facts: &Facts,
    call: &Call,
    decision: &'d Decision,
) -> Vec<Vec<&'d Verdict>> {
    let open: Vec<_> = facts
        .state
        .open_requests_about(&call.session, &call.digest, facts.now)
        .flat_map(Request::open_items)
        .filter_map(|item| item.action.as_ref())
        .collect();
    let asked = decision
        .verdicts
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::Ask && !open.contains(&&verdict.action));
    let (alone, together): (Vec<_>, Vec<_>) = asked.partition(|v| v.risk > Risk::Moderate);
    std::iter::once(together)
        .filter(|items| !items.is_empty())
        .chain(alone.into_iter().map(|verdict| vec![verdict]))
        .collect()
}

/// Denies an ask of a call that nobody can answer, or that opens one question too many.
pub(crate) fn check_askable(facts: &Facts, call: &Call, decision: Decision) -> Decision {
    let decision = check_answerable(facts, call, decision);
    let count = match decision.outcome {
        Outcome::Ask => new_questions(facts, call, &decision).len(),
        Outcome::Allow | Outcome::Notify | Outcome::Deny => 0,
    };
    admission::require_room(facts, &call.session, count, decision)
}

/// Denies an ask that nobody can answer, and one question too many from inside a running call.
pub(super) fn check_answerable(facts: &Facts, call: &Call, decision: Decision) -> Decision {
    let outer = call
        .observed
        .parent
        .and_then(|parent| facts.state.running(parent, &call.session, &call.agent, facts.now));
    if let Some(outer) = outer {
        let asked = &outer.questions;
        if !asked.contains(&call.digest) && asked.len() >= limits::QUESTIONS_INSIDE_A_CALL {
            let basis = Basis::Parent(outer.call.id);
            return decision.denied(Reason::TooManyAsks, basis, NearestChange::Finish);
        }
    }
    admission::require_operator(facts, call.parking, decision)
}

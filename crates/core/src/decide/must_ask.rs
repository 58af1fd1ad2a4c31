//! Step 9: what has to be asked. Only the earlier steps, an exact answer or a gesture, allow these.

use super::action_context::ActionContext;
use super::admission;
use super::carry;
use crate::model::call::Definition;
use crate::model::decision::{Basis, Nearest, Verdict};
use crate::model::graph::Asking;
use crate::model::words::{Outcome, Reason, Risk};

pub(crate) fn must_ask(q: &ActionContext) -> Option<Verdict> {
    let (reason, nearest) = first_reason(q)?;
    Some(q.verdict(Outcome::Ask, reason, basis_for(reason), nearest))
}

fn basis_for(reason: Reason) -> Basis {
    if reason == Reason::Unclassified {
        Basis::NoRule
    } else if reason == Reason::PreviouslyDeclined {
        Basis::Decline
    } else {
        Basis::Rule
    }
}

fn first_reason(q: &ActionContext) -> Option<(Reason, Nearest)> {
    if admission::is_dry_run(q.facts, &q.call.session) && q.risk > Risk::ReadOnly {
        return Some((Reason::DryRun, Nearest::Answer));
    }
    if is_fan_out(q) {
        return Some((Reason::FanOut, Nearest::Answer));
    }
    if q.call.observed.definition == Definition::Changed {
        return Some((Reason::ToolChanged, Nearest::Answer));
    }
    if was_declined(q) {
        return Some((Reason::PreviouslyDeclined, Nearest::Answer));
    }
    // A command that the operator granted exactly does not have to be listed.
    if q.rule.is_none() && !carry::has_command_grant(q) {
        return Some((Reason::Unclassified, Nearest::Classify));
    }
    if q.is_individual() {
        return Some((Reason::Individual, Nearest::Answer));
    }
    if q.rule.is_some_and(|rule| rule.asking == Asking::Always) {
        return Some((Reason::AlwaysAsk, Nearest::Answer));
    }
    critical_reason(q)
}

fn critical_reason(q: &ActionContext) -> Option<(Reason, Nearest)> {
    if q.risk < Risk::Critical {
        return None;
    }
    let reason = match carry::candidates(q).are_live_but_for_risk() {
        true => Reason::TooRiskyToCarry,
        false => Reason::NoGrant,
    };
    Some((reason, Nearest::Answer))
}

pub(crate) fn is_fan_out(q: &ActionContext) -> bool {
    let Some(destination) = q.destination() else { return false };
    if q.call.target.len() > 1 {
        return true;
    }
    let sent = q
        .facts
        .state
        .sessions
        .get(&q.call.session)
        .and_then(|session| session.destinations.get(&destination.domain))
        .and_then(|events| events.get(&destination.event));
    sent.is_some_and(|first| *first != destination.target)
}

fn was_declined(q: &ActionContext) -> bool {
    q.facts.state.sessions.get(&q.call.session).is_some_and(|session| {
        session
            .declined
            .iter()
            .any(|(action, target)| *action == q.action && *target == q.call.target)
    })
}

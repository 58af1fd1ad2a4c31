//! Step 9: what has to be asked. Only an answer to this very call (step 7) or a gesture (step 8)
//! allows it.

use super::action_context::ActionContext;
use super::allow_granted;
use super::decided_actions::find_changed_files;
use crate::model::call::{Definition, Part};
use crate::model::decision::{Basis, EventDestination, NearestChange, Verdict};
use crate::model::graph::AskingRule;
use crate::model::rule_results::OwnFileResult;
use crate::model::words::{Outcome, Reason, Risk};
use crate::state::Restraints;

pub(crate) fn must_ask(q: &ActionContext) -> Option<Verdict> {
    let AskCause { reason, basis, nearest } = first_cause(q)?;
    Some(q.verdict(Outcome::Ask, reason, basis, nearest))
}

struct AskCause {
    reason: Reason,
    basis: Basis,
    nearest: NearestChange,
}

impl AskCause {
    /// A cause whose basis is the rule. An answer would allow the call.
    fn by_rule(reason: Reason) -> Self {
        Self { reason, basis: Basis::Rule, nearest: NearestChange::Answer }
    }
}

fn first_cause(q: &ActionContext) -> Option<AskCause> {
    if q.restraints.mode.is_dry_run() && q.risk > Risk::ReadOnly {
        return Some(AskCause::by_rule(Reason::DryRun));
    }
    if is_second_destination(q) {
        return Some(AskCause::by_rule(Reason::FanOut));
    }
    if matches!(q.call.observed.definition, Definition::Changed(_))
        && !allow_granted::has_grant_of_definition(q)
    {
        return Some(AskCause::by_rule(Reason::ToolChanged));
    }
    if let Some(OwnFileResult::Unresolved { why }) = &q.facts.ruled.target {
        return Some(AskCause {
            reason: Reason::UnresolvedPath,
            basis: Basis::Target(why.clone()),
            nearest: NearestChange::Answer,
        });
    }
    if was_declined(q) {
        return Some(AskCause {
            reason: Reason::PreviouslyDeclined,
            basis: Basis::Decline,
            nearest: NearestChange::Answer,
        });
    }
    // A command that the operator granted exactly does not have to be listed.
    if q.rule.is_none() && !allow_granted::has_command_grant(q) {
        return Some(AskCause {
            reason: Reason::Unclassified,
            basis: Basis::NoRule,
            nearest: NearestChange::Classify,
        });
    }
    if q.is_individual() {
        return Some(AskCause::by_rule(Reason::Individual));
    }
    let changed = find_changed_files(q.facts, q.call);
    if q.part == Part::Named && !changed.is_empty() {
        let files = changed.iter().map(|file| file.path.clone()).collect();
        return Some(AskCause {
            reason: Reason::ChangedBeforeRun,
            basis: Basis::RunFiles(files),
            nearest: NearestChange::Answer,
        });
    }
    if q.rule.is_some_and(|rule| rule.asking == AskingRule::Always) {
        return Some(AskCause::by_rule(Reason::AlwaysAsk));
    }
    critical_reason(q).map(AskCause::by_rule)
}

fn critical_reason(q: &ActionContext) -> Option<Reason> {
    if q.risk < Risk::Critical {
        return None;
    }
    match allow_granted::candidates(q).are_live_but_for_risk() {
        true => Some(Reason::TooRiskyToCarry),
        false => Some(Reason::NoGrant),
    }
}

fn is_second_destination(q: &ActionContext) -> bool {
    let (state, session, targets) = (q.facts.state, &q.call.session, q.call.target.len());
    let restraints = state.restraints(session, q.facts.now);
    q.destination().is_some_and(|to| is_fan_out(restraints, targets, &to))
}

/// Whether an event goes to several targets at once, or has gone to another one in this session.
pub(crate) fn is_fan_out(
    restraints: &Restraints,
    targets: usize,
    destination: &EventDestination,
) -> bool {
    let sent = restraints
        .destinations
        .get(&destination.domain)
        .and_then(|events| events.get(&destination.event));
    targets > 1 || sent.is_some_and(|first| *first != destination.target)
}

fn was_declined(q: &ActionContext) -> bool {
    let mut declined = q.restraints.declined.iter();
    declined.any(|(action, target)| *action == q.action && target.is_of(q.call))
}

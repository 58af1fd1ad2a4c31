//! Steps 3 to 6: what is denied regardless of grants.

use super::action_context::{ActionContext, SessionLineage};
use super::admission;
use crate::decide::facts::Facts;
use crate::model::call::{Call, Part};
use crate::model::command::Command;
use crate::model::danger::Danger;
use crate::model::decision::{Basis, NearestChange, Verdict};
use crate::model::graph::{ChannelRule, Unclassified};
use crate::model::rule_results::{CommandRuleResult, OwnFileResult};
use crate::model::words::{Channel, Reason, Risk, Tier};

pub(crate) fn deny_blocked(q: &ActionContext) -> Option<Verdict> {
    if let Some(CommandRuleResult::Denied { why }) = command_result(q) {
        return q.deny(Reason::Blocked, Basis::Commands(vec![why.clone()]), NearestChange::Command);
    }
    if q.tier? != Tier::Blocked {
        return None;
    }
    let dangers: Vec<String> =
        q.dangers().iter().filter(|danger| danger.raises()).map(Danger::to_string).collect();
    let is_added = Danger::destroying_action().is_some_and(|action| action == q.action);
    let by_tier = q.tier_basis();
    let names_dangers = is_added && !dangers.is_empty() && by_tier == Basis::Rule;
    let basis = if names_dangers { Basis::Dangers(dangers) } else { by_tier };
    q.deny(Reason::Blocked, basis, NearestChange::Tier)
}

/// The result of the command rules for the command line of the call.
fn command_result<'a>(q: &ActionContext<'a>) -> Option<&'a CommandRuleResult> {
    match q.part {
        Part::Named => q.facts.ruled.command.as_ref(),
        Part::Declared => None,
    }
}

/// No agent may touch our own files, sockets, database, policies and ledger.
pub(crate) fn deny_self_protection(q: &ActionContext) -> Option<Verdict> {
    if let Some(CommandRuleResult::Protected { why }) = command_result(q) {
        let basis = Basis::Commands(vec![why.clone()]);
        return q.deny(Reason::SelfProtection, basis, NearestChange::Command);
    }
    if let Some(OwnFileResult::Protected { own }) = &q.facts.ruled.target {
        return q.deny(Reason::SelfProtection, Basis::Target(own.clone()), NearestChange::Tier);
    }
    q.facts.protected.iter().find(|own| names_file(q.call, own))?;
    q.deny(Reason::SelfProtection, Basis::Call, NearestChange::Tier)
}

/// Our own files that the command line of a call names.
pub(crate) fn named_own_files(facts: &Facts, call: &Call) -> Vec<String> {
    facts.protected.iter().filter(|own| names_file(call, own)).cloned().collect()
}

/// Only the text of a command line is searched, also inside of its words. Where the words and the
/// targets of a call lead is among the results of the rules.
fn names_file(call: &Call, own: &str) -> bool {
    let words = match &call.command {
        Some(Command::Plain { argv, .. }) => argv.as_slice(),
        Some(Command::NotPlain { text, .. }) => std::slice::from_ref(text),
        None => &[],
    };
    words.iter().any(|word| mentions(word, own))
}

/// Whether a word of a command line contains the path, also after a redirection or a `=`.
fn mentions(text: &str, own: &str) -> bool {
    text.match_indices(own).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_name_char) && !after.is_some_and(is_name_char)
    })
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// After a stop, only reading goes on.
pub(crate) fn deny_stopped(q: &ActionContext) -> Option<Verdict> {
    let is_below = q.lineage == SessionLineage::MayBeBelow;
    let is_stopped = q.restraints.mode.is_stopped()
        || (is_below && q.facts.state.is_stopped_above(&q.call.session, q.facts.now));
    if q.risk == Risk::ReadOnly || !is_stopped {
        return None;
    }
    q.deny(Reason::Stopped, Basis::Call, NearestChange::GoOn)
}

pub(crate) fn deny_wrong_channel(q: &ActionContext) -> Option<Verdict> {
    if q.rule?.channel != ChannelRule::TrustedOnly || q.call.observed.channel == Channel::Trusted {
        return None;
    }
    q.deny(Reason::ChannelRequired, Basis::Rule, NearestChange::TrustedChannel)
}

/// A plain call has no diff, so it cannot meet the domain's conditions. Only a proposal can.
pub(crate) fn deny_unmet_conditions(q: &ActionContext) -> Option<Verdict> {
    let rule = q.rule?;
    // The listed tier and the tier after policies both count: a policy cannot lift a condition, but
    // it can make one apply.
    let needs_approval = [q.listed_tier(), q.tier].contains(&Some(Tier::RequiresApproval));
    let is_conditional = rule.channel == ChannelRule::TrustedOnly || needs_approval;
    if !is_conditional || !q.domain?.conditions.any() {
        return None;
    }
    q.deny(Reason::DiffMissing, Basis::Rule, NearestChange::Proposal)
}

/// If the graph denies unlisted actions, no grant allows them.
pub(crate) fn deny_unlisted(q: &ActionContext) -> Option<Verdict> {
    if q.rule.is_some() || q.graph.unclassified == Unclassified::Ask {
        return None;
    }
    q.deny(Reason::Unclassified, Basis::NoRule, NearestChange::Classify)
}

/// After a stop, proposals are denied, whatever their risk.
pub(crate) fn deny_stopped_proposal(q: &ActionContext) -> Option<Verdict> {
    if !admission::is_stopped(q.facts, &q.call.session) {
        return None;
    }
    q.deny(Reason::Stopped, Basis::Call, NearestChange::GoOn)
}

/// In a dry run, proposals are denied.
pub(crate) fn deny_dry_run(q: &ActionContext) -> Option<Verdict> {
    if !admission::is_dry_run(q.facts, &q.call.session) {
        return None;
    }
    q.deny(Reason::DryRun, Basis::Call, NearestChange::Answer)
}

/// A recent decline counts for the same call again, without a new question.
pub(crate) fn deny_declined(q: &ActionContext) -> Option<Verdict> {
    let decline = admission::find_decline(q.facts, &q.call.session, &q.call.lasting)?;
    q.deny(Reason::DeclinedBefore, Basis::Decline, NearestChange::After(decline.ends_at))
}

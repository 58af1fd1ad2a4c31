//! Heads of commands: which grants of a program and subcommand cover a line of one or several commands.
//!
//! A line is covered if each of its commands is: by a grant of its head, or because its class would
//! pass alone. One grant per head, at the risk of its own command.
//!
//! See docs/decisions/0099-heads-for-every-program.md.

use super::action_context::ActionContext;
use super::decided_actions::are_programs_pinned;
use crate::decide::facts::Facts;
use crate::model::call::Part;
use crate::model::grant::{Coverage, Grant};
use crate::model::graph::{AskingRule, ChannelRule, Graph};
use crate::model::names::Action;
use crate::model::place::{Bound, CommandHead};
use crate::model::words::{Risk, Tier};

/// Whether nothing about the commands is unusual, so that heads can cover them.
pub(super) fn allows_heads(q: &ActionContext) -> bool {
    q.part == Part::Named
        && !q.has_detectors()
        && (q.is_of_class() || q.places().is_empty())
        && are_heads_grantable(q.facts, q.graph, q.heads())
        && are_programs_pinned(q.facts, q.call)
}

/// Whether a longer yes could be given to each of these commands alone. A line must not carry one
/// that is blocked, critical or always asked about.
pub(crate) fn are_heads_grantable(facts: &Facts, graph: &Graph, heads: &[CommandHead]) -> bool {
    let is_grantable = |class: &Action| {
        let domain = graph.domains.get(class.domain());
        graph.rule(class).is_some_and(|rule| {
            let tier = facts.ruled.tier(class, Some(rule.tier));
            tier.is_some_and(|tier| tier != Tier::Blocked)
                && rule.risk < Risk::Critical
                && rule.asking != AskingRule::Always
                && rule.channel != ChannelRule::TrustedOnly
                && !domain.is_some_and(|domain| domain.conditions.any())
        })
    };
    heads.iter().all(|head| {
        head.class.as_ref().is_none_or(is_grantable)
            && (!head.words.is_empty() || needs_no_grant(facts, graph, head))
    })
}

/// Whether a command of a line would pass alone, by its class: then the line needs no grant for it.
pub(crate) fn needs_no_grant(facts: &Facts, graph: &Graph, head: &CommandHead) -> bool {
    let Some(class) = &head.class else { return false };
    let Some(rule) = graph.rule(class) else { return false };
    let domain = graph.domains.get(class.domain());
    facts.ruled.tier(class, Some(rule.tier)) == Some(Tier::Autonomous)
        && rule.risk <= Risk::Moderate
        && !graph.is_decayed(domain, facts.now.date())
        && head.within.iter().all(|bound| *bound == Bound::Workspace)
}

/// Whether a grant covers a command with this head, where the command acts.
pub(super) fn covers_head(q: &ActionContext, grant: &Grant, head: &CommandHead) -> bool {
    let Coverage::Head { words, action } = &grant.coverage else { return false };
    let bounds = grant.within.as_deref().unwrap_or_default();
    !words.is_empty()
        && *words == head.words
        && action == head.class.as_ref().unwrap_or(&q.action)
        && Bound::cover(bounds, &head.within)
}

/// The risk of a command with this head. In a line that is not of one class, a command keeps that of
/// its own.
pub(super) fn head_risk(q: &ActionContext, head: &CommandHead) -> Risk {
    let rule = head.class.as_ref().and_then(|class| q.graph.rule(class));
    rule.map_or(q.risk, |rule| rule.risk.min(q.risk))
}

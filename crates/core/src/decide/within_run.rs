//! What a declared action will do inside a run, before there is a call of it.
//!
//! The card of a start shows this. A call can still be stricter: by its target, its categories or the
//! risk that it declares.

use crate::model::graph::{AskingRule, ChannelRule, Graph, Unclassified, WorkflowRule};
use crate::model::names::{Action, Workflow};
use crate::model::time::Time;
use crate::model::words::{Risk, Tier, words};

words! {
    /// What a declared action does inside the run.
    WithinRun {
        /// It goes ahead.
        Covered = "covered",
        /// The operator is still asked about it.
        Asks = "asks",
        /// The graph denies it.
        Denied = "denied",
    }
}

/// What an action that a workflow declares does inside a run of it.
pub fn within_run(
    graph: Option<&Graph>,
    workflow: &Workflow,
    action: &Action,
    now: Time,
) -> WithinRun {
    let Some(graph) = graph else { return WithinRun::Denied };
    let Some(rule) = graph.rule(action) else {
        return match graph.unclassified {
            Unclassified::Ask => WithinRun::Asks,
            Unclassified::Deny => WithinRun::Denied,
        };
    };
    let domain = graph.domains.get(action.domain());
    let is_conditional =
        rule.tier == Tier::RequiresApproval && domain.is_some_and(|domain| domain.conditions.any());
    if rule.tier == Tier::Blocked || rule.channel == ChannelRule::TrustedOnly || is_conditional {
        return WithinRun::Denied;
    }
    let is_individual = |workflow: &WorkflowRule| workflow.is_individual(action, None);
    let is_asked_anyway = rule.asking == AskingRule::Always
        || rule.risk == Risk::Critical
        || graph.workflows.get(workflow).is_some_and(is_individual);
    let is_autonomous = rule.tier == Tier::Autonomous && !graph.is_decayed(domain, now.date());
    if !is_asked_anyway && (is_autonomous || rule.risk <= Risk::Moderate) {
        WithinRun::Covered
    } else {
        WithinRun::Asks
    }
}

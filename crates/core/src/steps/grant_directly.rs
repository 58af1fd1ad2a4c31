//! Checks a grant that the operator gives directly, without a request.
//!
//! A grant that would never cover any call looks like consent and is none, so it is refused with the
//! reason. Each call is still decided on its own.

use crate::model::grant::{Confirmation, Coverage, Scope};
use crate::model::graph::{AskingRule, ChannelRule, Graph, Rule};
use crate::model::names::Action;
use crate::model::words::{Risk, Tier};

/// Why a direct grant is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectGrantRefusal {
    #[error("no consent graph is loaded, so nothing is allowed")]
    NoGraph,
    #[error("{0} is blocked by the graph, and no grant lifts that")]
    Blocked(Action),
    #[error("{0} is accepted only over the trusted channel, and no grant replaces that")]
    Channel(Action),
    #[error("{0} needs a proposal, and only an answer to it counts")]
    Proposal(Action),
    #[error("the graph does not list {0}: it is asked every time")]
    Unlisted(Action),
    #[error("{0} is always asked, and only an answer to the call itself counts")]
    AlwaysAsk(Action),
    #[error("{0} is critical, and only an answer to the call itself carries that")]
    Critical(String),
    #[error("{0} is high risk: for a whole project that needs a second confirmation")]
    NotConfirmed(String),
    #[error("{0} cannot be granted directly")]
    NotNamed(String),
    #[error("{0} holds for a session at most")]
    ForSession(String),
    /// For a grant like an earlier yes.
    #[error("no grant is suggested for this request")]
    NotSuggested,
}

/// Why this grant is refused, if it is.
pub fn find_refusal(
    graph: Option<&Graph>,
    coverage: &Coverage,
    (scope, confirmation): (Scope, Confirmation),
) -> Option<DirectGrantRefusal> {
    let Some(graph) = graph else { return Some(DirectGrantRefusal::NoGraph) };
    let risk = match coverage {
        Coverage::Head { .. } if scope == Scope::Project => {
            return Some(DirectGrantRefusal::ForSession(coverage.to_string()));
        }
        Coverage::Action(action) | Coverage::Head { action, .. } => {
            match check_action(graph, action) {
                Ok(rule) => rule.risk,
                Err(refusal) => return Some(refusal),
            }
        }
        Coverage::Category(category) => category.floor(),
        Coverage::Command { .. } => Risk::High,
        Coverage::Digest { .. }
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Step { .. }
        | Coverage::Program(_) => return Some(DirectGrantRefusal::NotNamed(coverage.to_string())),
    };
    let needs_confirmation = scope == Scope::Project && confirmation == Confirmation::Plain;
    match risk {
        Risk::Critical => Some(DirectGrantRefusal::Critical(coverage.to_string())),
        Risk::High if needs_confirmation => {
            Some(DirectGrantRefusal::NotConfirmed(coverage.to_string()))
        }
        Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High => None,
    }
}

/// The rule of an action, unless no grant ever carries it.
pub(crate) fn check_action<'g>(
    graph: &'g Graph,
    action: &Action,
) -> Result<&'g Rule, DirectGrantRefusal> {
    let rule = graph.rule(action).ok_or_else(|| DirectGrantRefusal::Unlisted(action.clone()))?;
    let demands = graph.domains.get(action.domain()).is_some_and(|d| d.conditions.any());
    match (rule.tier, rule.channel, rule.asking) {
        (Tier::Blocked, ..) => Err(DirectGrantRefusal::Blocked(action.clone())),
        (_, ChannelRule::TrustedOnly, _) => Err(DirectGrantRefusal::Channel(action.clone())),
        (Tier::RequiresApproval, ..) if demands => {
            Err(DirectGrantRefusal::Proposal(action.clone()))
        }
        (_, _, AskingRule::Always) => Err(DirectGrantRefusal::AlwaysAsk(action.clone())),
        (Tier::RequiresApproval | Tier::Autonomous, ChannelRule::Any, AskingRule::ByTier) => {
            Ok(rule)
        }
    }
}

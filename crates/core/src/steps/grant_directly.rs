//! What an operator may give directly, and what no such grant would ever carry.
//!
//! A grant that carries nothing would look like consent and be none, so that it is refused with the
//! reason. Whether a call is carried is still decided call by call.

use crate::model::grant::{Confirmation, Coverage, Scope};
use crate::model::graph::{Asking, ChannelRule, Graph, Rule};
use crate::model::names::Action;
use crate::model::words::{Risk, Tier};

/// Why something is not given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    #[error("no consent graph is loaded, so nothing is allowed")]
    NoGraph,
    #[error("{0} is blocked by the graph, and no grant lifts that")]
    Blocked(Action),
    #[error("{0} counts only over the trusted channel, and no grant replaces that")]
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
    #[error("{0} is not something that an operator gives ahead")]
    NotNamed(String),
}

/// What stands against giving this, if anything does.
pub fn withheld(
    graph: Option<&Graph>,
    coverage: &Coverage,
    (scope, confirmation): (Scope, Confirmation),
) -> Option<Withheld> {
    let Some(graph) = graph else { return Some(Withheld::NoGraph) };
    let risk = match coverage {
        Coverage::Action(action) => match of_action(graph, action) {
            Ok(rule) => rule.risk,
            Err(withheld) => return Some(withheld),
        },
        Coverage::Category(category) => category.floor(),
        Coverage::Command { .. } => Risk::High,
        Coverage::Digest { .. }
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Step { .. } => return Some(Withheld::NotNamed(coverage.to_string())),
    };
    let needs_a_word = scope == Scope::Project && confirmation == Confirmation::Plain;
    match risk {
        Risk::Critical => Some(Withheld::Critical(coverage.to_string())),
        Risk::High if needs_a_word => Some(Withheld::NotConfirmed(coverage.to_string())),
        Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High => None,
    }
}

fn of_action<'g>(graph: &'g Graph, action: &Action) -> Result<&'g Rule, Withheld> {
    let rule = graph.rule(action).ok_or_else(|| Withheld::Unlisted(action.clone()))?;
    let demands = graph.domains.get(action.domain()).is_some_and(|d| d.conditions.any());
    match (rule.tier, rule.channel, rule.asking) {
        (Tier::Blocked, ..) => Err(Withheld::Blocked(action.clone())),
        (_, ChannelRule::TrustedOnly, _) => Err(Withheld::Channel(action.clone())),
        (Tier::RequiresApproval, ..) if demands => Err(Withheld::Proposal(action.clone())),
        (_, _, Asking::Always) => Err(Withheld::AlwaysAsk(action.clone())),
        (Tier::RequiresApproval | Tier::Autonomous, ChannelRule::Any, Asking::ByTier) => Ok(rule),
    }
}

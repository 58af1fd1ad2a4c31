//! The rules of a graph as sorted rows, one for each action.

use countersign_core::model::graph::{
    AskingRule, ChannelRule, Demand, Destinations, Domain, Graph, Rule, WhenIdle,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, TrustLevel};

pub(super) struct ActionRow<'g> {
    pub(super) action: &'g Action,
    pub(super) rule: &'g Rule,
    pub(super) domain: Option<&'g Domain>,
}

/// Sorted by domain, then strictness, then name.
pub(super) fn action_rows(graph: &Graph) -> Vec<ActionRow<'_>> {
    let mut rows: Vec<ActionRow<'_>> = graph
        .rules
        .iter()
        .map(|(action, rule)| ActionRow {
            action,
            rule,
            domain: graph.domains.get(action.domain()),
        })
        .collect();
    rows.sort_by_key(|row| (row.action.domain(), row.rule.tier, row.action.verb()));
    rows
}

impl ActionRow<'_> {
    pub(super) fn trust(&self) -> Option<TrustLevel> {
        self.domain.and_then(|domain| domain.trust)
    }

    pub(super) fn categories(&self) -> Vec<&str> {
        self.rule.categories.iter().map(|category| category.as_str()).collect()
    }

    /// All other conditions and exemptions of the rule.
    pub(super) fn conditions(&self) -> Vec<String> {
        let mut conditions = Vec::new();
        if self.rule.asking == AskingRule::Always {
            conditions.push("always_ask".to_owned());
        }
        if self.rule.when_idle == WhenIdle::Pass {
            conditions.push("when_idle".to_owned());
        }
        let needs_channel = self.rule.channel == ChannelRule::TrustedOnly;
        if needs_channel {
            conditions.push("trusted_channel".to_owned());
        }
        let Some(domain) = self.domain else { return conditions };
        // The conditions of a domain apply to these actions only.
        if needs_channel || self.rule.tier == Tier::RequiresApproval {
            conditions.extend(domain_conditions(domain));
        }
        if domain.destinations == Destinations::One {
            conditions.push("single_destination".to_owned());
        }
        conditions
    }
}

fn domain_conditions(domain: &Domain) -> impl Iterator<Item = String> {
    let conditions = domain.conditions;
    let diff = (conditions.diff == Demand::Needed).then(|| "diff".to_owned());
    let cooling = conditions.cooling_hours.map(|hours| format!("cooling {hours}h"));
    let undo = conditions.undo_days.map(|days| format!("undo {days}d"));
    [diff, cooling, undo].into_iter().flatten()
}

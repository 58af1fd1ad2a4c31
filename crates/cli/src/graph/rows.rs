//! What a graph says about each action, in the order in which people look for it.

use countersign_core::model::graph::{
    Asking, ChannelRule, Demand, Destinations, Domain, Graph, Rule, WhenIdle,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, TrustLevel};

pub(super) struct Row<'g> {
    pub(super) action: &'g Action,
    pub(super) rule: &'g Rule,
    pub(super) domain: Option<&'g Domain>,
}

/// By domain, then by strictness, then by name.
pub(super) fn rows(graph: &Graph) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = graph
        .rules
        .iter()
        .map(|(action, rule)| Row { action, rule, domain: graph.domains.get(action.domain()) })
        .collect();
    rows.sort_by_key(|row| (row.action.domain(), row.rule.tier, row.action.verb()));
    rows
}

impl Row<'_> {
    pub(super) fn trust(&self) -> Option<TrustLevel> {
        self.domain.and_then(|domain| domain.trust)
    }

    pub(super) fn categories(&self) -> Vec<&str> {
        self.rule.categories.iter().map(|category| category.as_str()).collect()
    }

    /// Everything else that its rule demands or spares.
    pub(super) fn conditions(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.rule.asking == Asking::Always {
            found.push("always_ask".to_owned());
        }
        if self.rule.when_idle == WhenIdle::Pass {
            found.push("when_idle".to_owned());
        }
        let bound = self.rule.channel == ChannelRule::TrustedOnly;
        if bound {
            found.push("trusted_channel".to_owned());
        }
        let Some(domain) = self.domain else { return found };
        // The domain's demands hold for these alone.
        if bound || self.rule.tier == Tier::RequiresApproval {
            found.extend(demands(domain));
        }
        if domain.destinations == Destinations::One {
            found.push("single_destination".to_owned());
        }
        found
    }
}

fn demands(domain: &Domain) -> impl Iterator<Item = String> {
    let conditions = domain.conditions;
    let diff = (conditions.diff == Demand::Needed).then(|| "diff".to_owned());
    let cooling = conditions.cooling_hours.map(|hours| format!("cooling {hours}h"));
    let undo = conditions.undo_days.map(|days| format!("undo {days}d"));
    [diff, cooling, undo].into_iter().flatten()
}

//! The names of a graph's actions in Cedar.
//!
//! An action keeps its name, and a domain is a group of actions. All unlisted actions of a domain
//! share one extra action, and there is another one for actions outside all domains. The names of
//! the extra actions contain a space, which no action's name can.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use std::collections::BTreeSet;

pub(crate) struct Vocabulary<'g> {
    pub(crate) actions: BTreeSet<&'g Action>,
    pub(crate) domains: BTreeSet<&'g str>,
}

impl<'g> Vocabulary<'g> {
    pub(crate) fn from_graph(graph: &'g Graph) -> Self {
        let domains = graph.domains.keys().map(String::as_str).collect();
        Self { actions: graph.rules.keys().collect(), domains }
    }

    /// Whether a policy may name this action or group.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.domains.contains(name)
            || self.actions.iter().any(|action| action.as_str() == name)
            || self.unlisted_names().any(|unlisted| unlisted == name)
    }

    /// The names that a policy can use, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(|action| action.as_str()).chain(self.domains.iter().copied())
    }

    /// The extra actions for unlisted actions.
    pub(crate) fn unlisted_names(&self) -> impl Iterator<Item = String> {
        self.domains.iter().map(|domain| unlisted_name(Some(domain))).chain([unlisted_name(None)])
    }
}

/// The name of the extra action for unlisted actions, in a domain or outside all domains.
pub(crate) fn unlisted_name(domain: Option<&str>) -> String {
    match domain {
        Some(domain) => format!("{domain} (unclassified)"),
        None => "(unclassified)".to_owned(),
    }
}

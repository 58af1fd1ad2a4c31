//! How the actions of a graph are called in Cedar.
//!
//! An action keeps its name and a domain is a group of its actions. Whatever the lists do not name
//! is one action more in each domain, and one outside of all domains; their names hold a blank,
//! which no action's name can.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use std::collections::BTreeSet;

pub(crate) struct Vocabulary<'g> {
    pub(crate) actions: BTreeSet<&'g Action>,
    pub(crate) domains: BTreeSet<&'g str>,
}

impl<'g> Vocabulary<'g> {
    pub(crate) fn of(graph: &'g Graph) -> Self {
        let domains = graph.domains.keys().map(String::as_str).collect();
        Self { actions: graph.rules.keys().collect(), domains }
    }

    /// Whether a policy may name this action or group.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.domains.contains(name)
            || self.actions.iter().any(|action| action.as_str() == name)
            || self.unlisted().any(|unlisted| unlisted == name)
    }

    /// What a policy can name, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(|action| action.as_str()).chain(self.domains.iter().copied())
    }

    /// The actions that stand for what no list names.
    pub(crate) fn unlisted(&self) -> impl Iterator<Item = String> {
        self.domains.iter().map(|domain| unlisted(Some(domain))).chain([unlisted(None)])
    }
}

/// What an action that no list names is called, by its domain where the graph has that.
pub(crate) fn unlisted(domain: Option<&str>) -> String {
    match domain {
        Some(domain) => format!("{domain} (unclassified)"),
        None => "(unclassified)".to_owned(),
    }
}

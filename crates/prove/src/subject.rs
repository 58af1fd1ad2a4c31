//! What is asked about: each listed action, and whatever no list names.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Action(Action),
    /// Whatever neither graph lists in a domain that one of them has; one such action stands for
    /// all.
    OthersOf(Action),
    /// Whatever is in no domain of either.
    Others(Action),
}

impl Subject {
    /// The action that the graphs are asked about.
    pub fn action(&self) -> &Action {
        match self {
            Self::Action(action) | Self::OthersOf(action) | Self::Others(action) => action,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(action) => write!(f, "{action}"),
            Self::OthersOf(action) => write!(f, "any other of {}", action.domain()),
            Self::Others(_) => f.write_str("any other action"),
        }
    }
}

pub(crate) fn all(old: &Graph, new: &Graph) -> Vec<Subject> {
    let listed: BTreeSet<&Action> = old.rules.keys().chain(new.rules.keys()).collect();
    let domains: BTreeSet<&String> = old.domains.keys().chain(new.domains.keys()).collect();
    let unlisted = |domain: &str| {
        let verbs = names("other");
        let mut actions = verbs.filter_map(|verb| Action::new(domain, &verb).ok());
        actions.find(|action| !listed.contains(action))
    };
    let elsewhere = names("elsewhere").find(|domain| !domains.contains(domain));
    let mut found: Vec<_> =
        listed.iter().map(|action| Subject::Action((*action).clone())).collect();
    found.extend(domains.iter().filter_map(|domain| unlisted(domain)).map(Subject::OthersOf));
    found.extend(elsewhere.and_then(|domain| unlisted(&domain)).map(Subject::Others));
    found
}

/// One more than there can be actions or domains that have such names.
fn names(stem: &'static str) -> impl Iterator<Item = String> {
    (0_u64..)
        .map(move |number| if number == 0 { stem.to_owned() } else { format!("{stem}{number}") })
}

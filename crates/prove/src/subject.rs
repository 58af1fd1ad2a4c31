//! The subjects of a proof: each listed action, and the unlisted ones.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProofSubject {
    Action(Action),
    /// All unlisted actions of a domain that one of the graphs has, represented by one of them.
    OtherInDomain(Action),
    /// All actions outside the domains of both graphs, represented by one of them.
    OtherAction(Action),
}

impl ProofSubject {
    /// The action that the graphs are asked about.
    pub fn action(&self) -> &Action {
        match self {
            Self::Action(action) | Self::OtherInDomain(action) | Self::OtherAction(action) => {
                action
            }
        }
    }
}

impl fmt::Display for ProofSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(action) => write!(f, "{action}"),
            Self::OtherInDomain(action) => write!(f, "any other of {}", action.domain()),
            Self::OtherAction(_) => f.write_str("any other action"),
        }
    }
}

pub(crate) fn list_subjects(old: &Graph, new: &Graph) -> Vec<ProofSubject> {
    let listed: BTreeSet<&Action> = old.rules.keys().chain(new.rules.keys()).collect();
    let domains: BTreeSet<&String> = old.domains.keys().chain(new.domains.keys()).collect();
    let unlisted = |domain: &str| {
        let verbs = numbered_names("other");
        let mut actions = verbs.filter_map(|verb| Action::new(domain, &verb).ok());
        actions.find(|action| !listed.contains(action))
    };
    let new_domain = numbered_names("elsewhere").find(|domain| !domains.contains(domain));
    let mut found: Vec<_> =
        listed.iter().map(|action| ProofSubject::Action((*action).clone())).collect();
    found.extend(
        domains.iter().filter_map(|domain| unlisted(domain)).map(ProofSubject::OtherInDomain),
    );
    found.extend(new_domain.and_then(|domain| unlisted(&domain)).map(ProofSubject::OtherAction));
    found
}

/// An endless list of names, so that one of them is always unused.
fn numbered_names(stem: &'static str) -> impl Iterator<Item = String> {
    (0_u64..)
        .map(move |number| if number == 0 { stem.to_owned() } else { format!("{stem}{number}") })
}

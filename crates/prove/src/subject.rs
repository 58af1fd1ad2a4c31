//! The subject of a finding: a listed action, or the unlisted ones.

use countersign_core::model::names::Action;
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

//! Grants that earlier systems kept: their files in, old grants or the place of what is wrong out.
//!
//! Nothing is decided and nothing is written here. What cannot be read is never skipped: half a
//! file of permissions is not a smaller file of permissions.

mod consent_system;
mod instant;
pub mod limits;
mod permission_bridge;

pub use consent_system::consent_system;
pub use permission_bridge::permission_bridge;

use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;

/// A grant as an earlier system kept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// Where it stands: a line, or a row.
    pub place: String,
    pub key: String,
    /// What it was given for, in the words that were shown.
    pub words: String,
    pub covers: Covers,
    pub scope: Scope,
    pub given_at: Time,
    pub ends_at: Option<Time>,
    pub revoked_at: Option<Time>,
}

/// What it covered there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covers {
    Action(Action),
    Category(Category),
    /// Starts of a workflow.
    Starts(Workflow),
    Everything,
    /// Nothing that outlives where it was kept, and why.
    Nothing(&'static str),
}

/// Why a file was not read to its end, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Corrupt {
    pub place: String,
    pub what: String,
    pub help: String,
}

impl Corrupt {
    fn at(place: &str, what: impl Into<String>, help: &str) -> Self {
        Self { place: place.to_owned(), what: what.into(), help: help.to_owned() }
    }
}

//! Reads the grants of earlier systems from their files.
//!
//! Nothing is decided or written here. An unreadable entry is an error with its position and is never
//! skipped, because it could have revoked or narrowed another grant.
//!
//! See docs/decisions/0020-imports-need-confirmation.md.

mod consent_system;
mod instant;
pub mod limits;
mod permission_bridge;

pub use consent_system::read_consent_system;
pub use permission_bridge::read_permission_bridge;

use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;

/// A grant as an earlier system stored it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldGrant {
    /// The position in the file: a line or a row.
    pub place: String,
    pub key: String,
    /// What the grant was for, in the words shown to the user.
    pub description: String,
    pub coverage: OldCoverage,
    pub scope: Scope,
    pub given_at: Time,
    pub ends_at: Option<Time>,
    pub revoked_at: Option<Time>,
}

/// What the grant covered in the earlier system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldCoverage {
    Action(Action),
    Category(Category),
    /// Starts of a workflow.
    WorkflowStarts(Workflow),
    Everything,
    /// Nothing that can be imported, and why.
    Nothing(&'static str),
}

/// Why a file could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ImportError {
    pub place: String,
    pub message: String,
    pub help: String,
}

impl ImportError {
    fn new(place: &str, message: impl Into<String>, help: &str) -> Self {
        Self { place: place.to_owned(), message: message.into(), help: help.to_owned() }
    }
}

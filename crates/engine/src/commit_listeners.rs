//! Callbacks after commits, so that a caller can wait for an answer or follow the ledger.
//!
//! A listener learns which sessions a commit may concern, and reads the record itself.

use crate::{ReadScope, ScopeKind};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionKey;
use std::sync::{Arc, Mutex, PoisonError};

/// The sessions whose waiting calls a commit may have answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AffectedSessions {
    None,
    Only(Vec<SessionKey>),
    All,
}

/// Called after every commit of this engine, and when another node may have committed.
pub type CommitListener = Arc<dyn Fn(&AffectedSessions) + Send + Sync>;

#[derive(Default)]
pub(crate) struct CommitListeners {
    listeners: Mutex<Vec<CommitListener>>,
}

impl CommitListeners {
    pub(crate) fn add(&self, listener: CommitListener) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    pub(crate) fn notify(&self, affected: &AffectedSessions) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().for_each(|listener| listener(affected));
    }
}

impl AffectedSessions {
    /// A step changes only what it has read, so its scope bounds the sessions.
    pub(crate) fn from_changes(changes: &[Change], scope: &ReadScope, facts: &Facts) -> Self {
        if !changes.iter().any(can_settle_calls) {
            return Self::None;
        }
        match scope.kind {
            ScopeKind::Sessions | ScopeKind::Projects | ScopeKind::SubAgents => {
                Self::Only(facts.state.sessions.keys().cloned().collect())
            }
            ScopeKind::Running
            | ScopeKind::Notices
            | ScopeKind::ProjectGrants
            | ScopeKind::Requests
            | ScopeKind::Everything => Self::All,
        }
    }
}

/// Whether a call may have to wait no longer after this change.
fn can_settle_calls(change: &Change) -> bool {
    matches!(
        change,
        Change::RequestAnswered { .. }
            | Change::GrantMinted { .. }
            | Change::GrantRevoked { .. }
            | Change::ConsentReset { .. }
            | Change::Restarted { .. }
    )
}

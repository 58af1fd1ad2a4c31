//! Serialises a commit on the caller's thread, before it is queued, so that the single writer
//! thread does less.
//!
//! See docs/decisions/0030-cost-of-a-check.md.

use crate::globals::seal_bodies;
use crate::{Commit, ReadBasis, ReadScope, StoreError};
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::time::Time;
use countersign_ledger::Body;
use std::sync::{Arc, Mutex};

/// One commit in the writer's queue. `C` is what the backend may have cached of its scope.
pub(crate) struct CommitJob<C> {
    pub scope: ReadScope,
    pub basis: ReadBasis,
    pub at: Time,
    pub changes: Arc<Vec<Change>>,
    pub prepared: PreparedCommit,
    cached: Mutex<Option<C>>,
}

impl<C> CommitJob<C> {
    pub fn prepare(commit: Commit, cached: Option<C>) -> Result<Self, StoreError> {
        let Commit { scope, basis, at, changes } = commit;
        let prepared = PreparedCommit::from_changes(&changes)?;
        let changes = Arc::new(changes);
        Ok(Self { scope, basis, at, changes, prepared, cached: Mutex::new(cached) })
    }

    /// What was cached of the scope; only the first call gets it.
    pub fn take_cached(&self) -> Option<C> {
        self.cached.lock().ok()?.take()
    }
}

#[derive(Debug)]
pub(crate) struct PreparedCommit {
    /// The bodies of the ledger entries.
    pub bodies: Vec<Body>,
    pub call_texts: CallTexts,
}

/// New calls as JSON, each next to the call it was made from.
#[derive(Debug)]
pub(crate) struct CallTexts(Vec<(Arc<Call>, String)>);

impl PreparedCommit {
    pub fn from_changes(changes: &[Change]) -> Result<Self, StoreError> {
        Ok(Self { bodies: seal_bodies(changes)?, call_texts: CallTexts::from_changes(changes)? })
    }
}

impl CallTexts {
    fn from_changes(changes: &[Change]) -> Result<Self, StoreError> {
        Self::from_calls(changes.iter().filter_map(|change| match change {
            Change::CallDecided { attempt: Attempt::First(call), .. } => Some(call),
            _ => None,
        }))
    }

    pub fn from_calls<'a>(
        calls: impl IntoIterator<Item = &'a Arc<Call>>,
    ) -> Result<Self, StoreError> {
        let texts = calls.into_iter().map(|call| {
            let text = serde_json::to_string(&**call).map_err(|e| StoreError::unwritable(&e))?;
            Ok::<_, StoreError>((Arc::clone(call), text))
        });
        texts.collect::<Result<_, _>>().map(Self)
    }

    /// The text of exactly this call; an equal call has none.
    pub fn get(&self, call: &Arc<Call>) -> Option<&str> {
        let found = self.0.iter().find(|(prepared, _)| Arc::ptr_eq(prepared, call));
        found.map(|(_, text)| text.as_str())
    }
}

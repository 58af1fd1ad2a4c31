//! Remembers what was read from the file for one session, so that the commit that follows does not
//! read it again. It is valid until a commit changes one of its cells.

use crate::cells::{CellChanges, collect_snapshot_cells};
use crate::limits::MAX_CACHED_READS;
use crate::prepared_commit::CommitJob;
use crate::{ReadScope, StoreError, lock};
use countersign_core::model::names::SessionKey;
use countersign_core::state::State;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A state, and the last transaction that it surely contains.
pub(super) struct CachedRead {
    scope: ReadScope,
    state: Arc<State>,
    transaction: u64,
}

/// A commit, with the read that it was decided on.
pub(super) type SqliteJob = CommitJob<CachedRead>;

#[derive(Default)]
pub(super) struct ReadCache {
    reads: Mutex<HashMap<SessionKey, CachedRead>>,
    /// The number of the last transaction that is committed.
    completed: AtomicU64,
}

impl CachedRead {
    /// The state that was read, if none of its cells has changed since.
    pub fn into_current(self, changes: &CellChanges) -> Option<Arc<State>> {
        let cells = collect_snapshot_cells(&self.scope, &self.state);
        changes.is_unchanged(&cells, self.transaction).then_some(self.state)
    }
}

impl ReadCache {
    /// To be called before a read starts: the read contains at least these transactions.
    pub fn completed_transactions(&self) -> u64 {
        self.completed.load(Ordering::SeqCst)
    }

    pub fn insert(
        &self,
        scope: &ReadScope,
        state: &Arc<State>,
        transaction: u64,
    ) -> Result<(), StoreError> {
        let Some(session) = scope.single_session() else { return Ok(()) };
        let read = CachedRead { scope: scope.clone(), state: Arc::clone(state), transaction };
        let mut reads = lock(&self.reads)?;
        if reads.len() >= MAX_CACHED_READS {
            reads.clear();
        }
        reads.insert(session.clone(), read);
        Ok(())
    }

    /// What was read for exactly this scope.
    pub fn take(&self, scope: &ReadScope) -> Result<Option<CachedRead>, StoreError> {
        let Some(session) = scope.single_session() else { return Ok(None) };
        let mut reads = lock(&self.reads)?;
        Ok(reads.remove(session).filter(|read| read.scope == *scope))
    }

    pub fn set_completed(&self, transaction: u64) {
        self.completed.store(transaction, Ordering::SeqCst);
    }
}

//! Snapshots of sessions in use, as of the last commit, for readers. Only the writer adds and
//! removes them; its working copies bound how many there are.

use super::working_copies::SnapshotUpdate;
use crate::{StoreError, lock};
use countersign_core::model::names::SessionKey;
use countersign_core::state::State;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) struct SessionCache {
    contents: Mutex<CacheContents>,
    disabled: AtomicBool,
}

#[derive(Default)]
struct CacheContents {
    sessions: HashMap<SessionKey, Arc<State>>,
    /// The last transaction that all of them contain.
    transaction: u64,
}

impl SessionCache {
    pub fn new() -> Self {
        Self { contents: Mutex::default(), disabled: AtomicBool::new(false) }
    }

    fn lock_contents(&self) -> Result<MutexGuard<'_, CacheContents>, StoreError> {
        lock(&self.contents)
    }

    /// The snapshot of a session, and the last transaction that it contains.
    pub fn get(&self, session: &SessionKey) -> Result<Option<(Arc<State>, u64)>, StoreError> {
        let contents = self.lock_contents()?;
        let state = contents.sessions.get(session).cloned();
        Ok(state.map(|state| (state, contents.transaction)))
    }

    /// Makes a transaction visible: removes what is stale, then adds what is current.
    pub fn publish(&self, published: SnapshotUpdate, transaction: u64) -> Result<(), StoreError> {
        let mut contents = self.lock_contents()?;
        for session in &published.removed {
            contents.sessions.remove(session);
        }
        contents.sessions.extend(published.updated);
        contents.transaction = transaction;
        Ok(())
    }

    pub fn disable(&self) {
        self.disabled.store(true, Ordering::SeqCst);
    }

    pub fn is_enabled(&self) -> bool {
        !self.disabled.load(Ordering::SeqCst)
    }

    pub fn clear(&self) -> Result<(), StoreError> {
        self.lock_contents()?.sessions.clear();
        Ok(())
    }
}

//! Snapshots of sessions in use, as of the last commit, for readers. Only the writer adds and
//! removes them; its working copies bound how many there are.

use super::working_copies::Publication;
use crate::{StoreError, lock};
use countersign_core::model::names::SessionName;
use countersign_core::state::State;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) struct SessionCache {
    sessions: Mutex<HashMap<SessionName, Arc<State>>>,
    disabled: AtomicBool,
}

impl SessionCache {
    pub fn new() -> Self {
        Self { sessions: Mutex::new(HashMap::new()), disabled: AtomicBool::new(false) }
    }

    fn lock_sessions(
        &self,
    ) -> Result<MutexGuard<'_, HashMap<SessionName, Arc<State>>>, StoreError> {
        lock(&self.sessions)
    }

    pub fn get(&self, session: &SessionName) -> Result<Option<Arc<State>>, StoreError> {
        Ok(self.lock_sessions()?.get(session).cloned())
    }

    /// Makes a commit visible: removes what is stale, then adds what is current.
    pub fn publish(&self, published: Publication) -> Result<(), StoreError> {
        let mut sessions = self.lock_sessions()?;
        for session in &published.removed {
            sessions.remove(session);
        }
        sessions.extend(published.updated);
        Ok(())
    }

    pub fn disable(&self) {
        self.disabled.store(true, Ordering::SeqCst);
    }

    pub fn is_enabled(&self) -> bool {
        !self.disabled.load(Ordering::SeqCst)
    }

    pub fn clear(&self) -> Result<(), StoreError> {
        self.lock_sessions()?.clear();
        Ok(())
    }
}

//! Slices of sessions in use, as of the last commit. Only the writer puts them here, and takes
//! them away again: how many there may be it knows.

use super::workings::Published;
use crate::StoreError;
use countersign_core::model::names::SessionName;
use countersign_core::state::State;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) struct Slices {
    held: Mutex<HashMap<SessionName, Arc<State>>>,
    forgets: AtomicBool,
}

impl Slices {
    pub fn none() -> Self {
        Self { held: Mutex::new(HashMap::new()), forgets: AtomicBool::new(false) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, HashMap<SessionName, Arc<State>>>, StoreError> {
        self.held.lock().map_err(|_| StoreError::poisoned())
    }

    pub fn get(&self, session: &SessionName) -> Result<Option<Arc<State>>, StoreError> {
        Ok(self.lock()?.get(session).cloned())
    }

    /// Makes a commit visible: first what no longer holds goes, then what holds now comes.
    pub fn publish(&self, published: Published) -> Result<(), StoreError> {
        let mut held = self.lock()?;
        for session in &published.gone {
            held.remove(session);
        }
        held.extend(published.now);
        Ok(())
    }

    pub fn forget_everything(&self) {
        self.forgets.store(true, Ordering::SeqCst);
    }

    /// Whether anything is kept at all.
    pub fn remember(&self) -> bool {
        !self.forgets.load(Ordering::SeqCst)
    }

    pub fn clear(&self) -> Result<(), StoreError> {
        self.lock()?.clear();
        Ok(())
    }
}

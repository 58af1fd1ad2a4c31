//! A store in memory: for stories, tests and dry runs. Nothing survives the process.

use crate::{Store, StoreError};
use countersign_core::change::Change;
use countersign_core::ledger::{Entry, Head};
use countersign_core::state::State;
use countersign_core::time::Time;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Debug)]
pub struct Memory {
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    state: Arc<State>,
    entries: Vec<Entry>,
}

impl Memory {
    pub fn empty() -> Self {
        let held = Held { state: Arc::new(State::empty()), entries: Vec::new() };
        Self { held: Mutex::new(held) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Held>, StoreError> {
        self.held.lock().map_err(|_| StoreError::Damaged)
    }
}

impl Store for Memory {
    fn read(&self) -> Result<Arc<State>, StoreError> {
        Ok(Arc::clone(&self.lock()?.state))
    }

    fn commit(&self, at: Time, changes: &[Change]) -> Result<(), StoreError> {
        let mut held = self.lock()?;
        if let Some(conflict) = held.state.conflict(changes) {
            return Err(conflict.into());
        }
        let entries = chained(held.entries.last().map_or(Head::empty(), Entry::head), at, changes)?;
        let state = Arc::make_mut(&mut held.state);
        changes.iter().for_each(|change| state.apply(at, change));
        held.entries.extend(entries);
        Ok(())
    }

    fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        Ok(self.lock()?.entries.clone())
    }
}

/// The entries of one commit; made before anything is applied, because making one can fail.
fn chained(mut head: Head, at: Time, changes: &[Change]) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::with_capacity(changes.len());
    for change in changes {
        let entry = Entry::new(head, at, change)?;
        head = entry.head();
        entries.push(entry);
    }
    Ok(entries)
}

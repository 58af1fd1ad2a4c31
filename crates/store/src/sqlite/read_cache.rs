//! Remembers what was read from the file for one session, so that the commit that follows does not
//! read it again. It is valid until a commit changes one of its cells.

use crate::cells::{Cell, collect_snapshot_cells};
use crate::limits::{MAX_CACHED_READS, MAX_TRACKED_CELLS};
use crate::{ReadScope, StoreError, lock};
use countersign_core::model::names::SessionName;
use countersign_core::state::State;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A state, and the last transaction that it surely contains.
pub(super) struct CachedRead {
    scope: ReadScope,
    state: Arc<State>,
    transaction: u64,
}

#[derive(Default)]
pub(super) struct ReadCache {
    reads: Mutex<HashMap<SessionName, CachedRead>>,
    /// The number of the last transaction that is committed.
    completed: AtomicU64,
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

/// Which transaction last changed which cell. Only the writer has it.
#[derive(Default)]
pub(super) struct CellChanges {
    /// The transaction that is open, or comes next.
    pub transaction: u64,
    last_change: HashMap<Cell, u64>,
    /// Changes before this transaction are forgotten.
    known_since: u64,
}

impl CellChanges {
    pub fn record(&mut self, changed: &BTreeSet<Cell>) {
        if self.last_change.len() > MAX_TRACKED_CELLS {
            self.last_change.clear();
            self.known_since = self.transaction;
        }
        self.last_change.extend(changed.iter().map(|cell| (cell.clone(), self.transaction)));
    }

    /// The state that was read, if none of its cells has changed since.
    pub fn take_if_current(&self, read: CachedRead) -> Option<Arc<State>> {
        let CachedRead { scope, state, transaction } = read;
        let is_unchanged =
            |cell: &Cell| self.last_change.get(cell).is_none_or(|changed| *changed <= transaction);
        let is_current = transaction >= self.known_since
            && collect_snapshot_cells(&scope, &state).iter().all(is_unchanged);
        is_current.then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(transaction: u64) -> CachedRead {
        let scope = ReadScope::for_session(&SessionName::parse("s1").unwrap());
        CachedRead { scope, state: Arc::new(State::empty()), transaction }
    }

    fn cell(name: &str) -> BTreeSet<Cell> {
        BTreeSet::from([Cell::Session(SessionName::parse(name).unwrap())])
    }

    #[test]
    fn a_change_after_a_read_makes_it_stale_and_a_change_before_does_not() {
        let mut changes = CellChanges { transaction: 5, ..CellChanges::default() };
        changes.record(&cell("s1"));
        assert!(changes.take_if_current(read(5)).is_some());
        assert!(changes.take_if_current(read(4)).is_none());
        changes.transaction = 6;
        changes.record(&cell("s2"));
        assert!(changes.take_if_current(read(5)).is_some());
        changes.record(&BTreeSet::from([Cell::Globals]));
        assert!(changes.take_if_current(read(5)).is_none());
    }

    #[test]
    fn a_read_from_before_the_remembered_changes_is_stale() {
        let mut changes = CellChanges { transaction: 9, ..CellChanges::default() };
        (0..=MAX_TRACKED_CELLS).for_each(|number| changes.record(&cell(&format!("n{number}"))));
        changes.record(&cell("s2"));
        assert!(changes.take_if_current(read(8)).is_none());
        assert!(changes.take_if_current(read(9)).is_some());
    }
}

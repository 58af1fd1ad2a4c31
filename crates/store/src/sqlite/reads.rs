//! What was read from the file lately for one session, so that the commit that follows need not
//! read it again: good as long as no commit has moved a cell of it since.

use crate::cells::{Cell, of_slice};
use crate::{Need, StoreError, only_session};
use countersign_core::model::names::SessionName;
use countersign_core::state::State;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// More than are decided at the same time; the rest is read twice.
const MOST: usize = 64;
/// Cells whose last move is remembered.
const CELLS: usize = 4_096;

/// A slice, and how many transactions it had seen at least.
pub(super) struct Read {
    need: Need,
    state: Arc<State>,
    seen: u64,
}

#[derive(Default)]
pub(super) struct Reads {
    held: Mutex<HashMap<SessionName, Read>>,
    /// Transactions that are through.
    done: AtomicU64,
}

impl Reads {
    /// Asked before a read begins: that sees at least so much.
    pub fn seen(&self) -> u64 {
        self.done.load(Ordering::SeqCst)
    }

    pub fn keep(&self, need: &Need, state: &Arc<State>, seen: u64) -> Result<(), StoreError> {
        let Some(session) = only_session(need) else { return Ok(()) };
        let read = Read { need: need.clone(), state: Arc::clone(state), seen };
        let mut held = self.held.lock().map_err(|_| StoreError::poisoned())?;
        if held.len() >= MOST {
            held.clear();
        }
        held.insert(session.clone(), read);
        Ok(())
    }

    /// What was read for just this.
    pub fn take(&self, need: &Need) -> Result<Option<Read>, StoreError> {
        let Some(session) = only_session(need) else { return Ok(None) };
        let mut held = self.held.lock().map_err(|_| StoreError::poisoned())?;
        Ok(held.remove(session).filter(|read| read.need == *need))
    }

    pub fn through(&self, transaction: u64) {
        self.done.store(transaction, Ordering::SeqCst);
    }
}

/// Which transaction last moved which cell. Only the writer knows.
#[derive(Default)]
pub(super) struct Moves {
    /// The transaction that is open, or comes next.
    pub now: u64,
    last: HashMap<Cell, u64>,
    /// Of what was moved before this nothing is known.
    since: u64,
}

impl Moves {
    pub fn note(&mut self, moved: &BTreeSet<Cell>) {
        if self.last.len() > CELLS {
            self.last.clear();
            self.since = self.now;
        }
        self.last.extend(moved.iter().map(|cell| (cell.clone(), self.now)));
    }

    /// The slice that was read, if it is still what is stored.
    pub fn still(&self, read: Read) -> Option<Arc<State>> {
        let Read { need, state, seen } = read;
        let unmoved = |cell: &Cell| self.last.get(cell).is_none_or(|moved| *moved <= seen);
        let stands = seen >= self.since && of_slice(&need, &state).iter().all(unmoved);
        stands.then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(seen: u64) -> Read {
        let need = Need::session(&SessionName::parse("s1").unwrap());
        Read { need, state: Arc::new(State::empty()), seen }
    }

    fn cell(name: &str) -> BTreeSet<Cell> {
        BTreeSet::from([Cell::Session(SessionName::parse(name).unwrap())])
    }

    #[test]
    fn what_was_moved_after_a_read_makes_it_stale_and_what_was_moved_before_does_not() {
        let mut moves = Moves { now: 5, ..Moves::default() };
        moves.note(&cell("s1"));
        assert!(moves.still(read(5)).is_some());
        assert!(moves.still(read(4)).is_none());
        moves.now = 6;
        moves.note(&cell("s2"));
        assert!(moves.still(read(5)).is_some());
        moves.note(&BTreeSet::from([Cell::All]));
        assert!(moves.still(read(5)).is_none());
    }

    #[test]
    fn what_nobody_remembers_is_read_again() {
        let mut moves = Moves { now: 9, ..Moves::default() };
        (0..=CELLS).for_each(|number| moves.note(&cell(&format!("n{number}"))));
        moves.note(&cell("s2"));
        assert!(moves.still(read(8)).is_none());
        assert!(moves.still(read(9)).is_some());
    }
}

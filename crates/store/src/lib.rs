//! Where state and ledger are kept: one contract, so that every store behaves alike.
//!
//! A store reads and commits; it decides nothing. A commit carries changes and is refused whole
//! if any of them conflicts with what happened since the read.

mod memory;

pub use memory::Memory;

use countersign_core::change::Change;
use countersign_core::ledger::{Entry, LedgerError};
use countersign_core::state::{Conflict, State};
use countersign_core::time::Time;
use std::sync::Arc;

pub trait Store {
    /// The state as it is now.
    fn read(&self) -> Result<Arc<State>, StoreError>;

    /// Applies changes together with their ledger entries: all of them, or none.
    fn commit(&self, at: Time, changes: &[Change]) -> Result<(), StoreError>;

    /// The ledger, oldest entry first.
    fn entries(&self) -> Result<Vec<Entry>, StoreError>;
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Conflict(#[from] Conflict),
    #[error("the ledger takes no entry: {0}")]
    Ledger(#[from] LedgerError),
    /// Another thread panicked while it held the store, so what it holds is not to be trusted.
    #[error("the store is damaged: restart, then run `ledger verify`")]
    Damaged,
}

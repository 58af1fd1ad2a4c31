//! A record that is only looked at: no lock is taken, nothing is written, and nothing is made
//! where nothing is.

use crate::{Sought, StoreError};
use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head};
use countersign_core::state::State;

pub trait Record {
    /// Entries of the ledger from a place on, so many at most, the oldest first.
    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError>;

    /// Where the ledger ends now.
    fn head(&self) -> Result<Head, StoreError>;

    /// Ids that begin or end like this, so many at most.
    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError>;

    /// What its digests are keyed with.
    fn key(&self) -> Option<&Key> {
        None
    }

    /// The whole state and the ledger's end, as of one instant.
    fn snapshot(&self) -> Result<(State, Head), StoreError>;
}

/// Who only reads cannot bring tables up to date.
pub(crate) fn is_current(found: usize, known: usize) -> Result<(), StoreError> {
    crate::is_known(found, known)?;
    if found == known {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("the record has version {found}, and this program reads {known}"),
        remedy: "let a command that writes bring it up to date, such as `countersign import`"
            .to_owned(),
    })
}

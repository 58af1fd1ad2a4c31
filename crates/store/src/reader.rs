//! Read-only access to a store: takes no lock, writes nothing and creates nothing.

use crate::{ObjectKind, StoreError};
use countersign_core::encoding::digest::Key;
use countersign_core::state::State;
use countersign_ledger::{Entry, Head};

pub trait StoreReader {
    /// Ledger entries from `from` on, oldest first.
    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// The end of the ledger.
    fn head(&self) -> Result<Head, StoreError>;

    /// Ids that start or end with `part`.
    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// The key of the digests.
    fn key(&self) -> Option<&Key> {
        None
    }

    /// The whole state and the ledger's end, as of one instant.
    fn snapshot(&self) -> Result<(State, Head), StoreError>;
}

/// Refuses tables of any other version, because a reader cannot migrate them.
pub(crate) fn check_same_version(found: usize, known: usize) -> Result<(), StoreError> {
    crate::check_not_newer(found, known)?;
    if found == known {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("the record has version {found}, and this program reads {known}"),
        remedy: "let a command that writes bring it up to date, such as `countersign import`"
            .to_owned(),
    })
}

//! The ledger from its end: what is asked about is mostly what happened last.

use crate::failure::Failure;
use crate::limits;
use countersign_core::ledger::Entry;
use countersign_engine::StoreReader;

/// The first that is found, looking from an entry back to the beginning.
pub(super) fn back<T>(
    record: &dyn StoreReader,
    from: u64,
    mut look: impl FnMut(&Entry) -> Result<Option<T>, Failure>,
) -> Result<Option<T>, Failure> {
    let mut last = from;
    let step = u64::try_from(limits::LEDGER_PAGE).unwrap_or(1);
    while last > 0 {
        let first = last.saturating_sub(step - 1).max(1);
        let page = record.read_entries(first, limits::LEDGER_PAGE)?;
        for entry in page.iter().rev().filter(|entry| entry.seq <= last) {
            if let Some(found) = look(entry)? {
                return Ok(Some(found));
            }
        }
        last = first - 1;
    }
    Ok(None)
}

/// The place of the last entry.
pub(super) fn end(record: &dyn StoreReader) -> Result<u64, Failure> {
    Ok(record.head()?.next.saturating_sub(1))
}

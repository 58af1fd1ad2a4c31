//! Searches the ledger from its end: most questions are about what happened last.

use crate::limits;
use countersign_console::Failure;
use countersign_engine::StoreReader;
use countersign_ledger::Entry;

/// The first match from a position back to the beginning.
pub(super) fn search_back<T>(
    record: &dyn StoreReader,
    from: u64,
    mut matches: impl FnMut(&Entry) -> Result<Option<T>, Failure>,
) -> Result<Option<T>, Failure> {
    let mut last = from;
    let step = u64::try_from(limits::LEDGER_PAGE).unwrap_or(1);
    while last > 0 {
        let first = last.saturating_sub(step - 1).max(1);
        let page = record.read_entries(first, limits::LEDGER_PAGE)?;
        for entry in page.iter().rev().filter(|entry| entry.seq <= last) {
            if let Some(found) = matches(entry)? {
                return Ok(Some(found));
            }
        }
        last = first - 1;
    }
    Ok(None)
}

/// The position of the last entry.
pub(super) fn last_position(record: &dyn StoreReader) -> Result<u64, Failure> {
    Ok(record.head()?.next.saturating_sub(1))
}

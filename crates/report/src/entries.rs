//! Reads the ledger in pages, so that its length does not matter.

use crate::limits;
use countersign_console::Failure;
use countersign_core::model::change::Change;
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use countersign_ledger::Entry;
use countersign_ledger::subject::{EntrySubject, SubjectIndex};
use std::ops::RangeInclusive;

/// An entry with its change, and the session, agent and ids it is about.
pub(crate) struct ParsedEntry {
    pub(crate) entry: Entry,
    pub(crate) at: Time,
    pub(crate) change: Change,
    pub(crate) about: EntrySubject,
}

impl ParsedEntry {
    pub(crate) fn parse(entry: Entry, owners: &mut SubjectIndex) -> Result<Self, Failure> {
        let (at, change) = entry.change()?;
        let about = owners.find_subject(&change);
        Ok(Self { entry, at, change, about })
    }
}

/// Passes on every entry in order: what one is about can follow from those before it.
pub(crate) fn for_each_entry(
    record: &dyn StoreReader,
    mut visit: impl FnMut(ParsedEntry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut owners = SubjectIndex::default();
    scan_entries(record, 1..=u64::MAX, |entry| visit(ParsedEntry::parse(entry, &mut owners)?))?;
    Ok(())
}

/// Passes on the stored entries of a range. Returns the position after the last one.
pub fn scan_entries(
    record: &dyn StoreReader,
    range: RangeInclusive<u64>,
    mut visit: impl FnMut(Entry) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let (mut next, end) = range.into_inner();
    loop {
        let page = record.read_entries(next, limits::LEDGER_PAGE)?;
        let Some(last) = page.last().map(|entry| entry.seq) else { return Ok(next) };
        page.into_iter().take_while(|entry| entry.seq <= end).try_for_each(&mut visit)?;
        next = last.saturating_add(1);
        if next > end {
            return Ok(next);
        }
    }
}

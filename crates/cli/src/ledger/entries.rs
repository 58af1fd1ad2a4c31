//! Entries one after the other, a page at a time, with what each is about.

use crate::failure::Failure;
use crate::limits;
use countersign_core::ledger::Entry;
use countersign_core::ledger::about::{About, Whose};
use countersign_core::model::change::Change;
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use std::ops::RangeInclusive;

/// An entry that was read back.
pub(crate) struct Seen {
    pub(crate) entry: Entry,
    pub(crate) at: Time,
    pub(crate) change: Change,
    pub(crate) about: About,
}

impl Seen {
    pub(crate) fn of(entry: Entry, whose: &mut Whose) -> Result<Self, Failure> {
        let (at, change) = entry.change()?;
        let about = whose.about(&change);
        Ok(Self { entry, at, change, about })
    }
}

/// Hands over every entry in its order: what one is about can follow from those before it.
pub(crate) fn each(
    record: &dyn StoreReader,
    mut then: impl FnMut(Seen) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut whose = Whose::default();
    pages(record, 1..=u64::MAX, |entry| then(Seen::of(entry, &mut whose)?)).map(|_| ())
}

/// The same as stored, of some places. Says where the next entry would be.
pub(crate) fn pages(
    record: &dyn StoreReader,
    places: RangeInclusive<u64>,
    mut then: impl FnMut(Entry) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let (mut next, to) = places.into_inner();
    loop {
        let page = record.read_entries(next, limits::LEDGER_PAGE)?;
        let Some(last) = page.last().map(|entry| entry.seq) else { return Ok(next) };
        page.into_iter().take_while(|entry| entry.seq <= to).try_for_each(&mut then)?;
        next = last.saturating_add(1);
        if next > to {
            return Ok(next);
        }
    }
}

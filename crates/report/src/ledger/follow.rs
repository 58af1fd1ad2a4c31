//! `ledger follow`: prints entries as they are written.

use super::args::LedgerFollowArgs;
use super::filter::{EntryFilter, KnownNames};
use super::line::EntryFormat;
use crate::entries::{EntryParser, ParsedEntry, scan_entries};
use crate::limits::LEDGER_POLL_INTERVAL;
use crate::record::ReportContext;
use countersign_console::{Exit, Failure, Interrupt, WaitResult};
use countersign_engine::StoreReader;
use std::collections::VecDeque;

pub(super) fn follow(args: &LedgerFollowArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let record = args.record.open_reader(&context.record)?;
    let filter = EntryFilter::from_position(&args.filters, args.from.unwrap_or(1));
    let format = if args.json { EntryFormat::Json } else { EntryFormat::Text };
    let mut interrupt = Interrupt::listen()?;
    let wait = || interrupt.wait(LEDGER_POLL_INTERVAL);
    // Without a position only new entries are printed.
    let last = args.from.is_none().then_some(0);
    print_entries(&*record, &filter, last, |entry| format.print(entry), wait)?;
    Ok(Exit::Allowed)
}

/// Prints the matching entries, or only the last of them, and after each wait the new ones. A wait
/// that is interrupted ends it.
pub(crate) fn print_entries(
    record: &dyn StoreReader,
    filter: &EntryFilter<'_>,
    last: Option<usize>,
    mut print: impl FnMut(&ParsedEntry) -> Result<(), Failure>,
    mut wait: impl FnMut() -> WaitResult,
) -> Result<(), Failure> {
    // Entries that do not match are parsed too: later ones may be about the same ids.
    let (mut parser, mut recent) = (EntryParser::default(), VecDeque::new());
    let mut known = KnownNames::default();
    let mut next = scan_entries(record, 1..=u64::MAX, |entry| {
        let entry = parser.parse(entry)?;
        known.add(filter, &entry);
        match last {
            _ if !filter.matches(&entry) => {}
            None => print(&entry)?,
            Some(count) => {
                recent.push_back(entry);
                recent.drain(..recent.len().saturating_sub(count));
            }
        }
        Ok(())
    })?;
    known.check(filter)?;
    recent.iter().try_for_each(&mut print)?;
    while wait() == WaitResult::TimedOut {
        next = scan_entries(record, next..=u64::MAX, |entry| {
            let entry = parser.parse(entry)?;
            if filter.matches(&entry) { print(&entry) } else { Ok(()) }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::FilterArgs;
    use countersign_core::model::change::Change;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;
    use countersign_core::state::State;
    use countersign_engine::{Commit, Memory, ObjectKind, ReadScope, Store, StoreError};
    use countersign_ledger::Head;

    struct MemoryReader<'a>(&'a Memory);

    impl StoreReader for MemoryReader<'_> {
        fn read_entries(
            &self,
            from: u64,
            limit: usize,
        ) -> Result<Vec<countersign_ledger::Entry>, StoreError> {
            self.0.read_entries(from, limit)
        }

        fn head(&self) -> Result<Head, StoreError> {
            self.0.head()
        }

        fn find_ids(
            &self,
            kind: ObjectKind,
            part: &str,
            limit: usize,
        ) -> Result<Vec<String>, StoreError> {
            self.0.find_ids(kind, part, limit)
        }

        fn snapshot(&self) -> Result<(State, Head), StoreError> {
            Ok((State::empty(), Head::empty()))
        }
    }

    fn add_entry(store: &Memory) {
        let agent = Agent::parse("agent-1").unwrap();
        let changes = vec![Change::AgentPaused { agent }];
        let scope = ReadScope::globals();
        let basis = store.read(&scope).unwrap().basis;
        store.commit(Commit { scope, basis, at: Time::from_micros(0), changes }).unwrap();
    }

    /// The printed positions: two entries are there before, and one comes during each of two waits.
    fn follow_from(from: Option<u64>) -> Vec<u64> {
        let store = Memory::empty();
        add_entry(&store);
        add_entry(&store);
        let filters = FilterArgs { session: None, agent: None, kinds: vec![], ids: vec![] };
        let filter = EntryFilter::from_position(&filters, from.unwrap_or(1));
        let (mut waits, mut printed) = (0, Vec::new());
        let print = |entry: &ParsedEntry| {
            printed.push(entry.entry.seq);
            Ok(())
        };
        print_entries(&MemoryReader(&store), &filter, from.is_none().then_some(0), print, || {
            waits += 1;
            add_entry(&store);
            if waits == 3 { WaitResult::Interrupted } else { WaitResult::TimedOut }
        })
        .unwrap();
        printed
    }

    #[test]
    fn new_entries_are_printed_until_it_is_interrupted() {
        assert_eq!(follow_from(None), [3, 4]);
    }

    #[test]
    fn it_can_begin_at_an_earlier_entry() {
        assert_eq!(follow_from(Some(2)), [2, 3, 4]);
        assert_eq!(follow_from(Some(4)), [4]);
    }
}

//! Reads the ledger in pages, so that its length does not matter.

use crate::limits;
use countersign_console::Failure;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use countersign_ledger::Entry;
use countersign_ledger::subject::{EntrySubject, SubjectIndex};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// An entry with its change, and the session, agent and ids it is about.
pub(crate) struct ParsedEntry {
    pub(crate) entry: Entry,
    pub(crate) at: Time,
    pub(crate) change: Change,
    pub(crate) about: EntrySubject,
    /// What the request of an answer asked about.
    pub(crate) asked: Option<AskedQuestion>,
}

/// A request, and the call that it was opened for.
#[derive(Clone)]
pub(crate) struct AskedQuestion {
    pub(crate) request: Arc<Request>,
    pub(crate) call: Option<Arc<Call>>,
}

/// Reads entries in order: what one is about can follow from those before it.
#[derive(Default)]
pub(crate) struct EntryParser {
    owners: SubjectIndex,
    calls: BTreeMap<CallId, Arc<Call>>,
    requests: BTreeMap<RequestId, AskedQuestion>,
}

impl EntryParser {
    pub(crate) fn parse(&mut self, entry: Entry) -> Result<ParsedEntry, Failure> {
        let (at, change) = entry.change()?;
        let about = self.owners.find_subject(&change);
        let mut asked = None;
        match &change {
            Change::CallDecided { attempt: Attempt::First(call), .. } => {
                self.calls.insert(call.id, Arc::clone(call));
            }
            Change::RequestOpened { request } => {
                let call = match &request.subject {
                    Subject::Calls(calls) => calls.first().and_then(|id| self.calls.get(id)),
                    _ => None,
                };
                let request = Arc::new(Request::clone(request));
                let question = AskedQuestion { call: call.cloned(), request };
                self.requests.insert(question.request.id, question);
            }
            Change::RequestAnswered { answered } => {
                asked = self.requests.get(&answered.request).cloned();
            }
            _ => {}
        }
        Ok(ParsedEntry { entry, at, change, about, asked })
    }
}

/// Passes on every entry in order: what one is about can follow from those before it.
pub(crate) fn for_each_entry(
    record: &dyn StoreReader,
    mut visit: impl FnMut(ParsedEntry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut parser = EntryParser::default();
    scan_entries(record, 1..=u64::MAX, |entry| visit(parser.parse(entry)?))?;
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

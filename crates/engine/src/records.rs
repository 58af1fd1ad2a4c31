//! What an agent says about its own doing, kept in the ledger as a claim.

use crate::{Engine, EngineError, ReadScope, RowKey, SessionOwner, Store, StoreError, limits};
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::recorded::Recorded;
use countersign_core::model::time::Time;
use countersign_ledger::Entry;

/// Whether a statement of an agent was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordResult {
    Recorded,
    /// The session belongs to another agent.
    ForeignSession,
    /// No call of this session and agent has that id.
    UnknownCall,
}

/// A page of an agent's records in one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPage {
    pub records: Vec<OwnRecord>,
    /// Where to continue. None at the end of the ledger.
    pub next: Option<u64>,
    /// Where to continue backwards, for a page of the latest. None at the start of the ledger.
    pub previous: Option<u64>,
}

/// Its position in the ledger, its instant and the record itself.
type OwnRecord = (u64, Time, Recorded);

/// Which page of records to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordsFrom {
    /// The last ones.
    Latest,
    /// The last ones before this position.
    Before(u64),
    /// The first ones from this position on.
    Position(u64),
}

impl<S: Store> Engine<S> {
    /// Records what an agent says about its own doing.
    pub fn record_statement(&self, mut recorded: Recorded) -> Result<RecordResult, EngineError> {
        recorded.redact(self.store.key());
        let (session, agent) = (recorded.session.clone(), recorded.agent.clone());
        let owner = SessionOwner { session, agent };
        let with_call = |scope: ReadScope| scope.with_rows(recorded.call.map(RowKey::Call));
        let result = self.run_in_own_session(&owner, None, with_call, |facts| {
            let is_own = |id| facts.state.calls.get(id).is_some_and(|r| owner.is_maker_of(&r.call));
            if !recorded.call.iter().all(is_own) {
                return (RecordResult::UnknownCall, Vec::new());
            }
            let recorded = Box::new(recorded.clone());
            (RecordResult::Recorded, vec![Change::AgentRecorded { recorded }])
        })?;
        Ok(result.unwrap_or(RecordResult::ForeignSession))
    }

    /// A page of an agent's records, in the order of the ledger.
    pub fn list_records(
        &self,
        owner: &SessionOwner,
        from: RecordsFrom,
    ) -> Result<RecordPage, EngineError> {
        let end = self.store.head()?.next;
        match from {
            RecordsFrom::Position(from) => self.list_records_after(owner, from, end),
            RecordsFrom::Latest => self.list_records_before(owner, end),
            RecordsFrom::Before(before) => self.list_records_before(owner, before.min(end)),
        }
    }

    fn list_records_after(
        &self,
        owner: &SessionOwner,
        from: u64,
        end: u64,
    ) -> Result<RecordPage, EngineError> {
        let last = from.saturating_add(limits::RECORD_SEARCH_ENTRIES).min(end);
        let (mut next, mut records) = (from, Vec::new());
        while next < last && records.len() < limits::RECORDS_PER_PAGE {
            let page = self.store.read_entries(next, limits::RECORD_BATCH_ENTRIES)?;
            if page.is_empty() {
                break;
            }
            for entry in page {
                next = entry.seq.saturating_add(1);
                records.extend(read_record(&entry, owner)?);
                if records.len() >= limits::RECORDS_PER_PAGE {
                    break;
                }
            }
        }
        Ok(RecordPage { records, next: (next < end).then_some(next), previous: None })
    }

    /// The last records before a position, found by reading batches from there to the front.
    fn list_records_before(
        &self,
        owner: &SessionOwner,
        before: u64,
    ) -> Result<RecordPage, EngineError> {
        let first = before.saturating_sub(limits::RECORD_SEARCH_ENTRIES);
        let (mut start, mut newest_first) = (before, Vec::new());
        while start > first && newest_first.len() < limits::RECORDS_PER_PAGE {
            let batch = (limits::RECORD_BATCH_ENTRIES as u64).min(start - first);
            let from = start - batch;
            let page = self.store.read_entries(from, batch as usize)?;
            // The ledger may start after `from`, so that the page reaches further than the batch.
            let end = std::mem::replace(&mut start, from);
            for entry in page.iter().rev().filter(|entry| entry.seq < end) {
                newest_first.extend(read_record(entry, owner)?);
                if newest_first.len() >= limits::RECORDS_PER_PAGE {
                    start = entry.seq;
                    break;
                }
            }
        }
        newest_first.reverse();
        let previous = (start > 0).then_some(start);
        Ok(RecordPage { records: newest_first, next: None, previous })
    }
}

/// The record that an entry holds, if it is one of this owner.
fn read_record(entry: &Entry, owner: &SessionOwner) -> Result<Option<OwnRecord>, EngineError> {
    if entry.kind != Kind::AgentRecorded {
        return Ok(None);
    }
    let (at, change) = entry.change().map_err(StoreError::from)?;
    let Change::AgentRecorded { recorded } = change else { return Ok(None) };
    let is_own = recorded.session == owner.session && recorded.agent == owner.agent;
    Ok(is_own.then_some((entry.seq, at, *recorded)))
}

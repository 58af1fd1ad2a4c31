//! What an agent says about its own doing, kept in the ledger as a claim.

use crate::{Engine, EngineError, ReadScope, RowKey, SessionOwner, Store, StoreError, limits};
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::recorded::Recorded;
use countersign_core::model::time::Time;

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
    pub records: Vec<(u64, Time, Recorded)>,
    /// Where to continue. None at the end of the ledger.
    pub next: Option<u64>,
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

    /// The records of an agent from a ledger position on; without one, the latest.
    pub fn list_records(
        &self,
        owner: &SessionOwner,
        from: Option<u64>,
    ) -> Result<RecordPage, EngineError> {
        let end = self.store.head()?.next;
        let mut next = from.unwrap_or_else(|| end.saturating_sub(limits::RECORD_SEARCH_ENTRIES));
        let last = next.saturating_add(limits::RECORD_SEARCH_ENTRIES).min(end);
        let mut records = Vec::new();
        while next < last && records.len() < limits::RECORDS_PER_PAGE {
            let page = self.store.read_entries(next, limits::RECORD_BATCH_ENTRIES)?;
            if page.is_empty() {
                break;
            }
            for entry in page {
                next = entry.seq.saturating_add(1);
                if entry.kind != Kind::AgentRecorded {
                    continue;
                }
                let (at, change) = entry.change().map_err(StoreError::from)?;
                let Change::AgentRecorded { recorded } = change else { continue };
                if recorded.session == owner.session && recorded.agent == owner.agent {
                    records.push((entry.seq, at, *recorded));
                }
                if records.len() >= limits::RECORDS_PER_PAGE {
                    break;
                }
            }
        }
        Ok(RecordPage { records, next: (next < end).then_some(next) })
    }
}

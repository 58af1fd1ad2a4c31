//! What an agent lists of its own: consent in force, open requests, unfinished calls, records.

use crate::{AgentError, Host, limits};
use countersign_api::{ConsentResponse, OwnOperationView, RecordView, RecordsResponse, Timestamp};
use countersign_core::model::recorded::Recorded;
use countersign_core::model::time::Time;
use countersign_engine::{OwnConsent, RecordPage, RecordResult, RecordsFrom, SessionOwner};
use std::cmp::Reverse;

impl Host {
    /// The consent in force for an agent in one session, its open requests and its unfinished calls.
    pub async fn list_own_consent(
        &self,
        owner: SessionOwner,
    ) -> Result<ConsentResponse, AgentError> {
        let found = self.run(move |engine| engine.list_own_consent(&owner)).await?;
        let OwnConsent { mut grants, mut requests, mut calls, mut runs, lines } = found;
        grants.sort_unstable_by_key(|grant| Reverse((grant.granted_at, grant.id)));
        requests.sort_unstable_by_key(|request| (request.opened_at, request.id));
        calls.sort_unstable_by_key(|(record, _)| record.call.id);
        runs.sort_unstable_by_key(|run| run.id);
        let longest = grants.len().max(requests.len()).max(calls.len()).max(runs.len());
        let most = limits::OWN_OBJECTS_LISTED;
        Ok(ConsentResponse {
            grants: grants.iter().take(most).map(Into::into).collect(),
            requests: requests.iter().take(most).map(Into::into).collect(),
            operations: calls
                .iter()
                .take(most)
                .map(|(record, grant)| OwnOperationView::new(record, grant.as_ref()))
                .collect(),
            runs: runs.iter().take(most).map(Into::into).collect(),
            truncated: longest > most,
            lines,
        })
    }

    /// Records what an agent says about its own doing, as its claim.
    pub async fn record_statement(&self, recorded: Recorded) -> Result<(), AgentError> {
        match self.run(move |engine| engine.record_statement(recorded)).await? {
            RecordResult::Recorded => Ok(()),
            RecordResult::ForeignSession => Err(AgentError::ForeignSession),
            RecordResult::UnknownCall => Err(AgentError::Unknown("operation")),
        }
    }

    /// A page of an agent's own records.
    pub async fn list_records(
        &self,
        owner: SessionOwner,
        from: RecordsFrom,
    ) -> Result<RecordsResponse, AgentError> {
        let page = self.run(move |engine| engine.list_records(&owner, from)).await?;
        let view = |(seq, at, recorded): (u64, Time, Recorded)| RecordView {
            seq,
            at: Timestamp(at),
            operation_id: recorded.call,
            ground: recorded.ground,
            text: recorded.text,
        };
        let RecordPage { records, next, previous } = page;
        Ok(RecordsResponse { records: records.into_iter().map(view).collect(), next, previous })
    }
}

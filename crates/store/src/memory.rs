//! A store in memory, for stories, tests and dry runs. Nothing survives the process.

use crate::globals::seal_bodies;
use crate::instant::NEVER;
use crate::listing::{GrantPage, GrantQuery, ObjectKind, list_grants_in_state};
use crate::{ReadScope, Snapshot, Store, StoreError};
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::grant::GrantState;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::request::RequestState;
use countersign_core::model::run::RunState;
use countersign_core::model::time::Time;
use countersign_core::state::{CallRecord, CallState, State};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Debug)]
pub struct Memory {
    contents: Mutex<Contents>,
}

#[derive(Debug)]
struct Contents {
    state: Arc<State>,
    entries: Vec<Entry>,
    last: Time,
}

impl Memory {
    pub fn empty() -> Self {
        let contents =
            Contents { state: Arc::new(State::empty()), entries: Vec::new(), last: NEVER };
        Self { contents: Mutex::new(contents) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Contents>, StoreError> {
        crate::lock(&self.contents)
    }
}

impl Contents {
    fn erase(&mut self, change: &Change) {
        let Change::ArgumentsErased { erased } = change else { return };
        for entry in self.entries.iter_mut().filter(|entry| erased.entries.contains(&entry.seq)) {
            if let Some(sealed) = &mut entry.sealed {
                sealed.content = None;
            }
        }
    }
}

impl Store for Memory {
    fn read_cached(&self, scope: &ReadScope) -> Result<Option<Snapshot>, StoreError> {
        self.read(scope).map(Some)
    }

    /// Always the whole state.
    fn read(&self, _need: &ReadScope) -> Result<Snapshot, StoreError> {
        let contents = self.lock()?;
        Ok(Snapshot {
            state: Arc::clone(&contents.state),
            now: None,
            last_commit_at: contents.last,
        })
    }

    fn commit(&self, _need: &ReadScope, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut contents = self.lock()?;
        if let Some(conflict) = contents.state.conflict(&changes) {
            return Err(conflict.into());
        }
        let entries = chain_entries(
            contents.entries.last().map_or(Head::empty(), Entry::head),
            at,
            &changes,
        )?;
        changes.iter().for_each(|change| contents.erase(change));
        let state = Arc::make_mut(&mut contents.state);
        changes.iter().for_each(|change| state.apply(at, change));
        state.take_touched();
        contents.entries.extend(entries);
        contents.last = contents.last.max(at);
        Ok(())
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let requests = state.requests.values().filter(|r| r.state == RequestState::Open);
        let runs = state.runs.values().filter(|run| !matches!(run.state, RunState::Ended(_)));
        let grants = state
            .grants
            .iter()
            .filter(|grant| matches!(grant.state, GrantState::Live | GrantState::Released { .. }));
        let mut due = BTreeSet::new();
        due.extend(requests.filter(|r| r.ends_at <= now).map(|r| r.session.clone()));
        due.extend(runs.filter(|run| run.idles_out_at() <= now).map(|run| run.session.clone()));
        due.extend(grants.filter(|grant| grant.is_over(now)).map(|grant| grant.made_in.clone()));
        Ok(due.into_iter().collect())
    }

    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let open = state.requests.values().filter(|request| request.is_open(now));
        let mut ids: Vec<RequestId> = open.map(|request| request.id).collect();
        ids.retain(|id| Some(*id) > after);
        ids.sort_unstable();
        ids.truncate(limit);
        Ok(ids)
    }

    fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let waits = |record: &&CallRecord| matches!(record.state, CallState::Ended(_));
        let due = |record: &CallRecord| record.repeat.as_ref().map(|repeat| repeat.due_at);
        let calls = state.calls.values().filter(waits);
        let mut calls: Vec<(Time, CallId)> =
            calls.filter_map(|record| Some((due(record)?, record.call.id))).collect();
        calls.retain(|(due, _)| *due <= now);
        calls.sort_unstable();
        Ok(calls.into_iter().take(limit).map(|(_, id)| id).collect())
    }

    fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError> {
        Ok(list_grants_in_state(&self.lock()?.state, query))
    }

    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let ids: Vec<String> = match kind {
            ObjectKind::Call => state.calls.values().map(|r| r.call.id.to_string()).collect(),
            ObjectKind::Request => state.requests.values().map(|r| r.id.to_string()).collect(),
            ObjectKind::Run => state.runs.values().map(|run| run.id.to_string()).collect(),
            ObjectKind::Grant => state.grants.iter().map(|grant| grant.id.to_string()).collect(),
            ObjectKind::Proposal => state.proposals.values().map(|p| p.id.to_string()).collect(),
            ObjectKind::Notice => state.notices.values().map(|n| n.id.to_string()).collect(),
        };
        let beginning = kind.complete_prefix(part);
        let fits = |id: &String| id.starts_with(&beginning) || id.ends_with(part);
        Ok(ids.into_iter().filter(fits).take(limit).collect())
    }

    fn head(&self) -> Result<Head, StoreError> {
        Ok(self.lock()?.entries.last().map_or(Head::empty(), Entry::head))
    }

    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let contents = self.lock()?;
        let after = contents.entries.iter().filter(|entry| entry.seq >= from);
        Ok(after.take(limit).cloned().collect())
    }
}

/// The entries of one commit, made before any change is applied, because this can fail.
fn chain_entries(mut head: Head, at: Time, changes: &[Change]) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::with_capacity(changes.len());
    for body in seal_bodies(changes)? {
        let entry = Entry::chained(head, at, body);
        head = entry.head();
        entries.push(entry);
    }
    Ok(entries)
}

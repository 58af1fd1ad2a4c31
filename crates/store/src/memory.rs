//! A store in memory, for stories, tests and dry runs. Nothing survives the process.

use crate::cells::{CellChanges, collect_changed_cells, collect_scope_cells};
use crate::closed_requests::{
    ClosedRequestPage, ClosedRequestQuery, list_closed_requests_in_state,
};
use crate::globals::seal_bodies;
use crate::instant::NEVER;
use crate::limits::MAX_KEPT_RESULTS;
use crate::listing::{GrantPage, GrantQuery, ObjectKind, list_grants_in_state};
use crate::{
    Commit, ExclusiveStep, KeptResult, QuestionCount, ReadBasis, ReadScope, Snapshot, Store,
    StoreError,
};
use countersign_core::model::change::Change;
use countersign_core::model::grant::{GrantState, Owner};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::request::{Request, RequestState};
use countersign_core::model::run::RunState;
use countersign_core::model::time::Time;
use countersign_core::state::{CallRecord, CallState, State};
use countersign_ledger::{Entry, Head};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Debug)]
pub struct Memory {
    contents: Mutex<Contents>,
}

#[derive(Clone, Debug)]
struct Contents {
    state: Arc<State>,
    entries: Vec<Entry>,
    last: Time,
    cell_changes: CellChanges,
    results: BTreeMap<CallId, KeptResult>,
}

impl Memory {
    pub fn empty() -> Self {
        let (state, entries) = (Arc::new(State::empty()), Vec::new());
        let (cell_changes, results) = (CellChanges::default(), BTreeMap::new());
        let contents = Contents { state, entries, last: NEVER, cell_changes, results };
        Self { contents: Mutex::new(contents) }
    }

    /// Another store with the same contents.
    pub fn duplicate(&self) -> Result<Self, StoreError> {
        Ok(Self { contents: Mutex::new(self.lock()?.clone()) })
    }

    /// Replaces the contents by those of another store, but keeps the grants of projects and of the user. No step may
    /// be under way.
    pub fn replace_all_but_project_grants(&self, by: &Self) -> Result<(), StoreError> {
        let mut contents = by.lock()?.clone();
        let mut own = self.lock()?;
        let of_projects =
            own.state.grants.iter().filter(|grant| !matches!(grant.owner, Owner::Session(_)));
        let grants = &mut Arc::make_mut(&mut contents.state).grants;
        of_projects.cloned().for_each(|grant| grants.restore(grant));
        *own = contents;
        Ok(())
    }

    fn lock(&self) -> Result<MutexGuard<'_, Contents>, StoreError> {
        crate::lock(&self.contents)
    }
}

impl Contents {
    fn snapshot(&self) -> Snapshot {
        let basis = ReadBasis { transaction: self.cell_changes.transaction, cells: None };
        Snapshot { state: Arc::clone(&self.state), basis, now: None, last_commit_at: self.last }
    }

    fn commit(&mut self, commit: Commit) -> Result<(), StoreError> {
        let Commit { scope, basis, at, changes } = commit;
        let cells = collect_scope_cells(&scope, &self.state);
        let stale = self.cell_changes.find_conflict(&cells, basis.transaction, scope.calls);
        if let Some(conflict) = stale.or_else(|| self.state.conflict(&changes)) {
            return Err(conflict.into());
        }
        let head = self.entries.last().map_or(Head::empty(), Entry::head);
        let entries = chain_entries(head, at, &changes)?;
        changes.iter().for_each(|change| self.erase(change));
        let state = Arc::make_mut(&mut self.state);
        changes.iter().for_each(|change| state.apply(at, change));
        let touched = state.take_touched();
        self.cell_changes.transaction += 1;
        self.cell_changes.record(&collect_changed_cells(&self.state, &touched, &changes));
        self.entries.extend(entries);
        self.last = self.last.max(at);
        Ok(())
    }

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
    fn read(&self, _scope: &ReadScope) -> Result<Snapshot, StoreError> {
        Ok(self.lock()?.snapshot())
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        self.lock()?.commit(commit)
    }

    fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> Result<(), StoreError> {
        let mut contents = self.lock()?;
        let snapshot = contents.snapshot();
        let (scope, basis) = (scope.clone(), snapshot.basis.clone());
        match step(snapshot) {
            None => Ok(()),
            Some((at, changes)) => contents.commit(Commit { scope, basis, at, changes }),
        }
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let requests = state.requests.values().filter(|r| r.state == RequestState::Open);
        let runs = state.runs.values().filter(|run| !matches!(run.state, RunState::Ended(_)));
        let grants = state
            .grants
            .iter()
            .filter(|grant| matches!(grant.state, GrantState::Live | GrantState::Released { .. }));
        let mut due = BTreeSet::new();
        due.extend(requests.filter(|r| r.ends_at <= now).map(|r| r.session.clone()));
        due.extend(runs.filter(|run| run.ends_at() <= now).map(|run| run.session.clone()));
        due.extend(grants.filter(|grant| grant.is_over(now)).map(|grant| grant.made_in.clone()));
        let sessions = state.sessions.iter().filter(|(_, session)| session.ended_at.is_none());
        due.extend(sessions.filter(|(_, s)| s.idles_out_at() <= now).map(|(key, _)| key.clone()));
        Ok(due.into_iter().collect())
    }

    fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let sessions = state.sessions.iter().map(|(key, _)| key);
        Ok(sessions.filter(|key| key.name() == name.as_str()).cloned().collect())
    }

    fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let mut open: Vec<_> =
            state.sessions.iter().filter(|(_, session)| session.ended_at.is_none()).collect();
        open.sort_by_key(|(_, session)| std::cmp::Reverse(session.active_at));
        Ok(open.into_iter().take(limit).map(|(key, _)| key.clone()).collect())
    }

    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let agents: BTreeSet<Agent> =
            state.sessions.iter().map(|(key, _)| key.to_agent()).collect();
        Ok(agents.into_iter().collect())
    }

    fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
        Ok(self.lock()?.state.requests.values().filter(|request| request.is_open(now)).count())
    }

    /// Scans: this store is for small states.
    fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        let mut count = QuestionCount::default();
        let is_open = |r: &&Request| r.state == RequestState::Open && !r.is_imported();
        for request in self.lock()?.state.requests.values().filter(is_open) {
            count.in_all += 1;
            count.of_agent += usize::from(request.agent == *agent);
        }
        Ok(count)
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

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        Ok(list_closed_requests_in_state(&self.lock()?.state, query))
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
        let starts_so = |id: &String| id.starts_with(part);
        Ok(ids.into_iter().filter(starts_so).take(limit).collect())
    }

    fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        let results = &mut self.lock()?.results;
        results.insert(result.call, result.clone());
        results.retain(|_, kept| kept.until > now);
        while results.len() > MAX_KEPT_RESULTS {
            let first = results.values().min_by_key(|kept| kept.until).map(|kept| kept.call);
            first.and_then(|call| results.remove(&call));
        }
        Ok(())
    }

    fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        let contents = self.lock()?;
        let kept = contents.results.get(&call).filter(|kept| kept.until > now);
        Ok(kept.map(|kept| kept.text.clone()))
    }

    fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
        self.lock()?.results.retain(|call, _| !calls.contains(call));
        Ok(())
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

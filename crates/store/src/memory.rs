//! A store in memory: for stories, tests and dry runs. Nothing survives the process.

use crate::globals::bodies;
use crate::instant::NEVER;
use crate::listing::{Listed, Listing, Sought, list_in};
use crate::{Need, Slice, Store, StoreError};
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
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    state: Arc<State>,
    entries: Vec<Entry>,
    last: Time,
}

impl Memory {
    pub fn empty() -> Self {
        let held = Held { state: Arc::new(State::empty()), entries: Vec::new(), last: NEVER };
        Self { held: Mutex::new(held) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Held>, StoreError> {
        self.held.lock().map_err(|_| StoreError::poisoned())
    }
}

impl Held {
    fn erase(&mut self, change: &Change) {
        let Change::ArgumentsErased { erased } = change else { return };
        for entry in self.entries.iter_mut().filter(|entry| erased.entries.contains(&entry.seq)) {
            if let Some(sealed) = &mut entry.sealed {
                sealed.held = None;
            }
        }
    }
}

impl Store for Memory {
    fn at_hand(&self, need: &Need) -> Result<Option<Slice>, StoreError> {
        self.read(need).map(Some)
    }

    /// Everything, whatever is needed: it is all there.
    fn read(&self, _need: &Need) -> Result<Slice, StoreError> {
        let held = self.lock()?;
        Ok(Slice { state: Arc::clone(&held.state), now: None, last: held.last })
    }

    fn commit(&self, _need: &Need, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut held = self.lock()?;
        if let Some(conflict) = held.state.conflict(&changes) {
            return Err(conflict.into());
        }
        let entries =
            chained(held.entries.last().map_or(Head::empty(), Entry::head), at, &changes)?;
        changes.iter().for_each(|change| held.erase(change));
        let state = Arc::make_mut(&mut held.state);
        changes.iter().for_each(|change| state.apply(at, change));
        state.take_touched();
        held.entries.extend(entries);
        held.last = held.last.max(at);
        Ok(())
    }

    fn due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
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

    fn asked(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let open = state.requests.values().filter(|request| request.is_open(now));
        let mut ids: Vec<RequestId> = open.map(|request| request.id).collect();
        ids.retain(|id| Some(*id) > after);
        ids.sort_unstable();
        ids.truncate(most);
        Ok(ids)
    }

    fn repeats(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let waits = |record: &&CallRecord| matches!(record.state, CallState::Ended(_));
        let due = |record: &CallRecord| record.repeat.as_ref().map(|repeat| repeat.due_at);
        let calls = state.calls.values().filter(waits);
        let mut calls: Vec<(Time, CallId)> =
            calls.filter_map(|record| Some((due(record)?, record.call.id))).collect();
        calls.retain(|(due, _)| *due <= now);
        calls.sort_unstable();
        Ok(calls.into_iter().take(most).map(|(_, id)| id).collect())
    }

    fn grants(&self, listing: &Listing) -> Result<Listed, StoreError> {
        Ok(list_in(&self.lock()?.state, listing))
    }

    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let state = Arc::clone(&self.lock()?.state);
        let ids: Vec<String> = match sought {
            Sought::Call => state.calls.values().map(|r| r.call.id.to_string()).collect(),
            Sought::Request => state.requests.values().map(|r| r.id.to_string()).collect(),
            Sought::Run => state.runs.values().map(|run| run.id.to_string()).collect(),
            Sought::Grant => state.grants.iter().map(|grant| grant.id.to_string()).collect(),
            Sought::Proposal => state.proposals.values().map(|p| p.id.to_string()).collect(),
            Sought::Notice => state.notices.values().map(|n| n.id.to_string()).collect(),
        };
        let beginning = sought.beginning(part);
        let fits = |id: &String| id.starts_with(&beginning) || id.ends_with(part);
        Ok(ids.into_iter().filter(fits).take(most).collect())
    }

    fn head(&self) -> Result<Head, StoreError> {
        Ok(self.lock()?.entries.last().map_or(Head::empty(), Entry::head))
    }

    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let held = self.lock()?;
        let after = held.entries.iter().filter(|entry| entry.seq >= from);
        Ok(after.take(most).cloned().collect())
    }
}

/// The entries of one commit; made before anything is applied, because making one can fail.
fn chained(mut head: Head, at: Time, changes: &[Change]) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::with_capacity(changes.len());
    for body in bodies(changes)? {
        let entry = Entry::chained(head, at, body);
        head = entry.head();
        entries.push(entry);
    }
    Ok(entries)
}

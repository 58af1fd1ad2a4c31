//! Erasing: arguments, targets and words of calls that are over leave the store, and the ledger
//! still verifies.
//!
//! What is still open is never erased, because a person may be looking at it.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store, StoreError};
use countersign_core::ledger::Entry;
use countersign_core::model::change::{Attempt, Change, Erased};
use countersign_core::model::grant::GrantState;
use countersign_core::model::ids::{CallId, GrantId, NoticeId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::notice::NoticeState;
use countersign_core::model::request::RequestState;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Entries that are read at once.
const PAGE: usize = 1000;
/// Sealed parts that go in one commit: whoever decides meanwhile waits for it.
const AT_ONCE: usize = 256;

/// Whose words are to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erasable {
    Call(CallId),
    Session(SessionName),
    /// Everything that was decided before this instant.
    Before(Time),
}

/// What was erased, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    pub erased: Erased,
    /// Calls that are still open, and keep their words until they are over.
    pub open: Vec<CallId>,
}

/// What belongs to the chosen calls, as far as the ledger was read.
#[derive(Default)]
struct Found {
    calls: BTreeSet<CallId>,
    requests: BTreeSet<RequestId>,
    /// Entries that keep something apart, and whose it is.
    sealed: Vec<(u64, Of)>,
}

#[derive(Clone, Copy)]
enum Of {
    Call(CallId),
    Request(RequestId),
    Grant(GrantId),
    Notice(NoticeId),
    /// Nothing that could still be open.
    Nobody,
}

impl<S: Store> Engine<S> {
    /// What erasing would take. Nothing is written.
    pub fn erasable(&self, what: &Erasable) -> Result<Erasure, EngineError> {
        let found = self.found(what)?;
        let mut whole = Erasure::default();
        for part in found.sealed.chunks(AT_ONCE) {
            let state = self.store.read(&need(part))?.state;
            whole.add(erasure(part, &state));
        }
        Ok(whole)
    }

    /// Erases, with entries that say what was erased. It cannot be undone.
    pub fn erase(&self, what: &Erasable) -> Result<Erasure, EngineError> {
        let found = self.found(what)?;
        let mut whole = Erasure::default();
        for part in found.sealed.chunks(AT_ONCE) {
            whole.add(self.transact_before(&need(part), |facts, _| {
                let erasure = erasure(part, facts.state);
                if erasure.erased.entries.is_empty() {
                    return (erasure, Vec::new());
                }
                let erased = Box::new(erasure.erased.clone());
                (erasure, vec![Change::ArgumentsErased { erased }])
            })?);
        }
        Ok(whole)
    }

    fn found(&self, what: &Erasable) -> Result<Found, EngineError> {
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        let mut found = Found::default();
        let mut from = 0;
        loop {
            let page = self.store.read_entries(from, PAGE)?;
            let Some(last) = page.last() else { return Ok(found) };
            from = last.seq + 1;
            for entry in &page {
                found.entry(what, entry)?;
            }
        }
    }
}

impl Found {
    fn entry(&mut self, what: &Erasable, entry: &Entry) -> Result<(), EngineError> {
        let (at, change) = entry.change().map_err(StoreError::from)?;
        let Some(of) = self.belongs(what, at, &change) else { return Ok(()) };
        if entry.held().is_some() {
            self.sealed.push((entry.seq, of));
        }
        Ok(())
    }

    /// Whose words a change holds, if they are among those that are to go.
    fn belongs(&mut self, what: &Erasable, at: Time, change: &Change) -> Option<Of> {
        let in_session = |session: &SessionName| match what {
            Erasable::Session(chosen) => session == chosen,
            Erasable::Before(end) => at < *end,
            Erasable::Call(_) => false,
        };
        match change {
            Change::CallDecided { attempt: Attempt::First(call), .. } => {
                let meant = *what == Erasable::Call(call.id) || in_session(&call.session);
                meant.then(|| {
                    self.calls.insert(call.id);
                    Of::Call(call.id)
                })
            }
            Change::CallDecided { attempt: Attempt::Ahead { draft, .. }, .. } => {
                in_session(&draft.session).then_some(Of::Nobody)
            }
            Change::AgentRecorded { recorded } => {
                let about = recorded.call.is_some_and(|call| self.calls.contains(&call));
                (about || in_session(&recorded.session)).then_some(Of::Nobody)
            }
            Change::RequestOpened { request } => {
                let about = self.calls.iter().any(|call| request.concerns(*call));
                (about || in_session(&request.session)).then(|| {
                    self.requests.insert(request.id);
                    Of::Request(request.id)
                })
            }
            Change::RequestAnswered { answered } => {
                self.requests.contains(&answered.request).then_some(Of::Request(answered.request))
            }
            Change::GrantMinted { grant } => {
                let answers = grant.request.is_some_and(|request| self.requests.contains(&request));
                (answers || in_session(&grant.made_in)).then_some(Of::Grant(grant.id))
            }
            Change::NoticeRaised { notice } => {
                let about = notice.call.is_some_and(|call| self.calls.contains(&call));
                let there = notice.session.as_ref().is_some_and(in_session);
                (about || there).then_some(Of::Notice(notice.id))
            }
            _ => None,
        }
    }
}

impl Erasure {
    fn add(&mut self, part: Self) {
        self.erased.entries.extend(part.erased.entries);
        self.erased.calls.extend(part.erased.calls);
        self.erased.requests.extend(part.erased.requests);
        self.erased.grants.extend(part.erased.grants);
        self.erased.notices.extend(part.erased.notices);
        self.open.extend(part.open);
    }
}

fn need(part: &[(u64, Of)]) -> ReadScope {
    ReadScope::globals().with_rows(part.iter().filter_map(|(_, of)| match of {
        Of::Call(id) => Some(RowKey::Call(*id)),
        Of::Request(id) => Some(RowKey::Request(*id)),
        Of::Grant(id) => Some(RowKey::Grant(*id)),
        Of::Notice(id) => Some(RowKey::Notice(*id)),
        Of::Nobody => None,
    }))
}

/// What of it is over, and which calls are not.
fn erasure(part: &[(u64, Of)], state: &State) -> Erasure {
    let mut erasure = Erasure::default();
    for (seq, of) in part {
        match (is_over(state, *of), of) {
            (true, Of::Call(id)) => erasure.erased.calls.push(*id),
            (true, Of::Request(id)) => erasure.erased.requests.push(*id),
            (true, Of::Grant(id)) => erasure.erased.grants.push(*id),
            (true, Of::Notice(id)) => erasure.erased.notices.push(*id),
            (true, Of::Nobody) => {}
            (false, Of::Call(id)) => erasure.open.push(*id),
            (false, Of::Request(_) | Of::Grant(_) | Of::Notice(_) | Of::Nobody) => {}
        }
        if is_over(state, *of) {
            erasure.erased.entries.push(*seq);
        }
    }
    erasure.erased.requests.dedup();
    erasure.erased.notices.dedup();
    erasure
}

fn is_over(state: &State, of: Of) -> bool {
    match of {
        Of::Call(id) => state.calls.get(&id).is_none_or(|record| record.state.is_over()),
        Of::Request(id) => {
            state.requests.get(&id).is_none_or(|request| request.state != RequestState::Open)
        }
        Of::Grant(id) => state.grants.get(id).is_none_or(|grant| {
            matches!(grant.state, GrantState::Spent | GrantState::Ended | GrantState::Revoked)
        }),
        Of::Notice(id) => {
            state.notices.get(&id).is_none_or(|notice| notice.state != NoticeState::Open)
        }
        Of::Nobody => true,
    }
}

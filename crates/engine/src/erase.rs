//! Erases arguments, targets and words of finished calls. The ledger still verifies afterwards.
//!
//! Nothing that is still open is erased, because a person may be looking at it.

use crate::{Engine, EngineError, ReadScope, RowKey, Store, StoreError, limits};
use countersign_core::model::change::{Attempt, Change, ErasedObjects};
use countersign_core::model::grant::GrantState;
use countersign_core::model::ids::{CallId, GrantId, NoticeId, RequestId};
use countersign_core::model::names::SessionKey;
use countersign_core::model::notice::NoticeState;
use countersign_core::model::request::RequestState;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_ledger::Entry;
use std::collections::BTreeSet;

/// What is to be erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erasable {
    Call(CallId),
    Session(SessionKey),
    /// Everything that was decided before this instant.
    Before(Time),
}

/// What was erased, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    pub erased: ErasedObjects,
    /// Calls that are still open, and keep their words until they end.
    pub open: Vec<CallId>,
}

/// What belongs to the chosen calls, as far as the ledger was read.
#[derive(Default)]
struct Selection {
    calls: BTreeSet<CallId>,
    requests: BTreeSet<RequestId>,
    /// Entries with a sealed part, and the object it belongs to.
    sealed: Vec<(u64, SealedOwner)>,
}

#[derive(Clone, Copy)]
enum SealedOwner {
    Call(CallId),
    Request(RequestId),
    Grant(GrantId),
    Notice(NoticeId),
    /// No object that could still be open.
    None,
}

impl<S: Store> Engine<S> {
    /// What `erase` would erase. Nothing is written.
    pub fn preview_erasure(&self, what: &Erasable) -> Result<Erasure, EngineError> {
        let selection = self.select_for_erasure(what)?;
        let mut whole = Erasure::default();
        for part in selection.sealed.chunks(limits::ERASED_PER_COMMIT) {
            let state = self.store.read(&erasure_scope(part))?.state;
            whole.add(split_erasable(part, &state));
        }
        Ok(whole)
    }

    /// Erases, and records what was erased. It cannot be undone.
    pub fn erase(&self, what: &Erasable) -> Result<Erasure, EngineError> {
        let selection = self.select_for_erasure(what)?;
        // A result may repeat the arguments.
        let calls: Vec<CallId> = selection.calls.iter().copied().collect();
        self.store.drop_results(&calls)?;
        let mut whole = Erasure::default();
        for part in selection.sealed.chunks(limits::ERASED_PER_COMMIT) {
            whole.add(self.run_step_anytime(&erasure_scope(part), |facts, _| {
                let erasure = split_erasable(part, facts.state);
                if erasure.erased.entries.is_empty() {
                    return (erasure, Vec::new());
                }
                let erased = Box::new(erasure.erased.clone());
                (erasure, vec![Change::ArgumentsErased { erased }])
            })?);
        }
        Ok(whole)
    }

    fn select_for_erasure(&self, what: &Erasable) -> Result<Selection, EngineError> {
        let mut selection = Selection::default();
        let mut from = 0;
        loop {
            let page = self.store.read_entries(from, limits::ENTRIES_PER_PAGE)?;
            let Some(last) = page.last() else { return Ok(selection) };
            from = last.seq + 1;
            for entry in &page {
                selection.add_entry(what, entry)?;
            }
        }
    }
}

impl Selection {
    fn add_entry(&mut self, what: &Erasable, entry: &Entry) -> Result<(), EngineError> {
        let (at, change) = entry.change().map_err(StoreError::from)?;
        let Some(owner) = self.find_owner(what, at, &change) else { return Ok(()) };
        if entry.content().is_some() {
            self.sealed.push((entry.seq, owner));
        }
        Ok(())
    }

    /// The object whose words a change contains, if they are to be erased.
    fn find_owner(&mut self, what: &Erasable, at: Time, change: &Change) -> Option<SealedOwner> {
        let in_session = |session: &SessionKey| match what {
            Erasable::Session(chosen) => session == chosen,
            Erasable::Before(end) => at < *end,
            Erasable::Call(_) => false,
        };
        match change {
            Change::CallDecided { attempt: Attempt::First(call), .. } => {
                let meant = *what == Erasable::Call(call.id) || in_session(&call.session);
                meant.then(|| {
                    self.calls.insert(call.id);
                    SealedOwner::Call(call.id)
                })
            }
            Change::CallDecided { attempt: Attempt::Ahead { draft, .. }, .. } => {
                in_session(&draft.session).then_some(SealedOwner::None)
            }
            Change::AgentRecorded { recorded } => {
                let about = recorded.call.is_some_and(|call| self.calls.contains(&call));
                (about || in_session(&recorded.session)).then_some(SealedOwner::None)
            }
            Change::RequestOpened { request } => {
                let about = self.calls.iter().any(|call| request.lists_call(*call));
                (about || in_session(&request.session)).then(|| {
                    self.requests.insert(request.id);
                    SealedOwner::Request(request.id)
                })
            }
            Change::RequestAnswered { answered } => self
                .requests
                .contains(&answered.request)
                .then_some(SealedOwner::Request(answered.request)),
            Change::GrantMinted { grant } => {
                let answers = grant.request.is_some_and(|request| self.requests.contains(&request));
                (answers || in_session(&grant.made_in)).then_some(SealedOwner::Grant(grant.id))
            }
            Change::NoticeRaised { notice } => {
                let about = notice.call.is_some_and(|call| self.calls.contains(&call));
                let there = notice.session.as_ref().is_some_and(in_session);
                (about || there).then_some(SealedOwner::Notice(notice.id))
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

fn erasure_scope(part: &[(u64, SealedOwner)]) -> ReadScope {
    ReadScope::globals().with_rows(part.iter().filter_map(|(_, owner)| match owner {
        SealedOwner::Call(id) => Some(RowKey::Call(*id)),
        SealedOwner::Request(id) => Some(RowKey::Request(*id)),
        SealedOwner::Grant(id) => Some(RowKey::Grant(*id)),
        SealedOwner::Notice(id) => Some(RowKey::Notice(*id)),
        SealedOwner::None => None,
    }))
}

/// The objects that have ended, and the calls that have not.
fn split_erasable(part: &[(u64, SealedOwner)], state: &State) -> Erasure {
    let mut erasure = Erasure::default();
    for (seq, owner) in part {
        match (is_over(state, *owner), owner) {
            (true, SealedOwner::Call(id)) => erasure.erased.calls.push(*id),
            (true, SealedOwner::Request(id)) => erasure.erased.requests.push(*id),
            (true, SealedOwner::Grant(id)) => erasure.erased.grants.push(*id),
            (true, SealedOwner::Notice(id)) => erasure.erased.notices.push(*id),
            (true, SealedOwner::None) => {}
            (false, SealedOwner::Call(id)) => erasure.open.push(*id),
            (
                false,
                SealedOwner::Request(_)
                | SealedOwner::Grant(_)
                | SealedOwner::Notice(_)
                | SealedOwner::None,
            ) => {}
        }
        if is_over(state, *owner) {
            erasure.erased.entries.push(*seq);
        }
    }
    erasure.erased.requests.dedup();
    erasure.erased.notices.dedup();
    erasure
}

fn is_over(state: &State, owner: SealedOwner) -> bool {
    match owner {
        SealedOwner::Call(id) => state.calls.get(&id).is_none_or(|record| record.state.is_over()),
        SealedOwner::Request(id) => {
            state.requests.get(&id).is_none_or(|request| request.state != RequestState::Open)
        }
        SealedOwner::Grant(id) => state.grants.get(id).is_none_or(|grant| {
            matches!(grant.state, GrantState::Spent | GrantState::Ended | GrantState::Revoked)
        }),
        SealedOwner::Notice(id) => {
            state.notices.get(&id).is_none_or(|notice| notice.state != NoticeState::Open)
        }
        SealedOwner::None => true,
    }
}

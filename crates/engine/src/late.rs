//! Completions that nobody waits for. They are written in the order in which they came; whoever
//! comes to the same session next waits for them first, and what went wrong is kept to be told.
//!
//! If the process dies in between, the call was running for all anybody knows: unknown.

use crate::{Engine, EngineError, Permit, ReadScope, RowKey, ScopeKind, Store, StoreError, limits};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::model::words::Effect;
use countersign_core::steps::complete::complete_call;
use countersign_store::PendingCommit;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A completion on its way to the disk.
pub(crate) struct Late {
    call: CallId,
    session: SessionName,
    effect: Effect,
    /// Taken by whoever waits first; the others wait for that one.
    ticket: Mutex<Option<PendingCommit>>,
}

/// A completion that could not be written: for all that the record says, the call still runs.
#[derive(Debug)]
pub struct Untold {
    pub call: CallId,
    pub effect: Effect,
    pub error: EngineError,
}

#[derive(Default)]
pub(crate) struct Completions {
    late: Mutex<Vec<Arc<Late>>>,
    failed: Mutex<VecDeque<Untold>>,
}

impl Completions {
    /// Those on their way that a step could see.
    pub(crate) fn seen_by(&self, need: &ReadScope) -> Result<Vec<Arc<Late>>, EngineError> {
        let all = self.late.lock().map_err(|_| EngineError::Damaged)?;
        let sees = |late: &&Arc<Late>| {
            need.kind != ScopeKind::Sessions
                || need.sessions.is_empty()
                || need.sessions.contains(&late.session)
        };
        Ok(all.iter().filter(sees).cloned().collect())
    }
}

impl<S: Store> Engine<S> {
    /// Records how a permitted call ended, as an executor of ours attests, without waiting for the
    /// disk. What goes wrong on the way there is kept for `untold`.
    pub fn finish(&self, permit: Permit, effect: Effect) -> Result<(), EngineError> {
        let need = need(&permit.session, permit.call);
        self.catch_up(&need)?;
        let (conflict, now, changes) = self.look(&need, |facts| {
            let changes = complete_call(facts, permit.call, effect);
            (facts.state.conflict(&changes), facts.now, changes)
        })?;
        if let Some(conflict) = conflict {
            return Err(EngineError::Contended(conflict));
        }
        let ticket = Mutex::new(Some(self.store.submit(&need, now, changes)?));
        let Permit { call, session } = permit;
        let late = Arc::new(Late { call, session, effect, ticket });
        let waiting = {
            let mut all = self.completions.late.lock().map_err(|_| EngineError::Damaged)?;
            all.push(late);
            all.len()
        };
        if waiting > limits::LATE {
            self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        }
        Ok(())
    }

    /// The same, and waits until it is durable.
    pub fn finish_durably(&self, permit: Permit, effect: Effect) -> Result<(), EngineError> {
        let need = need(&permit.session, permit.call);
        self.transact(&need, |facts| ((), complete_call(facts, permit.call, effect)))
    }

    /// Completions that could not be written since this was last asked.
    pub fn untold(&self) -> Result<Vec<Untold>, EngineError> {
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        let mut failed = self.completions.failed.lock().map_err(|_| EngineError::Damaged)?;
        Ok(failed.drain(..).collect())
    }

    /// Waits for the completions that a step could see.
    pub(crate) fn catch_up(&self, need: &ReadScope) -> Result<(), EngineError> {
        for late in self.completions.seen_by(need)? {
            self.settle(&late)?;
            let mut all = self.completions.late.lock().map_err(|_| EngineError::Damaged)?;
            all.retain(|other| !Arc::ptr_eq(other, &late));
        }
        Ok(())
    }

    /// Waits for one completion, and tries it once more if something moved before it.
    fn settle(&self, late: &Late) -> Result<(), EngineError> {
        let mut ticket = late.ticket.lock().map_err(|_| EngineError::Damaged)?;
        let Some(waiting) = ticket.take() else { return Ok(()) };
        let again = |_| {
            self.transact_now(&need(&late.session, late.call), |facts, _| {
                ((), complete_call(facts, late.call, late.effect))
            })
        };
        let ended = match waiting.wait() {
            Ok(()) => {
                self.bells.ring(None);
                Ok(())
            }
            Err(StoreError::Conflict(conflict)) => again(conflict),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = ended {
            let mut failed = self.completions.failed.lock().map_err(|_| EngineError::Damaged)?;
            if failed.len() >= limits::LATE {
                failed.pop_front();
            }
            failed.push_back(Untold { call: late.call, effect: late.effect, error });
        }
        Ok(())
    }
}

fn need(session: &SessionName, call: CallId) -> ReadScope {
    ReadScope::for_session(session).with_rows([RowKey::Call(call)])
}

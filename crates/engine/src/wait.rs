//! Waiting for an answer: whoever waits is woken when something was answered, granted or taken
//! back, here or on another node, and looks for itself.

use crate::{Engine, EngineError, Need, Store, Thing, Wake};
use countersign_core::change::Change;
use countersign_core::ids::CallId;
use countersign_core::names::{Agent, SessionName};
use countersign_core::state::{CallRecord, CallState};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// A hint can be lost, so that somebody who waits looks anyway.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);

/// Counts how often it was rung, so that nobody misses a ring between looking and waiting.
#[derive(Default)]
pub(crate) struct Bell {
    rung: Mutex<u64>,
    heard: Condvar,
    /// Those who do not wait in a thread of their own.
    told: Mutex<Vec<Wake>>,
}

impl Bell {
    pub(crate) fn ring(&self) {
        if let Ok(mut rung) = self.rung.lock() {
            *rung = rung.wrapping_add(1);
        }
        self.heard.notify_all();
        if let Ok(told) = self.told.lock() {
            told.iter().for_each(|tell| tell());
        }
    }

    pub(crate) fn tell(&self, wake: Wake) {
        if let Ok(mut told) = self.told.lock() {
            told.push(wake);
        }
    }

    fn count(&self) -> Result<u64, EngineError> {
        self.rung.lock().map(|rung| *rung).map_err(|_| EngineError::Damaged)
    }

    fn wait(&self, since: u64, limit: Duration) -> Result<(), EngineError> {
        let rung = self.rung.lock().map_err(|_| EngineError::Damaged)?;
        self.heard
            .wait_timeout_while(rung, limit, |rung| *rung == since)
            .map(|_| ())
            .map_err(|_| EngineError::Damaged)
    }
}

/// Whether somebody who waits may want to know.
pub(crate) fn is_news(change: &Change) -> bool {
    matches!(
        change,
        Change::RequestAnswered { .. }
            | Change::GrantMinted { .. }
            | Change::GrantRevoked { .. }
            | Change::ConsentReset { .. }
            | Change::AgentPaused { .. }
            | Change::Restarted { .. }
    )
}

/// What waiting for a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Nothing has been answered yet; the request stays open.
    Pending,
    /// It is as this says: approved calls are redeemed by `retry`.
    Settled(CallState),
    /// There is no such call in this session.
    Unknown,
}

impl<S: Store> Engine<S> {
    /// Calls back whenever something may have been answered, granted or taken back.
    pub fn tell(&self, wake: Wake) {
        self.bell.tell(wake);
    }

    /// Calls back whenever the ledger has grown, as far as this process knows.
    pub fn tell_of_entries(&self, wake: Wake) {
        self.written.tell(wake);
    }

    /// What has become of a call of this session.
    pub fn operation(
        &self,
        operation: CallId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<Option<CallState>, EngineError> {
        let need = Need::session(session).with([Thing::Call(operation)]);
        self.catch_up(&need)?;
        let state = self.store.read(&need)?.state;
        let own =
            |record: &&CallRecord| record.call.session == *session && record.call.agent == *agent;
        Ok(state.calls.get(&operation).filter(own).map(|record| record.state))
    }

    /// Waits until a parked call is answered, or as long as the caller has time.
    #[allow(clippy::disallowed_methods, reason = "how long somebody waits decides no call")]
    pub fn wait(
        &self,
        operation: CallId,
        session: &SessionName,
        patience: Duration,
    ) -> Result<Waited, EngineError> {
        let need = Need::session(session).with([Thing::Call(operation)]);
        let until = Instant::now() + patience;
        loop {
            let since = self.bell.count()?;
            self.catch_up(&need)?;
            let state = self.store.read(&need)?.state;
            let record = state.calls.get(&operation).filter(|r| r.call.session == *session);
            match record.map(|record| record.state) {
                None => return Ok(Waited::Unknown),
                Some(CallState::Parked) => {}
                Some(settled) => return Ok(Waited::Settled(settled)),
            }
            drop(state);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Waited::Pending);
            }
            self.bell.wait(since, left.min(LOOK_ANYWAY))?;
        }
    }
}

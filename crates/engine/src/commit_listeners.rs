//! Waiting for an answer: whoever waits is woken when something was answered, granted or taken
//! back, here or on another node, and looks for itself.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store, WakeCallback};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::state::{CallRecord, CallState};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A hint can be lost, so that somebody who waits looks anyway.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);

/// Counts how often it was rung, so that nobody misses a ring between looking and waiting.
#[derive(Default)]
pub(crate) struct Bell {
    rung: Mutex<Rung>,
    heard: Condvar,
    /// Those who do not wait in a thread of their own.
    told: Mutex<Vec<Told>>,
}

#[derive(Default)]
struct Rung {
    times: u64,
    /// How many wait in a thread of their own: mostly nobody, and then nobody has to be woken.
    waiting: usize,
}

#[derive(Clone, Default)]
pub(crate) struct Bells {
    /// Something may have been answered.
    pub(crate) news: Arc<Bell>,
    /// Rung after every commit.
    written: Arc<Bell>,
}

impl Bells {
    /// Something was committed, and these calls may have been answered by it.
    pub(crate) fn ring(&self, reached: Option<&Reached>) {
        self.written.ring(Whose::Anybodys);
        if let Some(reached) = reached {
            self.news.ring(reached.whose());
        }
    }
}

/// Whose calls may have been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Only those of these sessions.
    Of(&'a [SessionName]),
    Anybodys,
}

/// Called back with whose calls it may be about.
pub type Told = Arc<dyn Fn(Whose<'_>) + Send + Sync>;

impl Bell {
    pub(crate) fn ring(&self, whose: Whose<'_>) {
        if let Ok(mut rung) = self.rung.lock() {
            rung.times = rung.times.wrapping_add(1);
            if rung.waiting > 0 {
                self.heard.notify_all();
            }
        }
        if let Ok(told) = self.told.lock() {
            told.iter().for_each(|tell| tell(whose));
        }
    }

    fn tell(&self, tell: Told) {
        if let Ok(mut told) = self.told.lock() {
            told.push(tell);
        }
    }

    fn count(&self) -> Result<u64, EngineError> {
        self.rung.lock().map(|rung| rung.times).map_err(|_| EngineError::Damaged)
    }

    fn wait(&self, since: u64, limit: Duration) -> Result<(), EngineError> {
        let mut rung = self.rung.lock().map_err(|_| EngineError::Damaged)?;
        rung.waiting += 1;
        let waited = self.heard.wait_timeout_while(rung, limit, |rung| rung.times == since);
        let (mut rung, _) = waited.map_err(|_| EngineError::Damaged)?;
        rung.waiting -= 1;
        Ok(())
    }
}

/// Whether somebody who waits may want to know.
fn is_news(change: &Change) -> bool {
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

/// Whose calls changes can reach: a step changes nothing but what it has read.
#[derive(Debug)]
pub(crate) enum Reached {
    Of(Vec<SessionName>),
    Anybodys,
}

impl Reached {
    pub(crate) fn by(changes: &[Change], need: &ReadScope, facts: &Facts) -> Option<Self> {
        if !changes.iter().any(is_news) {
            return None;
        }
        Some(match need.kind {
            ScopeKind::Sessions | ScopeKind::Projects => {
                Self::Of(facts.state.sessions.keys().cloned().collect())
            }
            ScopeKind::Running
            | ScopeKind::Notices
            | ScopeKind::ProjectGrants
            | ScopeKind::Everything => Self::Anybodys,
        })
    }

    fn whose(&self) -> Whose<'_> {
        match self {
            Self::Of(sessions) => Whose::Of(sessions),
            Self::Anybodys => Whose::Anybodys,
        }
    }
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
    pub fn tell(&self, told: Told) {
        self.bells.news.tell(told);
    }

    /// Calls back whenever the ledger has grown, as far as this process knows.
    pub fn tell_of_entries(&self, wake: WakeCallback) {
        self.bells.written.tell(Arc::new(move |_| wake()));
    }

    /// What has become of a call of this session.
    pub fn operation(
        &self,
        operation: CallId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<Option<CallState>, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
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
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
        let until = Instant::now() + patience;
        loop {
            let since = self.bells.news.count()?;
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
            self.bells.news.wait(since, left.min(LOOK_ANYWAY))?;
        }
    }
}

//! How a call ends: executed and reported, or cancelled before an answer.

use crate::{Durability, Engine, EngineError, FastPath, ReadScope, RowKey, SessionOwner, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Change, GrantEnding};
use countersign_core::model::grant::{Coverage, Grant};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::words::{Effect, Ending};
use countersign_core::state::{CallRecord, CallState};
use countersign_core::steps::complete::complete_call;
use countersign_core::steps::settle::request_closed;
use countersign_operations::repeat::end_and_schedule_repeat;
use std::sync::Arc;

/// Proof that a call was allowed and recorded. Only the engine makes one, and executing the call
/// consumes it.
#[must_use]
#[derive(Debug)]
pub struct Permit {
    call: CallId,
    session: SessionKey,
}

impl Permit {
    pub(crate) fn new(call: CallId, session: SessionKey) -> Self {
        Self { call, session }
    }

    pub fn call(&self) -> CallId {
        self.call
    }

    /// The executor of the call attests how it ended.
    pub fn complete(self, effect: Effect) -> Completion {
        Completion::attested(self.call, self.session, effect)
    }

    /// The call failed for a temporary cause. The engine queues a repeat if that is safe.
    pub fn fail_temporarily(self, effect: Effect) -> Completion {
        Completion { cause: FailureCause::Temporary, ..self.complete(effect) }
    }
}

/// What an agent can report about its own execution of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentReport {
    Done,
    Failed,
    Unknown,
}

impl From<AgentReport> for Effect {
    fn from(reported: AgentReport) -> Self {
        match reported {
            AgentReport::Done => Self::Done,
            AgentReport::Failed => Self::Failed,
            AgentReport::Unknown => Self::Unknown,
        }
    }
}

/// How a permitted call ended, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    call: CallId,
    session: SessionKey,
    /// None if an executor of the operator attests it.
    reporter: Option<Agent>,
    effect: Effect,
    cause: FailureCause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureCause {
    Final,
    Temporary,
}

impl Completion {
    /// An agent reports how its own call ended. It cannot attest that nothing happened.
    pub fn reported(call: CallId, owner: SessionOwner, effect: AgentReport) -> Self {
        let SessionOwner { session, agent } = owner;
        let (reporter, effect) = (Some(agent), effect.into());
        Self { call, session, reporter, effect, cause: FailureCause::Final }
    }

    /// An executor that the operator trusts attests how a call ended. If nothing happened, a yes
    /// for once is given back to the call.
    pub fn attested(call: CallId, session: SessionKey, effect: Effect) -> Self {
        Self { call, session, reporter: None, effect, cause: FailureCause::Final }
    }

    fn scope(&self) -> ReadScope {
        ReadScope::for_session(&self.session)
            .with_rows([RowKey::Call(self.call)])
            .ignoring_other_calls()
    }

    fn is_about(&self, record: &CallRecord) -> bool {
        let call = &record.call;
        call.session == self.session && self.reporter.as_ref().is_none_or(|a| *a == call.agent)
    }

    fn changes(&self, facts: &Facts) -> (CallUpdate, Vec<Change>) {
        let stored = facts.state.calls.get(&self.call).filter(|record| self.is_about(record));
        match (stored.map(|record| record.state), self.cause) {
            (None, _) => (CallUpdate::Unknown, Vec::new()),
            (Some(CallState::Executing), FailureCause::Final) => {
                (CallUpdate::Recorded, complete_call(facts, self.call, self.effect))
            }
            (Some(CallState::Executing), FailureCause::Temporary) => {
                (CallUpdate::Recorded, end_and_schedule_repeat(facts, self.call, self.effect))
            }
            (Some(state), _) => (CallUpdate::TooLate(state), Vec::new()),
        }
    }
}

/// Whether a statement about a call was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallUpdate {
    Recorded,
    /// The call was already in this state.
    TooLate(CallState),
    /// No call of this session and agent has that id.
    Unknown,
}

impl<S: Store> Engine<S> {
    /// Records how a permitted call ended.
    pub fn complete(&self, completion: &Completion) -> Result<CallUpdate, EngineError> {
        self.run_step(&completion.scope(), |facts, _| completion.changes(facts))
    }

    /// Records it on the fast path.
    pub fn try_complete(
        &self,
        completion: &Completion,
        durability: Durability,
        callback: impl FnOnce(Result<CallUpdate, EngineError>) + Send + 'static,
    ) -> Result<FastPath, EngineError> {
        let step = |facts: &Facts, _: Option<&_>| completion.changes(facts);
        self.try_fast_path(&completion.scope(), durability, step, callback)
    }

    /// An agent withdraws its own call that waits for an answer, or has one and was not retried yet.
    /// The call cannot be retried. What identical calls share stays open for them.
    pub fn cancel(&self, call: CallId, owner: &SessionOwner) -> Result<CallUpdate, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Call(call)]);
        self.run_step(&scope, |facts, _| {
            let Some(record) = facts.state.calls.get(&call).filter(|r| owner.is_maker_of(&r.call))
            else {
                return (CallUpdate::Unknown, Vec::new());
            };
            let requests = record.requests.iter().filter_map(|id| facts.state.requests.get(id));
            let open: Vec<_> = requests.filter(|request| request.is_open(facts.now)).collect();
            if open.is_empty() && record.state != CallState::Approved {
                return (CallUpdate::TooLate(record.state), Vec::new());
            }
            let closed = open.iter().filter(|request| !is_shared(facts, request.id, call));
            let mut changes: Vec<_> =
                closed.map(|r| request_closed(r.id, Ending::Cancelled)).collect();
            changes.extend(end_unused_answers(facts, record));
            changes.push(Change::CallCancelled { call });
            (CallUpdate::Recorded, changes)
        })
    }

    /// The permit of a call that its program was allowed to carry out itself, for an executor of ours
    /// that does it in the program's place. None if the call is not under way.
    pub fn take_over(
        &self,
        call: CallId,
        session: &SessionKey,
    ) -> Result<Option<Permit>, EngineError> {
        let scope = ReadScope::for_session(session).with_rows([RowKey::Call(call)]);
        let state = self.store.read(&scope)?.state;
        let stored = state.calls.get(&call).filter(|record| record.call.session == *session);
        let is_under_way = stored.is_some_and(|record| record.state == CallState::Executing);
        Ok(is_under_way.then(|| Permit::new(call, session.clone())))
    }

    /// A call as it is on record. None if this session and agent did not make it.
    pub fn stored_call(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<Option<Arc<Call>>, EngineError> {
        Ok(self.read_call_record(call, owner)?.map(|record| record.call))
    }

    /// The state of a call. None if this session and agent did not make it.
    pub fn call_state(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<Option<CallState>, EngineError> {
        Ok(self.read_call_record(call, owner)?.map(|record| record.state))
    }

    /// A call with all that is recorded about it. None if this session and agent did not make it.
    pub fn read_call_record(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<Option<CallRecord>, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Call(call)]);
        let state = self.store.read(&scope)?.state;
        Ok(state.calls.get(&call).filter(|record| owner.is_maker_of(&record.call)).cloned())
    }
}

/// Whether other calls wait for the same answer.
fn is_shared(facts: &Facts, request: RequestId, call: CallId) -> bool {
    let mut others = facts.state.calls.values().filter(|other| other.call.id != call);
    // A call whose effect is unknown keeps that state while the operator is asked.
    let asks = |state| state == CallState::Ended(Effect::Unknown);
    others.any(|o| o.requests.contains(&request) && (o.is_waiting() || asks(o.state)))
}

/// The yes to exactly this call is for nothing else, so it ends with the call.
fn end_unused_answers(facts: &Facts, record: &CallRecord) -> Vec<Change> {
    let is_for_call = |grant: &&Grant| {
        let request = grant.request.filter(|request| record.requests.contains(request));
        matches!(grant.coverage, Coverage::Digest { .. })
            && grant.in_force(facts.now)
            && request.is_some_and(|request| !is_shared(facts, request, record.call.id))
    };
    let unused = facts.state.grants.iter().filter(is_for_call);
    unused.map(|g| Change::GrantEnded { grant: g.id, why: GrantEnding::Reset }).collect()
}

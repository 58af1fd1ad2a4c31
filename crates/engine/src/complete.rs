//! What is said about calls after they were decided: how one ended, that an answer is no longer
//! wanted, and, by an executor of the operator's, that nothing happened.

use crate::check::Reported;
use crate::{Engine, EngineError, ReadScope, RowKey, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::words::{Effect, Ending};
use countersign_core::state::{CallRecord, CallState};
use countersign_core::steps::complete::complete_call;
use countersign_core::steps::settle::closed;

/// What became of something that was said about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Noted,
    /// The call is not in a state in which this could be said.
    TooLate(CallState),
    /// No call of this session and agent has that id.
    Unknown,
}

impl<S: Store> Engine<S> {
    /// An agent reports how its own permitted call ended.
    pub fn report_on(
        &self,
        operation: CallId,
        (session, agent): (&SessionName, &Agent),
        effect: Reported,
    ) -> Result<Taken, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
        self.transact(&need, |facts| reported(facts, operation, (session, agent), effect))
    }

    /// An executor of the operator's attests that it never began a permitted call. A yes for once
    /// is given back to that call; so whoever says this has to be trusted like one who says yes.
    pub fn nothing_happened(
        &self,
        operation: CallId,
        session: &SessionName,
    ) -> Result<Taken, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
        self.transact(&need, |facts| {
            let found = facts.state.calls.get(&operation);
            match found.filter(|record| record.call.session == *session) {
                None => (Taken::Unknown, Vec::new()),
                Some(record) if record.state == CallState::Executing => {
                    (Taken::Noted, complete_call(facts, operation, Effect::Nothing))
                }
                Some(record) => (Taken::TooLate(record.state), Vec::new()),
            }
        })
    }

    /// An agent takes its own question back. Nobody has to answer it any more; nothing is granted.
    pub fn cancel(
        &self,
        operation: CallId,
        (session, agent): (&SessionName, &Agent),
    ) -> Result<Taken, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
        self.transact(&need, |facts| {
            let Some(record) = own(facts, operation, session, agent) else {
                return (Taken::Unknown, Vec::new());
            };
            let open = facts.state.open_requests(session, facts.now);
            let cards = open.filter(|request| request.concerns(operation));
            let changes: Vec<_> = cards.map(|card| closed(card.id, Ending::Cancelled)).collect();
            match changes.is_empty() {
                true => (Taken::TooLate(record.state), changes),
                false => (Taken::Noted, changes),
            }
        })
    }
}

pub(crate) fn reported(
    facts: &Facts,
    operation: CallId,
    (session, agent): (&SessionName, &Agent),
    effect: Reported,
) -> (Taken, Vec<Change>) {
    match own(facts, operation, session, agent) {
        None => (Taken::Unknown, Vec::new()),
        Some(record) if record.state == CallState::Executing => {
            (Taken::Noted, complete_call(facts, operation, effect.effect()))
        }
        Some(record) => (Taken::TooLate(record.state), Vec::new()),
    }
}

fn own<'a>(
    facts: &Facts<'a>,
    operation: CallId,
    session: &SessionName,
    agent: &Agent,
) -> Option<&'a CallRecord> {
    let record = facts.state.calls.get(&operation)?;
    (record.call.session == *session && record.call.agent == *agent).then_some(record)
}

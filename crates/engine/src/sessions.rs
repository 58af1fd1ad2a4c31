//! Sessions: who owns one, and opening it.

use crate::{Engine, EngineError, ReadScope, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::change::Change;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::steps::record::opening;

/// A session, and the agent that claims to own it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOwner {
    pub session: SessionName,
    pub agent: Agent,
}

impl SessionOwner {
    pub fn new(session: SessionName, agent: Agent) -> Self {
        Self { session, agent }
    }

    pub(crate) fn is_maker_of(&self, call: &Call) -> bool {
        call.session == self.session && call.agent == self.agent
    }
}

impl<S: Store> Engine<S> {
    /// Opens a session, if it is not open yet.
    pub fn open_session(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
    ) -> Result<(), EngineError> {
        let SessionOwner { session, agent } = owner;
        let scope = ReadScope::for_session(session).with_opener(agent, project);
        self.run_step(&scope, |facts, _| ((), opening(facts, session, agent, project)))
    }

    /// The agent of a session; none if nobody has opened it.
    pub fn session_agent(&self, session: &SessionName) -> Result<Option<Agent>, EngineError> {
        let state = self.store.read(&ReadScope::for_session(session))?.state;
        Ok(state.sessions.get(session).map(|open| open.agent.clone()))
    }

    /// Runs a step in a session that this agent owns, or opens now. None if another agent owns it.
    pub(crate) fn run_in_own_session<T>(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        widen: impl Fn(ReadScope) -> ReadScope,
        step: impl Fn(&Facts) -> (T, Vec<Change>),
    ) -> Result<Option<T>, EngineError> {
        self.open_session(owner, project)?;
        let SessionOwner { session, agent } = owner;
        let scope = widen(ReadScope::for_session(session).with_opener(agent, project));
        self.run_step(&scope, |facts, _| {
            let is_own = facts.state.sessions.get(session).is_some_and(|s| s.agent == *agent);
            if !is_own {
                return (None, Vec::new());
            }
            let (output, changes) = step(facts);
            (Some(output), changes)
        })
    }
}

//! Sessions: who owns one, opening and ending it.

use crate::{Engine, EngineError, ReadScope, Store};
use countersign_conversation::{JoinRefusal, end_session, join_session};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::change::Change;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, Project, SessionKey, SessionName};
use countersign_core::model::session_place::SessionPlace;
use countersign_core::model::words::SessionEnder;
use countersign_core::state::{CallState, Session};
use countersign_core::steps::record::opening;
use countersign_observe::find_session_place;

/// A session, and the agent that claims to own it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOwner {
    pub session: SessionKey,
    pub agent: Agent,
}

impl SessionOwner {
    pub fn new(name: &SessionName, agent: Agent) -> Self {
        Self { session: SessionKey::new(&agent, name), agent }
    }

    /// The agent whose session this is.
    pub fn from_key(session: SessionKey) -> Self {
        let agent = session.to_agent();
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
        self.open_session_in(owner, self.find_place(project, &[]))
    }

    /// The same, with the folders of its temporary files.
    pub fn open_session_with_scratch(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        scratch: &[String],
    ) -> Result<(), EngineError> {
        self.open_session_in(owner, self.find_place(project, scratch))
    }

    fn open_session_in(
        &self,
        owner: &SessionOwner,
        place: Option<SessionPlace>,
    ) -> Result<(), EngineError> {
        let SessionOwner { session, agent } = owner;
        let named = place.as_ref().map(|place| place.named.clone());
        let scope = ReadScope::for_session(session).with_opener(agent, place);
        self.run_step(&scope, |facts, _| {
            let (project, folders) = facts.find_project(session, named.as_ref());
            ((), opening(facts, session, agent, (project.as_ref(), &folders)))
        })
    }

    /// What the disk says about a folder that is named as a project.
    pub(crate) fn find_place(
        &self,
        named: Option<&Project>,
        scratch: &[String],
    ) -> Option<SessionPlace> {
        let named = named?;
        let mut place = find_session_place(self.file_system.as_ref(), named, self.home.as_deref());
        place.folders.scratch = scratch.to_vec();
        Some(place)
    }

    /// Puts an own session, which it opens if necessary, below the one of the agent that started this
    /// agent. None if another agent owns the session.
    pub fn join_session(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        above: &SessionKey,
    ) -> Result<Option<Result<(), JoinRefusal>>, EngineError> {
        self.run_in_own_session(
            owner,
            project,
            |scope| scope.with_session(above).with_sub_agents(),
            |facts| match join_session(facts, &owner.session, above) {
                Ok(changes) => (Ok(()), changes),
                Err(refusal) => (Err(refusal), Vec::new()),
            },
        )
    }

    /// The session of a call that is being executed.
    pub fn find_executing_session(&self, call: CallId) -> Result<Option<SessionKey>, EngineError> {
        let state = self.read_call(call)?;
        let record = state.calls.get(&call).filter(|record| record.state == CallState::Executing);
        Ok(record.map(|record| record.call.session.clone()))
    }

    /// Ends a session and everything that belongs to it. False if it is not open.
    pub fn end_session(&self, session: &SessionKey, by: SessionEnder) -> Result<bool, EngineError> {
        self.run_step(&ReadScope::for_session(session).with_sub_agents(), |facts, _| {
            let was_open = facts.state.open_session(session, facts.now).is_some();
            (was_open, end_session(facts, session, by))
        })
    }

    /// The open sessions, at most `limit`, the one used last first.
    pub fn list_open_sessions(
        &self,
        limit: usize,
    ) -> Result<Vec<(SessionKey, Session)>, EngineError> {
        let now = self.current_time()?;
        let mut open = Vec::new();
        for key in self.store.open_sessions(limit)? {
            let state = self.store.read(&ReadScope::for_session(&key))?.state;
            open.extend(state.open_session(&key, now).cloned().map(|session| (key, session)));
        }
        Ok(open)
    }

    /// The sessions that an operator may mean: by `NAME`, those of all agents; by `AGENT/NAME`,
    /// usually one. Both parts may contain a `/` themselves.
    pub fn find_sessions(&self, text: &SessionName) -> Result<Vec<SessionKey>, EngineError> {
        let text = text.as_str();
        let ends = text.match_indices('/').filter_map(|(at, _)| text.get(at.saturating_add(1)..));
        let mut found = Vec::new();
        for name in std::iter::once(text).chain(ends) {
            let Ok(name) = SessionName::parse(name) else { continue };
            let named = self.store.sessions_named(&name)?;
            found.extend(named.into_iter().filter(|session| session.is_meant_by(text)));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Runs a step in a session that this agent owns, or opens now. None if another agent owns it.
    pub(crate) fn run_in_own_session<T>(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        widen: impl Fn(ReadScope) -> ReadScope,
        step: impl Fn(&Facts) -> (T, Vec<Change>),
    ) -> Result<Option<T>, EngineError> {
        let place = self.find_place(project, &[]);
        self.open_session_in(owner, place.clone())?;
        let SessionOwner { session, agent } = owner;
        let scope = widen(ReadScope::for_session(session).with_opener(agent, place));
        self.run_step(&scope, |facts, _| {
            let is_own =
                facts.state.open_session(session, facts.now).is_some_and(|s| s.agent == *agent);
            if !is_own {
                return (None, Vec::new());
            }
            let (output, changes) = step(facts);
            (Some(output), changes)
        })
    }
}

//! What an agent, or an adapter for it, says in a session of its own. In another's it says nothing.

use crate::{Engine, EngineError, ReadScope, RowKey, Store, StoreError};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::ids::{CallId, ProposalId};
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::plan::PlanDraft;
use countersign_core::model::recorded::Recorded;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_core::steps::conversation::plan::propose_plan;
use countersign_core::steps::conversation::{
    Said, Turn, context_changed, hand_over, say, topic_changed,
};
use std::sync::Arc;

/// Entries that are looked through for one page of records.
const LOOK: u64 = 4096;
/// Entries that are read at once.
const PAGE: usize = 512;
/// Records of one page.
const RECORDS: usize = 50;

/// Who speaks, and where. A session that is not open yet is opened.
#[derive(Clone, Debug)]
pub struct Speaking {
    pub session: SessionName,
    pub agent: Agent,
    pub project: Option<Project>,
}

/// What an adapter saw move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The operator turned to something else.
    Topic,
    /// The work went on in another project, feature or set of files.
    Context,
}

/// What became of something that an agent put into the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Recorded,
    /// The session belongs to another agent.
    Foreign,
    /// No call of this session and agent has that id.
    NoCall,
}

/// Records of one agent in one session, and where to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    pub found: Vec<(u64, Time, Recorded)>,
    /// None where the ledger ends.
    pub next: Option<u64>,
}

impl<S: Store> Engine<S> {
    /// Hears a turn. None if the session is another's.
    pub fn say_in(&self, who: &Speaking, turn: &Turn) -> Result<Option<Said>, EngineError> {
        self.as_own(who, ReadScope::with_project_sessions, |facts| {
            let said = say(facts, turn, |text| countersign_commands::analyse(text, None));
            let changes = said.changes.clone();
            (said, changes)
        })
    }

    pub fn plan_in(&self, who: &Speaking, plan: &PlanDraft) -> Result<Option<()>, EngineError> {
        self.as_own(who, |need| need, |facts| ((), propose_plan(facts, &who.session, plan.clone())))
    }

    pub fn moved_in(&self, who: &Speaking, moved: Moved) -> Result<Option<()>, EngineError> {
        self.as_own(
            who,
            |need| need,
            |facts| {
                let changes = match moved {
                    Moved::Topic => topic_changed(facts, &who.session),
                    Moved::Context => context_changed(facts, &who.session),
                };
                ((), changes)
            },
        )
    }

    /// Asks whether standing commands of an earlier session of the same agent hold here too, and
    /// says how many questions that made.
    pub fn hand_over_in(
        &self,
        from: &SessionName,
        who: &Speaking,
    ) -> Result<Option<usize>, EngineError> {
        let both = |need: ReadScope| need.with_session(from);
        let asked = self.as_own(who, both, |facts| {
            let earlier = facts.state.sessions.get(from);
            if earlier.is_none_or(|earlier| earlier.agent != who.agent) {
                return (None, Vec::new());
            }
            let changes = hand_over(facts, from, &who.session);
            (Some(changes.len()), changes)
        })?;
        Ok(asked.flatten())
    }

    /// Puts what an agent says about its own doing into the ledger.
    pub fn record(&self, mut recorded: Recorded) -> Result<Kept, EngineError> {
        recorded.redact(self.store.key());
        let Recorded { session, agent, call, .. } = &recorded;
        let who = Speaking { session: session.clone(), agent: agent.clone(), project: None };
        let with_call = |need: ReadScope| need.with_rows(call.map(RowKey::Call));
        let kept = self.as_own(&who, with_call, |facts| {
            let own = |id: &CallId| {
                let record = facts.state.calls.get(id);
                record.is_some_and(|r| r.call.session == *session && r.call.agent == *agent)
            };
            if !call.iter().all(own) {
                return (Kept::NoCall, Vec::new());
            }
            let recorded = Box::new(recorded.clone());
            (Kept::Recorded, vec![Change::AgentRecorded { recorded }])
        })?;
        Ok(kept.unwrap_or(Kept::Foreign))
    }

    /// What an agent has put into the ledger, from a place on; without one, the latest.
    pub fn records(
        &self,
        session: &SessionName,
        agent: &Agent,
        from: Option<u64>,
    ) -> Result<Records, EngineError> {
        let end = self.store.head()?.next;
        let mut next = from.unwrap_or_else(|| end.saturating_sub(LOOK));
        let last = next.saturating_add(LOOK).min(end);
        let mut found = Vec::new();
        while next < last && found.len() < RECORDS {
            let page = self.store.read_entries(next, PAGE)?;
            if page.is_empty() {
                break;
            }
            for entry in page {
                next = entry.seq.saturating_add(1);
                if entry.kind != Kind::AgentRecorded {
                    continue;
                }
                let (at, change) = entry.change().map_err(StoreError::from)?;
                let Change::AgentRecorded { recorded } = change else { continue };
                if recorded.session == *session && recorded.agent == *agent {
                    found.push((entry.seq, at, *recorded));
                }
                if found.len() >= RECORDS {
                    break;
                }
            }
        }
        Ok(Records { found, next: (next < end).then_some(next) })
    }

    /// Whose session it is; none if nobody has opened it.
    pub fn owner(&self, session: &SessionName) -> Result<Option<Agent>, EngineError> {
        let state = self.store.read(&ReadScope::for_session(session))?.state;
        Ok(state.sessions.get(session).map(|open| open.agent.clone()))
    }

    /// One call, with the session that it belongs to.
    pub fn call(&self, call: CallId) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::for_row(RowKey::Call(call)))?.state)
    }

    /// One proposal, with the session that it belongs to.
    pub fn proposal(&self, proposal: ProposalId) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::for_row(RowKey::Proposal(proposal)))?.state)
    }

    /// One step in a session that is, or becomes, this agent's.
    fn as_own<T>(
        &self,
        who: &Speaking,
        wider: impl Fn(ReadScope) -> ReadScope,
        step: impl Fn(&Facts) -> (T, Vec<Change>),
    ) -> Result<Option<T>, EngineError> {
        let Speaking { session, agent, project } = who;
        self.open(session, agent, project.as_ref())?;
        let need = wider(ReadScope::for_session(session).with_opener(agent, project.as_ref()));
        self.transact(&need, |facts| {
            let own = facts.state.sessions.get(session).is_some_and(|open| open.agent == *agent);
            if !own {
                return (None, Vec::new());
            }
            let (answer, changes) = step(facts);
            (Some(answer), changes)
        })
    }
}

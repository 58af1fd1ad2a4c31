//! The state: everything that is remembered between decisions.
//!
//! It changes only by `apply`, one `Change` at a time. A store may hold all of it or load the
//! slice that one session needs; either way this is the type that decisions read.

mod apply;
mod conflict;
mod table;

pub use conflict::Conflict;
pub use table::Table;
pub(crate) use table::once;

use crate::call::Call;
use crate::change::Gesture;
use crate::digest::Digest;
use crate::grants::Grants;
use crate::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::names::{Action, Agent, NodeName, Project, SessionName};
use crate::node::Node;
use crate::notice::Notice;
use crate::plan::PlanDraft;
use crate::proposal::Proposal;
use crate::repeat::Repeating;
use crate::request::Request;
use crate::requests::Requests;
use crate::run::Run;
use crate::time::Time;
use crate::words::{Effect, Presence, Risk};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub sessions: Table<SessionName, Session>,
    pub paused: BTreeSet<Agent>,
    pub presence: Presence,
    /// The graph that was loaded last, unless it was reviewed since.
    pub graph: Option<Digest>,
    pub grants: Grants,
    pub requests: Requests,
    pub calls: Table<CallId, CallRecord>,
    pub runs: Table<RunId, Run>,
    pub gestures: Table<GestureId, Gesture>,
    pub proposals: Table<ProposalId, Proposal>,
    /// Declined digests, without their session.
    pub declined: Table<Digest, Declined>,
    pub notices: Table<NoticeId, Notice>,
    pub nodes: Table<NodeName, Node>,
}

/// What changed in a state since this was last asked, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub sessions: Vec<SessionName>,
    pub grants: Vec<GrantId>,
    pub requests: Vec<RequestId>,
    pub calls: Vec<CallId>,
    pub runs: Vec<RunId>,
    pub gestures: Vec<GestureId>,
    pub proposals: Vec<ProposalId>,
    pub declined: Vec<Digest>,
    pub notices: Vec<NoticeId>,
    pub nodes: Vec<NodeName>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub agent: Agent,
    pub project: Option<Project>,
    /// Turns of the operator so far.
    pub turn: u32,
    pub mode: Mode,
    /// The plan that waits for an answer.
    pub plan: Option<PlanDraft>,
    /// The actions of the accepted plan, until it ends.
    pub accepted: Vec<Action>,
    /// Whether a plan was accepted since the last run ended or consent was cleared.
    pub planned: Planned,
    /// Which question was put last, where both are open.
    pub latest: Question,
    /// Actions on targets that were declined and not approved since.
    pub declined: Vec<(Action, Vec<String>)>,
    /// Where each event went first, by domain.
    pub destinations: BTreeMap<String, BTreeMap<Digest, String>>,
    /// Failures after which another attempt at the same thing asks.
    pub failures: Vec<Failure>,
}

/// What the operator's last turn left in force, in the order of what it holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Normal,
    /// Until the next turn or answer nothing is redeemed and no project grant carries.
    Stopped,
    /// Until the next turn only reading passes.
    DryRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Planned {
    Never,
    Once,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Plan,
    Request,
}

/// The latest decline of one digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declined {
    pub agent: Agent,
    pub at: Time,
    pub note: String,
}

/// A failed call that ran on derived consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub action: Action,
    pub target: Vec<String>,
    pub digest: Digest,
}

/// The stored record of a call; `retry` redeems it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub call: Arc<Call>,
    /// Its actions as they were decided, which for contacts can differ from those it names.
    pub decided: Vec<Action>,
    pub state: CallState,
    pub consent: Consent,
    /// The highest risk that the call's card shows.
    pub card_risk: Risk,
    pub requests: Vec<RequestId>,
    /// Distinct questions from inside this call while it ran.
    pub questions: Vec<Digest>,
    /// Where it was last allowed to run.
    pub node: NodeName,
    /// Set while it is to be repeated.
    pub repeat: Option<Repeating>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    Denied,
    Parked,
    Approved,
    Executing,
    Ended(Effect),
    Declined,
    Expired,
    /// Cancelled by the operator's stop.
    Stopped,
}

impl CallState {
    /// Whether nothing can come of it any more.
    pub fn is_over(self) -> bool {
        match self {
            Self::Denied | Self::Declined | Self::Expired | Self::Stopped | Self::Ended(_) => true,
            Self::Parked | Self::Approved | Self::Executing => false,
        }
    }
}

/// What a running call rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    pub grants: Vec<GrantId>,
    pub gesture: Option<GestureId>,
    pub parent: Option<CallId>,
    pub standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody consented: the rule alone allowed it.
    None,
    Given,
    /// Revoked, stopped, or its run is over, while the call still ran.
    Withdrawn,
}

impl State {
    pub fn empty() -> Self {
        Self {
            sessions: Table::empty(),
            paused: BTreeSet::new(),
            presence: Presence::Unknown,
            graph: None,
            grants: Grants::none(),
            requests: Requests::none(),
            calls: Table::empty(),
            runs: Table::empty(),
            gestures: Table::empty(),
            proposals: Table::empty(),
            declined: Table::empty(),
            notices: Table::empty(),
            nodes: Table::empty(),
        }
    }

    /// The parts in which this is not the other.
    pub fn differs_in(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("sessions", self.sessions == other.sessions),
            ("who is paused", self.paused == other.paused),
            ("presence", self.presence == other.presence),
            ("the graph in force", self.graph == other.graph),
            ("grants", self.grants == other.grants),
            ("requests", self.requests == other.requests),
            ("calls", self.calls == other.calls),
            ("runs", self.runs == other.runs),
            ("gestures", self.gestures == other.gestures),
            ("proposals", self.proposals == other.proposals),
            ("declined digests", self.declined == other.declined),
            ("notices", self.notices == other.notices),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }

    /// What a store has to write: who is paused and present it learns from the changes.
    pub fn take_touched(&mut self) -> Touched {
        Touched {
            sessions: self.sessions.take_touched(),
            grants: self.grants.take_touched(),
            requests: self.requests.take_touched(),
            calls: self.calls.take_touched(),
            runs: self.runs.take_touched(),
            gestures: self.gestures.take_touched(),
            proposals: self.proposals.take_touched(),
            declined: self.declined.take_touched(),
            notices: self.notices.take_touched(),
            nodes: self.nodes.take_touched(),
        }
    }

    /// Lets go of those of these calls that are over, as a slice of a session is read without them.
    /// Around what still runs they stay: what is withdrawn from them reaches it.
    pub fn let_go(&mut self, calls: &[CallId]) {
        for id in calls {
            let over = self.calls.get(id).is_some_and(|record| record.state.is_over());
            let outer = |record: &CallRecord| record.consent.parent == Some(*id);
            if over && !self.calls.values().any(outer) {
                self.calls.forget(id);
            }
        }
    }

    /// The project a call counts for: its session's, unless it names another.
    pub fn project_of(&self, session: &SessionName, named: Option<&Project>) -> Option<Project> {
        match self.sessions.get(session) {
            None => named.cloned(),
            Some(open) if named.is_none() || named == open.project.as_ref() => open.project.clone(),
            Some(_) => None,
        }
    }

    /// A running call of this session and agent whose consent still stands.
    pub fn running(&self, id: CallId, session: &SessionName, agent: &Agent) -> Option<&CallRecord> {
        self.calls.get(&id).filter(|record| {
            record.state == CallState::Executing
                && record.call.session == *session
                && record.call.agent == *agent
        })
    }

    /// Whether a call still runs on a grant, in whatever state that grant is by now.
    pub fn is_in_use(&self, grant: GrantId) -> bool {
        self.calls.values().any(|record| {
            record.state == CallState::Executing
                && record.consent.standing == Standing::Given
                && record.consent.grants.contains(&grant)
        })
    }

    pub fn open_requests<'a>(
        &'a self,
        session: &'a SessionName,
        now: Time,
    ) -> impl Iterator<Item = &'a Request> {
        self.requests.values().filter(move |r| r.session == *session && r.is_open(now))
    }

    /// What the operator's last turn in a session left in force.
    pub fn mode(&self, session: &SessionName) -> Mode {
        self.sessions.get(session).map_or(Mode::Normal, |open| open.mode)
    }

    pub fn turn(&self, session: &SessionName) -> u32 {
        self.sessions.get(session).map_or(0, |open| open.turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(id: u8, state: CallState, parent: Option<CallId>) -> CallRecord {
        let digest = Digest::from_bytes([id; 32]);
        let whole = json!({
            "call": {
                "id": format!("op_{id:032x}"), "agent": "coder", "session": "s1",
                "actions": ["notes.add"], "args": {}, "target": [], "recipients": [],
                "parking": "allowed", "digest": digest, "lasting": digest,
            },
            "decided": ["notes.add"], "state": state,
            "consent": {"grants": [], "gesture": null, "parent": parent, "standing": "given"},
            "card_risk": "low", "requests": [], "questions": [], "node": "local", "repeat": null,
        });
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn what_is_over_goes_unless_something_runs_inside_it() {
        let done = CallState::Ended(Effect::Done);
        let outer = record(1, done, None);
        let inner = record(2, CallState::Executing, Some(outer.call.id));
        let stays = [outer.call.id, inner.call.id];
        let mut state = State::empty();
        for record in [outer, inner, record(3, done, None)] {
            state.calls.restore(record.call.id, record);
        }
        let all: Vec<CallId> = state.calls.keys().copied().collect();
        state.let_go(&all);
        assert_eq!(state.calls.keys().copied().collect::<Vec<_>>(), stays);
        assert!(state.take_touched().calls.is_empty());
    }
}

//! The state: everything that is remembered between decisions.
//!
//! It changes only by `apply`, one `Change` at a time. A store may hold all of it or load the
//! slice that one session needs; either way this is the type that decisions read.

mod apply;
mod conflict;
pub mod grants;
mod records;
pub mod requests;
mod table;

pub use conflict::Conflict;
pub use records::{
    CallRecord, CallState, Consent, Declined, Failure, Mode, Planned, Question, Session, Standing,
};
pub use table::Table;
pub(crate) use table::once;

use crate::encoding::digest::Digest;
use crate::model::change::Gesture;
use crate::model::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::imported::Offered;
use crate::model::names::{Agent, NodeName, Project, SessionName};
use crate::model::node::Node;
use crate::model::notice::Notice;
use crate::model::proposal::Proposal;
use crate::model::request::{Request, RequestState};
use crate::model::run::Run;
use crate::model::time::Time;
use crate::model::words::{Ending, Presence};
use crate::state::grants::Grants;
use crate::state::requests::Requests;
use std::collections::BTreeSet;

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

    /// What became of an imported grant when it was imported before. An answered one stays
    /// answered; one that nobody answered in time may be asked again.
    pub fn earlier_import(&self, now: Time, digest: &Digest) -> Option<Offered> {
        let about: Vec<&Request> = self.requests.about(digest).collect();
        let settled = about.iter().find_map(|request| match request.state {
            RequestState::Closed(ending @ (Ending::Approved | Ending::Declined)) => {
                Some(Offered::Settled(ending))
            }
            RequestState::Closed(Ending::Expired | Ending::Cancelled) | RequestState::Open => None,
        });
        let open = about.iter().find(|request| request.is_open(now));
        settled.or_else(|| open.map(|request| Offered::Waiting(request.id)))
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
    use crate::model::words::Effect;
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

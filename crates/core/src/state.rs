//! The state: everything that is stored between decisions.
//!
//! It changes only through `apply`, one `Change` at a time. A store may keep all of it in memory or
//! load the part that one session needs; decisions read the same type in both cases.

mod apply;
mod conflict;
pub mod grants;
mod records;
pub mod requests;
mod table;

pub use conflict::Conflict;
pub use records::{
    CallRecord, CallState, CarriedOver, Consent, ConsentStanding, DeclaredConsent, DeclineRecord,
    DeclineState, DeclinedQuestion, FailedCall, Mode, Planned, Question, Restraints, Session,
};
pub use table::Table;
pub(crate) use table::sorted_unique;

use crate::encoding::digest::Digest;
use crate::model::change::Gesture;
use crate::model::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::imported::ImportOutcome;
use crate::model::limits;
use crate::model::names::{Agent, NodeName, SessionKey};
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

/// Declares the state. Each table is listed once: its type, its key, and its name in messages.
macro_rules! state {
    ($(
        $(#[$doc:meta])*
        $table:ident: $rows:ty, keyed by $key:ty, named $name:literal;
    )*) => {
        #[derive(Clone, Debug, PartialEq)]
        pub struct State {
            pub paused: BTreeSet<Agent>,
            pub presence: Presence,
            /// The hash of the graph that was loaded last, unless it was reviewed since.
            pub graph: Option<Digest>,
            $($(#[$doc])* pub $table: $rows,)*
        }

        /// The keys of the rows that changed since the last `take_touched`.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct TouchedRows {
            $(pub $table: Vec<$key>,)*
        }

        impl State {
            pub fn empty() -> Self {
                Self {
                    paused: BTreeSet::new(),
                    presence: Presence::Unknown,
                    graph: None,
                    $($table: <$rows>::empty(),)*
                }
            }

            /// The names of the parts in which two states differ.
            pub fn differs_in(&self, other: &Self) -> Vec<&'static str> {
                let parts = [
                    ("who is paused", self.paused == other.paused),
                    ("presence", self.presence == other.presence),
                    ("the graph in force", self.graph == other.graph),
                    $(($name, self.$table == other.$table),)*
                ];
                parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
            }

            /// Takes the keys of the rows that a store has to write. Pauses and presence are not
            /// included: a store reads them from the changes.
            pub fn take_touched(&mut self) -> TouchedRows {
                TouchedRows { $($table: self.$table.take_touched(),)* }
            }
        }
    };
}

state! {
    sessions: Table<SessionKey, Session>, keyed by SessionKey, named "sessions";
    grants: Grants, keyed by GrantId, named "grants";
    requests: Requests, keyed by RequestId, named "requests";
    calls: Table<CallId, CallRecord>, keyed by CallId, named "calls";
    runs: Table<RunId, Run>, keyed by RunId, named "runs";
    gestures: Table<GestureId, Gesture>, keyed by GestureId, named "gestures";
    proposals: Table<ProposalId, Proposal>, keyed by ProposalId, named "proposals";
    /// Declines, by the digest without its session.
    declined: Table<Digest, DeclineRecord>, keyed by Digest, named "declined digests";
    /// By the agent that ended the sessions.
    carried_over: Table<Agent, CarriedOver>, keyed by Agent, named "restraints of ended sessions";
    notices: Table<NoticeId, Notice>, keyed by NoticeId, named "notices";
    nodes: Table<NodeName, Node>, keyed by NodeName, named "nodes";
}

const NO_RESTRAINTS: &Restraints = &Restraints::NONE;

impl State {
    /// Whether this agent is paused, by its name or with all others.
    pub fn is_paused(&self, agent: &Agent) -> bool {
        self.paused.iter().any(|paused| paused == agent || paused.is_everyone())
    }

    /// Drops those of these calls that are over, because a part that is loaded from a store does not
    /// contain them either. A parent of another call stays, so that withdrawing its consent still
    /// reaches the nested call, and so does a call with an open request, so that the answer finds it.
    pub fn drop_ended_calls(&mut self, calls: &[CallId]) {
        for id in calls {
            let Some(record) = self.calls.get(id).filter(|record| record.state.is_over()) else {
                continue;
            };
            let outer = |record: &CallRecord| record.consent.parent == Some(*id);
            let open = |id: &RequestId| {
                self.requests.get(id).is_some_and(|request| request.state == RequestState::Open)
            };
            if !record.requests.iter().any(open) && !self.calls.values().any(outer) {
                self.calls.forget(id);
            }
        }
    }

    pub fn open_session(&self, session: &SessionKey, now: Time) -> Option<&Session> {
        self.sessions.get(session).filter(|session| session.is_open(now))
    }

    /// The number of the session's latest opening; 0 if there was none.
    pub(crate) fn latest_opening(&self, session: &SessionKey) -> u32 {
        self.sessions.get(session).map_or(0, |session| session.opening)
    }

    /// The opening of the session in which the next call is made.
    pub(crate) fn next_opening(&self, session: &SessionKey, now: Time) -> u32 {
        let latest = self.latest_opening(session);
        latest + u32::from(self.open_session(session, now).is_none())
    }

    /// Whether what was made in this opening of a session belongs to a session that has ended.
    pub fn is_of_ended_session(&self, session: &SessionKey, opening: u32, now: Time) -> bool {
        self.open_session(session, now).is_none_or(|open| open.opening != opening)
    }

    /// What holds back the next call of a session: if it is not open, what its agent carries over
    /// into the one that the call opens.
    pub fn restraints(&self, session: &SessionKey, now: Time) -> &Restraints {
        if let Some(open) = self.open_session(session, now) {
            return &open.restraints;
        }
        let carried = self.carried_over.get(&session.to_agent());
        carried.filter(|carried| now < carried.ends_at).map_or(NO_RESTRAINTS, |c| &c.restraints)
    }

    /// The running call with this id, if it belongs to this session and agent.
    pub fn running(
        &self,
        id: CallId,
        session: &SessionKey,
        agent: &Agent,
        now: Time,
    ) -> Option<&CallRecord> {
        self.calls.get(&id).filter(|record| {
            record.state == CallState::Executing
                && record.call.session == *session
                && record.call.agent == *agent
                && !self.is_of_ended_session(session, record.opening, now)
        })
    }

    /// Whether a call still runs on a grant, whatever the state of the grant: on the grant itself, or
    /// nested in a call that rests on it, even if that one has ended.
    pub fn is_in_use(&self, grant: GrantId) -> bool {
        self.calls.values().any(|record| {
            record.state == CallState::Executing
                && record.consent.standing == ConsentStanding::Given
                && self.consent_chain(record).any(|consent| consent.grants.contains(&grant))
        })
    }

    /// The consent of a call and of the calls that it is nested in, innermost first.
    pub fn consent_chain<'a>(
        &'a self,
        record: &'a CallRecord,
    ) -> impl Iterator<Item = &'a Consent> {
        let outer = |consent: &&'a Consent| {
            let outer = consent.parent.and_then(|id| self.calls.get(&id));
            outer.map(|outer| &outer.consent)
        };
        std::iter::successors(Some(&record.consent), outer).take(limits::PARENT_CHAIN)
    }

    pub fn open_requests<'a>(
        &'a self,
        session: &'a SessionKey,
        now: Time,
    ) -> impl Iterator<Item = &'a Request> {
        self.requests.values().filter(move |r| r.session == *session && r.is_open(now))
    }

    /// The open requests of a session about one digest.
    pub fn open_requests_about<'a>(
        &'a self,
        session: &'a SessionKey,
        digest: &Digest,
        now: Time,
    ) -> impl Iterator<Item = &'a Request> {
        self.requests.with_digest(digest).filter(move |r| r.session == *session && r.is_open(now))
    }

    /// The result of an earlier import of the same grant. An answered import stays answered; one
    /// that nobody answered in time may be asked again.
    pub fn earlier_import(&self, now: Time, digest: &Digest) -> Option<ImportOutcome> {
        let about: Vec<&Request> = self.requests.with_digest(digest).collect();
        let settled = about.iter().find_map(|request| match request.state {
            RequestState::Closed(ending @ (Ending::Approved | Ending::Declined)) => {
                Some(ImportOutcome::Settled(ending))
            }
            RequestState::Closed(Ending::Expired | Ending::Cancelled) | RequestState::Open => None,
        });
        let open = about.iter().find(|request| request.is_open(now));
        settled.or_else(|| open.map(|request| ImportOutcome::Waiting(request.id)))
    }

    /// The mode that the operator's last turn set for a session.
    pub fn mode(&self, session: &SessionKey, now: Time) -> Mode {
        self.restraints(session, now).mode
    }

    /// Whether the operator stopped the session, or one above it.
    pub fn is_stopped(&self, session: &SessionKey, now: Time) -> bool {
        self.mode(session, now).is_stopped() || self.is_stopped_above(session, now)
    }

    pub(crate) fn is_stopped_above(&self, session: &SessionKey, now: Time) -> bool {
        self.sessions_above(session).any(|above| self.mode(above, now).is_stopped())
    }

    /// The sessions in which the agents above a sub-agent work, the nearest first.
    pub fn sessions_above<'a>(
        &'a self,
        session: &SessionKey,
    ) -> impl Iterator<Item = &'a SessionKey> {
        let find_above = |key: &SessionKey| self.sessions.get(key)?.above.as_ref();
        std::iter::successors(find_above(session), move |key| find_above(key))
            .take(limits::SUB_AGENT_DEPTH)
    }

    /// The open sessions of a session's sub-agents, and of theirs.
    pub fn sessions_below(&self, session: &SessionKey) -> Vec<SessionKey> {
        let list =
            |key: &SessionKey| self.sessions.get(key).map_or(&[][..], |row| row.below.as_slice());
        let mut found: Vec<SessionKey> = list(session).to_vec();
        let mut next = 0;
        while let Some(key) = found.get(next) {
            let new: Vec<SessionKey> =
                list(key).iter().filter(|below| !found.contains(below)).cloned().collect();
            found.extend(new);
            next += 1;
        }
        found
    }

    pub fn turn(&self, session: &SessionKey, now: Time) -> u32 {
        self.open_session(session, now).map_or(0, |open| open.turn)
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
                "id": format!("c{id:032x}"), "agent": "coder", "session": "coder s1",
                "actions": ["notes.add"], "args": {}, "target": [], "recipients": [],
                "parking": "allowed", "digest": digest, "lasting": digest,
            },
            "decided": ["notes.add"], "state": state,
            "consent": {"grants": [], "gesture": null, "parent": parent, "standing": "given"},
            "opening": 1, "card_risk": "low", "requests": [], "questions": [], "node": "local", "repeat": null,
        });
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn a_finished_call_is_dropped_unless_a_nested_call_still_runs() {
        let done = CallState::Ended(Effect::Done);
        let outer = record(1, done, None);
        let inner = record(2, CallState::Executing, Some(outer.call.id));
        let stays = [outer.call.id, inner.call.id];
        let mut state = State::empty();
        for record in [outer, inner, record(3, done, None)] {
            state.calls.restore(record.call.id, record);
        }
        let all: Vec<CallId> = state.calls.keys().copied().collect();
        state.drop_ended_calls(&all);
        assert_eq!(state.calls.keys().copied().collect::<Vec<_>>(), stays);
        assert!(state.take_touched().calls.is_empty());
    }
}

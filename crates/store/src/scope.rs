//! The part of the state that one step reads.
//!
//! A store may load more than the scope names, never less. The scope keeps the cost of a decision
//! proportional to its own session, not to everything that is stored.

use countersign_core::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::session_place::SessionPlace;

/// Each session is loaded with everything that can still affect a decision in it: its grants, open
/// requests, unfinished calls, runs, gestures and proposals, the grants of its project, and its
/// agent's recent declines and open notices; of the sessions above that of a sub-agent, the rows of
/// these sessions themselves. The globals (paused agents, operator presence, last
/// loaded graph) are always loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadScope {
    pub sessions: Vec<SessionKey>,
    /// Set for a session that may not be open yet.
    pub opener: Option<SessionOpener>,
    /// Loaded in whatever state they are, each together with the session it belongs to.
    pub rows: Vec<RowKey>,
    pub kind: ScopeKind,
    pub calls: CallsRead,
}

/// Which calls of its sessions a step looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsRead {
    All,
    /// Only those that `rows` names. A commit that starts or completes another call does not
    /// disturb the step.
    OnlyRows,
}

/// The agent that opens a session, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOpener {
    pub agent: Agent,
    pub place: Option<SessionPlace>,
}

impl SessionOpener {
    pub fn project(&self) -> Option<&Project> {
        self.place.as_ref().map(|place| &place.project)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKey {
    Call(CallId),
    Request(RequestId),
    Run(RunId),
    Grant(GrantId),
    Proposal(ProposalId),
    Notice(NoticeId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    Sessions,
    /// Also every other session of the same projects, because a revocation in one reaches them, and
    /// the sessions of sub-agents, because a stop reaches them.
    Projects,
    /// Also the sessions of sub-agents, which end with the session above them.
    SubAgents,
    /// Everything that runs or is suspended in any session, what it depends on, and the nodes. A
    /// restart reads this.
    Running,
    /// The open notices of all agents.
    Notices,
    /// The grants of all projects. A review reads this.
    ProjectGrants,
    /// The named requests and what they are about, without the rest of their sessions. For showing
    /// them: nothing can be decided on it.
    Requests,
    /// The whole state, with everything that has ended.
    Everything,
}

impl ReadScope {
    /// Only the globals.
    pub fn globals() -> Self {
        let (sessions, rows) = (Vec::new(), Vec::new());
        Self { sessions, opener: None, rows, kind: ScopeKind::Sessions, calls: CallsRead::All }
    }

    pub fn with_kind(kind: ScopeKind) -> Self {
        Self { kind, ..Self::globals() }
    }

    pub fn for_session(session: &SessionKey) -> Self {
        Self { sessions: vec![session.clone()], ..Self::globals() }
    }

    pub fn for_row(row: RowKey) -> Self {
        Self { rows: vec![row], ..Self::globals() }
    }

    /// These requests and what they are about, for showing them.
    pub fn for_requests(requests: impl IntoIterator<Item = RequestId>) -> Self {
        Self::with_kind(ScopeKind::Requests).with_rows(requests.into_iter().map(RowKey::Request))
    }

    pub fn with_opener(mut self, agent: &Agent, place: Option<SessionPlace>) -> Self {
        self.opener = Some(SessionOpener { agent: agent.clone(), place });
        self
    }

    pub fn with_rows(mut self, rows: impl IntoIterator<Item = RowKey>) -> Self {
        self.rows.extend(rows);
        self
    }

    pub fn with_session(mut self, session: &SessionKey) -> Self {
        self.sessions.push(session.clone());
        self
    }

    pub fn ignoring_other_calls(mut self) -> Self {
        self.calls = CallsRead::OnlyRows;
        self
    }

    pub fn with_project_sessions(mut self) -> Self {
        self.kind = ScopeKind::Projects;
        self
    }

    pub fn with_sub_agents(mut self) -> Self {
        self.kind = ScopeKind::SubAgents;
        self
    }

    /// The session of a scope that a cached snapshot of one session can serve.
    pub(crate) fn single_session(&self) -> Option<&SessionKey> {
        match (self.kind, self.sessions.as_slice()) {
            (ScopeKind::Sessions, [session]) => Some(session),
            _ => None,
        }
    }
}

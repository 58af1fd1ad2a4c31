//! What one step needs to know of the state.
//!
//! A store may bring more, never less: a decision costs what its session holds, not what
//! everybody's sessions hold.

use countersign_core::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use countersign_core::model::names::{Agent, Project, SessionName};

/// Sessions with all that still bears on a decision in them: grants, open requests, calls that
/// wait or run, runs, clicks, proposals; their projects' grants; and what their agents were
/// declined lately and told about. Who is paused and whether somebody is present comes along always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub sessions: Vec<SessionName>,
    /// For a session that may not be open yet.
    pub opening: Option<(Agent, Option<Project>)>,
    /// Brought whatever has become of them, together with the sessions they belong to.
    pub things: Vec<Thing>,
    pub breadth: Breadth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    Call(CallId),
    Request(RequestId),
    Run(RunId),
    Grant(GrantId),
    Proposal(ProposalId),
    Notice(NoticeId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    Sessions,
    /// And all other sessions of the same projects: what is taken back there reaches them.
    Projects,
    /// All that runs or is suspended, whoever's it is, what it rests on, and the nodes: for a
    /// restart.
    Running,
    /// All open notices, whoever's they are.
    Notices,
    /// All grants of projects: for a review.
    ProjectGrants,
    /// All there is, of the past too.
    Everything,
}

impl Need {
    /// Only who is paused and whether somebody is present.
    pub fn nothing() -> Self {
        let (sessions, things) = (Vec::new(), Vec::new());
        Self { sessions, opening: None, things, breadth: Breadth::Sessions }
    }

    pub fn all(breadth: Breadth) -> Self {
        Self { breadth, ..Self::nothing() }
    }

    pub fn session(session: &SessionName) -> Self {
        Self { sessions: vec![session.clone()], ..Self::nothing() }
    }

    pub fn thing(thing: Thing) -> Self {
        Self { things: vec![thing], ..Self::nothing() }
    }

    pub fn opening(mut self, agent: &Agent, project: Option<&Project>) -> Self {
        self.opening = Some((agent.clone(), project.cloned()));
        self
    }

    pub fn with(mut self, things: impl IntoIterator<Item = Thing>) -> Self {
        self.things.extend(things);
        self
    }

    pub fn and_session(mut self, session: &SessionName) -> Self {
        self.sessions.push(session.clone());
        self
    }

    pub fn across_projects(mut self) -> Self {
        self.breadth = Breadth::Projects;
        self
    }
}

//! The short pages: *Proposals*, *Notices*, *Agents* and *Status*.

use crate::frame::{Frame, PageName};
use crate::words;
use askama::Template;
use countersign_api::{
    AgentView, BrowserSessionView, NoticeView, ProposalStatus, ProposalView, StatusResponse,
};
use countersign_core::model::names::Agent;

#[derive(Template)]
#[template(path = "proposals.html")]
pub struct ProposalsPage<'a> {
    pub frame: &'a Frame<'a>,
    /// With their diffs and undo plans.
    pub proposals: Vec<ProposalView>,
}

impl ProposalsPage<'_> {
    fn risk_class(&self, proposal: &ProposalView) -> &'static str {
        words::risk_class(proposal.risk)
    }

    fn is_approved(&self, proposal: &ProposalView) -> bool {
        matches!(proposal.state, ProposalStatus::Approved | ProposalStatus::Autonomous)
    }

    fn can_apply(&self, proposal: &ProposalView) -> bool {
        self.is_approved(proposal) && proposal.cools_until.0 <= self.frame.now
    }

    fn can_veto(&self, proposal: &ProposalView) -> bool {
        self.is_approved(proposal) || proposal.state == ProposalStatus::Waiting
    }

    fn can_undo(&self, proposal: &ProposalView) -> bool {
        proposal.state == ProposalStatus::Applied
            && proposal.undo_until.is_some_and(|until| self.frame.now < until.0)
    }
}

#[derive(Template)]
#[template(path = "notices.html")]
pub struct NoticesPage<'a> {
    pub frame: &'a Frame<'a>,
    pub notices: Vec<NoticeView>,
}

/// An agent that was seen, or that has a token.
pub struct AgentRow {
    pub agent: Agent,
    pub is_paused: bool,
    pub tokens: Vec<AgentView>,
    pub open_sessions: usize,
    pub last_seen: Option<countersign_core::model::time::Time>,
}

#[derive(Template)]
#[template(path = "agents.html")]
pub struct AgentsPage<'a> {
    pub frame: &'a Frame<'a>,
    pub agents: Vec<AgentRow>,
}

#[derive(Template)]
#[template(path = "status.html")]
pub struct StatusPage<'a> {
    pub frame: &'a Frame<'a>,
    pub status: StatusResponse,
    pub entries: u64,
    pub browsers: Vec<BrowserSessionView>,
    pub own_browser: String,
}

impl StatusPage<'_> {
    fn is_shared(&self) -> bool {
        self.status.assurance == "L0"
    }
}

//! The session, agent and ids that a ledger entry is about.
//!
//! Many entries contain only an id. Reading the ledger in order, an index remembers the session and
//! agent of each id from the entry that introduced it.

use crate::model::change::{Attempt, Change, Erased};
use crate::model::delivery::Shown;
use crate::model::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::names::{Agent, SessionName};
use crate::model::recorded::Recorded;
use crate::model::request::{Request, Subject};
use std::collections::BTreeMap;
use std::fmt;

/// An id of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    Call(CallId),
    Request(RequestId),
    Grant(GrantId),
    Run(RunId),
    Gesture(GestureId),
    Proposal(ProposalId),
    Notice(NoticeId),
}

impl Named {
    pub fn parse(text: &str) -> Option<Self> {
        CallId::parse(text)
            .map(Self::Call)
            .or_else(|| RequestId::parse(text).map(Self::Request))
            .or_else(|| GrantId::parse(text).map(Self::Grant))
            .or_else(|| RunId::parse(text).map(Self::Run))
            .or_else(|| GestureId::parse(text).map(Self::Gesture))
            .or_else(|| ProposalId::parse(text).map(Self::Proposal))
            .or_else(|| NoticeId::parse(text).map(Self::Notice))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(id) => id.fmt(f),
            Self::Request(id) => id.fmt(f),
            Self::Grant(id) => id.fmt(f),
            Self::Run(id) => id.fmt(f),
            Self::Gesture(id) => id.fmt(f),
            Self::Proposal(id) => id.fmt(f),
            Self::Notice(id) => id.fmt(f),
        }
    }
}

/// The session, agent and ids that an entry is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub session: Option<SessionName>,
    pub agent: Option<Agent>,
    /// The id of the entry's own subject first, then related ids.
    pub ids: Vec<Named>,
}

impl About {
    fn empty() -> Self {
        Self::default()
    }

    fn from_ids(ids: impl IntoIterator<Item = Named>) -> Self {
        Self { ids: ids.into_iter().collect(), ..Self::default() }
    }

    fn from_session(session: &SessionName) -> Self {
        Self { session: Some(session.clone()), ..Self::default() }
    }

    fn from_agent(agent: &Agent) -> Self {
        Self { agent: Some(agent.clone()), ..Self::default() }
    }

    fn from_owner(session: &SessionName, agent: &Agent) -> Self {
        Self { session: Some(session.clone()), agent: Some(agent.clone()), ids: Vec::new() }
    }

    fn with_ids(mut self, ids: impl IntoIterator<Item = Named>) -> Self {
        self.ids.extend(ids);
        self
    }
}

/// The session and agent of each id in the entries read so far.
#[derive(Clone, Debug, Default)]
pub struct Whose {
    owners: BTreeMap<Named, (Option<SessionName>, Option<Agent>)>,
    agents: BTreeMap<SessionName, Agent>,
}

impl Whose {
    /// What an entry is about. If the entry itself does not name the session and agent, they come
    /// from earlier entries with the same ids. Entries must be passed in order.
    pub fn about(&mut self, change: &Change) -> About {
        let mut about = about(change);
        if let (Change::SessionOpened { .. }, Some(session), Some(agent)) =
            (change, &about.session, &about.agent)
        {
            self.agents.insert(session.clone(), agent.clone());
        }
        for id in &about.ids {
            let Some((session, agent)) = self.owners.get(id) else { continue };
            about.session = about.session.take().or_else(|| session.clone());
            about.agent = about.agent.take().or_else(|| agent.clone());
        }
        if about.agent.is_none() {
            about.agent = about.session.as_ref().and_then(|name| self.agents.get(name)).cloned();
        }
        for id in &about.ids {
            let owner = || (about.session.clone(), about.agent.clone());
            self.owners.entry(*id).or_insert_with(owner);
        }
        about
    }
}

/// What a change is about, from the change alone.
pub fn about(change: &Change) -> About {
    match change {
        Change::GraphLoaded { .. }
        | Change::GraphReviewed { .. }
        | Change::PresenceChanged { .. }
        | Change::Restarted { .. }
        | Change::AssuranceFound { .. } => About::empty(),
        Change::CredentialIssued { credential } | Change::CredentialRevoked { credential } => {
            credential.agent.as_ref().map_or_else(About::empty, About::from_agent)
        }
        Change::SessionOpened { session, agent, .. } => About::from_owner(session, agent),
        Change::CallDecided { attempt, decision, .. } => {
            about_attempt(attempt).with_ids(decision.grants().map(Named::Grant))
        }
        Change::CallCompleted { call, .. }
        | Change::RepeatQueued { call, .. }
        | Change::RepeatLeased { call, .. }
        | Change::RepeatEnded { call, .. }
        | Change::RuleDecayed { call, .. }
        | Change::RiskReduced { call, .. } => About::from_ids([Named::Call(*call)]),
        Change::RequestOpened { request } => about_request(request),
        Change::RequestDelivered { delivery } => About::from_ids([match delivery.shown {
            Shown::Request(request) => Named::Request(request),
            Shown::Notice(notice) => Named::Notice(notice),
        }]),
        Change::NoticeRaised { notice } => About {
            session: notice.session.clone(),
            agent: notice.agent.clone(),
            ids: vec![Named::Notice(notice.id)],
        }
        .with_ids(notice.call.map(Named::Call)),
        Change::NoticeAcknowledged { notice, .. } => About::from_ids([Named::Notice(*notice)]),
        Change::RequestAnswered { answered } => About::from_ids([Named::Request(answered.request)]),
        Change::GrantMinted { grant } => About::from_owner(&grant.made_in, &grant.agent)
            .with_ids([Named::Grant(grant.id)])
            .with_ids(grant.request.map(Named::Request))
            .with_ids(grant.run.map(Named::Run)),
        Change::GrantUsed { grant, call, .. } | Change::LegacyBlanketUsed { grant, call, .. } => {
            About::from_ids([Named::Grant(*grant), Named::Call(*call)])
        }
        Change::GrantRevoked { grant }
        | Change::GrantReviewed { grant }
        | Change::GrantEnded { grant, .. } => About::from_ids([Named::Grant(*grant)]),
        Change::RunStarted { run } => About::from_owner(&run.session, &run.agent)
            .with_ids([Named::Run(run.id)])
            .with_ids(run.class.map(Named::Grant)),
        Change::RunEnded { run, .. }
        | Change::RunReattached { run, .. }
        | Change::WorkflowBypassed { run, .. } => About::from_ids([Named::Run(*run)]),
        Change::GestureMade { gesture } => {
            About::from_session(&gesture.session).with_ids([Named::Gesture(gesture.id)])
        }
        Change::GestureCovered { gesture, .. } => About::from_ids([Named::Gesture(*gesture)]),
        Change::NestedCovered { call, parent, .. } => {
            About::from_ids([Named::Call(*call), Named::Call(*parent)])
        }
        Change::AgentPaused { agent } | Change::AgentResumed { agent } => About::from_agent(agent),
        Change::TurnSaid { session, .. }
        | Change::ConsentReset { session, .. }
        | Change::PlanProposed { session, .. }
        | Change::PlanAnswered { session, .. } => About::from_session(session),
        Change::ProposalSubmitted { proposal } | Change::ProposalEdited { proposal } => {
            About::from_owner(&proposal.session, &proposal.agent)
                .with_ids([Named::Proposal(proposal.id)])
        }
        Change::ProposalApplied { proposal }
        | Change::ProposalVetoed { proposal }
        | Change::ProposalUndone { proposal } => About::from_ids([Named::Proposal(*proposal)]),
        Change::AgentRecorded { recorded } => about_record(recorded),
        Change::ArgumentsErased { erased } => about_erased(erased),
    }
}

fn about_record(recorded: &Recorded) -> About {
    About::from_owner(&recorded.session, &recorded.agent).with_ids(recorded.call.map(Named::Call))
}

fn about_erased(erased: &Erased) -> About {
    About::from_ids(erased.calls.iter().copied().map(Named::Call))
        .with_ids(erased.requests.iter().copied().map(Named::Request))
        .with_ids(erased.grants.iter().copied().map(Named::Grant))
}

fn about_attempt(attempt: &Attempt) -> About {
    match attempt {
        Attempt::First(call) => About::from_owner(&call.session, &call.agent)
            .with_ids([Named::Call(call.id)])
            .with_ids(call.run.map(Named::Run))
            .with_ids(call.observed.parent.map(Named::Call)),
        Attempt::Retry(call) => About::from_ids([Named::Call(*call)]),
        Attempt::Start { draft, run } => {
            About::from_owner(&draft.session, &draft.agent).with_ids([Named::Run(*run)])
        }
        Attempt::Proposal { draft, proposal } => {
            About::from_owner(&draft.session, &draft.agent).with_ids([Named::Proposal(*proposal)])
        }
        Attempt::Apply { session, agent, proposal } => {
            About::from_owner(session, agent).with_ids([Named::Proposal(*proposal)])
        }
        Attempt::Ahead { draft, .. } => About::from_owner(&draft.session, &draft.agent),
        Attempt::Malformed { session, agent } => About::from_owner(session, agent),
    }
}

fn about_request(request: &Request) -> About {
    let about =
        About::from_owner(&request.session, &request.agent).with_ids([Named::Request(request.id)]);
    match &request.subject {
        Subject::Calls(calls) => about.with_ids(calls.iter().copied().map(Named::Call)),
        Subject::Start(start) => about.with_ids([Named::Run(start.run)]),
        Subject::Proposal(proposal) => about.with_ids([Named::Proposal(*proposal)]),
        Subject::Ahead(_) | Subject::Standing(_) | Subject::Slash(_) | Subject::Imported(_) => {
            about
        }
    }
}

//! The session, agent and ids that a ledger entry is about.
//!
//! Many entries contain only an id. Reading the ledger in order, an index remembers the session and
//! agent of each id from the entry that introduced it.

use countersign_core::model::change::{Attempt, Change, ErasedObjects};
use countersign_core::model::delivery::ShownObject;
use countersign_core::model::ids::{
    CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId,
};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::recorded::Recorded;
use countersign_core::model::request::{Request, Subject};
use std::collections::BTreeMap;
use std::fmt;

/// An id of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyId {
    Call(CallId),
    Request(RequestId),
    Grant(GrantId),
    Run(RunId),
    Gesture(GestureId),
    Proposal(ProposalId),
    Notice(NoticeId),
}

impl AnyId {
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

impl fmt::Display for AnyId {
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
pub struct EntrySubject {
    pub session: Option<SessionKey>,
    pub agent: Option<Agent>,
    /// The id of the entry's own subject first, then related ids.
    pub ids: Vec<AnyId>,
}

impl EntrySubject {
    /// Whether the entry is about a session that an operator names by `NAME`, which may be that of
    /// several agents, or by `AGENT/NAME`.
    pub fn is_in_session(&self, named: &SessionName) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_meant_by(named.as_str()))
    }

    fn empty() -> Self {
        Self::default()
    }

    fn from_ids(ids: impl IntoIterator<Item = AnyId>) -> Self {
        Self { ids: ids.into_iter().collect(), ..Self::default() }
    }

    fn from_session(session: &SessionKey) -> Self {
        Self { session: Some(session.clone()), ..Self::default() }
    }

    fn from_agent(agent: &Agent) -> Self {
        Self { agent: Some(agent.clone()), ..Self::default() }
    }

    fn from_owner(session: &SessionKey, agent: &Agent) -> Self {
        Self { session: Some(session.clone()), agent: Some(agent.clone()), ids: Vec::new() }
    }

    fn with_ids(mut self, ids: impl IntoIterator<Item = AnyId>) -> Self {
        self.ids.extend(ids);
        self
    }
}

/// The session and agent of each id in the entries read so far.
#[derive(Clone, Debug, Default)]
pub struct SubjectIndex {
    owners: BTreeMap<AnyId, (Option<SessionKey>, Option<Agent>)>,
    agents: BTreeMap<SessionKey, Agent>,
}

impl SubjectIndex {
    /// What an entry is about. If the entry itself does not name the session and agent, they come
    /// from earlier entries with the same ids. Entries must be passed in order.
    pub fn find_subject(&mut self, change: &Change) -> EntrySubject {
        let mut about = entry_subject(change);
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
#[allow(clippy::too_many_lines, reason = "one arm for each kind of change")]
pub fn entry_subject(change: &Change) -> EntrySubject {
    match change {
        Change::GraphLoaded { .. }
        | Change::GraphReviewed { .. }
        | Change::PresenceChanged { .. }
        | Change::Restarted { .. }
        | Change::AssuranceFound { .. } => EntrySubject::empty(),
        Change::CredentialIssued { credential } | Change::CredentialRevoked { credential } => {
            credential.agent.as_ref().map_or_else(EntrySubject::empty, EntrySubject::from_agent)
        }
        Change::SessionOpened { session, agent, .. } => EntrySubject::from_owner(session, agent),
        Change::CallDecided { attempt, decision, .. } => {
            about_attempt(attempt).with_ids(decision.grants().map(AnyId::Grant))
        }
        Change::CallCompleted { call, .. }
        | Change::CallCancelled { call }
        | Change::RepeatQueued { call, .. }
        | Change::RepeatLeased { call, .. }
        | Change::RepeatEnded { call, .. }
        | Change::RuleDecayed { call, .. }
        | Change::RiskReduced { call, .. } => EntrySubject::from_ids([AnyId::Call(*call)]),
        Change::RequestOpened { request } => about_request(request),
        Change::RequestDelivered { delivery } => EntrySubject::from_ids([match delivery.shown {
            ShownObject::Request(request) => AnyId::Request(request),
            ShownObject::Notice(notice) => AnyId::Notice(notice),
        }]),
        Change::NoticeRaised { notice } => EntrySubject {
            session: notice.session.clone(),
            agent: notice.agent.clone(),
            ids: vec![AnyId::Notice(notice.id)],
        }
        .with_ids(notice.call.map(AnyId::Call)),
        Change::NoticeAcknowledged { notice, .. } | Change::NoticeEnded { notice } => {
            EntrySubject::from_ids([AnyId::Notice(*notice)])
        }
        Change::RequestAnswered { answered } => {
            EntrySubject::from_ids([AnyId::Request(answered.request)])
        }
        Change::GrantMinted { grant } => EntrySubject::from_owner(&grant.made_in, &grant.agent)
            .with_ids([AnyId::Grant(grant.id)])
            .with_ids(grant.request.map(AnyId::Request))
            .with_ids(grant.run.map(AnyId::Run)),
        Change::GrantUsed { grant, call, .. } | Change::LegacyBlanketUsed { grant, call, .. } => {
            EntrySubject::from_ids([AnyId::Grant(*grant), AnyId::Call(*call)])
        }
        Change::GrantRevoked { grant, .. }
        | Change::GrantReviewed { grant }
        | Change::GrantEnded { grant, .. } => EntrySubject::from_ids([AnyId::Grant(*grant)]),
        Change::RunStarted { run } => EntrySubject::from_owner(&run.session, &run.agent)
            .with_ids([AnyId::Run(run.id)])
            .with_ids(run.class.map(AnyId::Grant)),
        Change::RunEnded { run, .. }
        | Change::RunReattached { run, .. }
        | Change::WorkflowBypassed { run, .. } => EntrySubject::from_ids([AnyId::Run(*run)]),
        Change::GestureMade { gesture } => {
            EntrySubject::from_session(&gesture.session).with_ids([AnyId::Gesture(gesture.id)])
        }
        Change::GestureCovered { gesture, .. } | Change::GestureClosed { gesture } => {
            EntrySubject::from_ids([AnyId::Gesture(*gesture)])
        }
        Change::NestedCovered { call, parent, .. } => {
            EntrySubject::from_ids([AnyId::Call(*call), AnyId::Call(*parent)])
        }
        Change::AgentPaused { agent } | Change::AgentResumed { agent } => {
            EntrySubject::from_agent(agent)
        }
        Change::SessionEnded { session, .. }
        | Change::SessionJoined { session, .. }
        | Change::RunFilesSeen { session, .. }
        | Change::LayerSeen { session, .. }
        | Change::TurnSaid { session, .. }
        | Change::StopEnded { session }
        | Change::ConsentReset { session, .. }
        | Change::DeclinesLifted { session, .. }
        | Change::PlanProposed { session, .. }
        | Change::PlanAnswered { session, .. } => EntrySubject::from_session(session),
        Change::ProposalSubmitted { proposal } | Change::ProposalEdited { proposal } => {
            EntrySubject::from_owner(&proposal.session, &proposal.agent)
                .with_ids([AnyId::Proposal(proposal.id)])
        }
        Change::ProposalApplied { proposal }
        | Change::ProposalVetoed { proposal }
        | Change::ProposalUndone { proposal } => {
            EntrySubject::from_ids([AnyId::Proposal(*proposal)])
        }
        Change::AgentRecorded { recorded } => about_record(recorded),
        Change::ArgumentsErased { erased } => about_erased(erased),
    }
}

fn about_record(recorded: &Recorded) -> EntrySubject {
    EntrySubject::from_owner(&recorded.session, &recorded.agent)
        .with_ids(recorded.call.map(AnyId::Call))
}

fn about_erased(erased: &ErasedObjects) -> EntrySubject {
    EntrySubject::from_ids(erased.calls.iter().copied().map(AnyId::Call))
        .with_ids(erased.requests.iter().copied().map(AnyId::Request))
        .with_ids(erased.grants.iter().copied().map(AnyId::Grant))
}

fn about_attempt(attempt: &Attempt) -> EntrySubject {
    match attempt {
        Attempt::First(call) => EntrySubject::from_owner(&call.session, &call.agent)
            .with_ids([AnyId::Call(call.id)])
            .with_ids(call.run.map(AnyId::Run))
            .with_ids(call.observed.parent.map(AnyId::Call)),
        Attempt::Retry(call) => EntrySubject::from_ids([AnyId::Call(*call)]),
        Attempt::Start { draft, run } => {
            EntrySubject::from_owner(&draft.session, &draft.agent).with_ids([AnyId::Run(*run)])
        }
        Attempt::Proposal { draft, proposal } => {
            EntrySubject::from_owner(&draft.session, &draft.agent)
                .with_ids([AnyId::Proposal(*proposal)])
        }
        Attempt::Apply { session, agent, proposal } => {
            EntrySubject::from_owner(session, agent).with_ids([AnyId::Proposal(*proposal)])
        }
        Attempt::Ahead { draft, .. } => EntrySubject::from_owner(&draft.session, &draft.agent),
        Attempt::Malformed { session, agent } => EntrySubject::from_owner(session, agent),
    }
}

fn about_request(request: &Request) -> EntrySubject {
    let about = EntrySubject::from_owner(&request.session, &request.agent)
        .with_ids([AnyId::Request(request.id)]);
    match &request.subject {
        Subject::Calls(calls) => about.with_ids(calls.iter().copied().map(AnyId::Call)),
        Subject::Start(start) => about.with_ids([AnyId::Run(start.run)]),
        Subject::Proposal(proposal) => about.with_ids([AnyId::Proposal(*proposal)]),
        Subject::Ahead(_) | Subject::Standing(_) | Subject::Slash(_) | Subject::Imported(_) => {
            about
        }
    }
}

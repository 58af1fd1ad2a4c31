//! A change: one step of the state, as data. It is also what one ledger entry says.
//!
//! Decisions, answers and sweeps return changes; the engine commits them, and `State::apply` is
//! the only thing that carries them out. So the ledger, replayed, gives the state again.

mod kind;

pub use kind::Kind;

use crate::encoding::digest::Digest;
use crate::model::call::Call;
use crate::model::decision::Decision;
use crate::model::delivery::Delivery;
use crate::model::draft::AheadDraft;
use crate::model::draft::StartDraft;
use crate::model::grant::Grant;
use crate::model::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::names::{Action, Agent, NodeName, Project, SessionName, SurfaceName, Workflow};
use crate::model::node::Uptime;
use crate::model::notice::Notice;
use crate::model::plan::{PlanAnswer, PlanDraft};
use crate::model::proposal::{Proposal, ProposalDraft};
use crate::model::recorded::Recorded;
use crate::model::repeat::RepeatEnding;
use crate::model::request::Request;
use crate::model::ruled::Ruled;
use crate::model::run::Run;
use crate::model::time::Time;
use crate::model::turn::{Heard, Speaker};
use crate::model::words::{
    Assurance, Choice, Effect, Ending, Presence, Principal, Risk, RunEnding, Surface, words,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "body")]
pub enum Change {
    GraphLoaded {
        hash: Digest,
        source: Option<Box<GraphSource>>,
    },
    GraphReviewed {
        hash: Digest,
    },
    SessionOpened {
        session: SessionName,
        agent: Agent,
        project: Option<Project>,
    },
    CallDecided {
        attempt: Attempt,
        decision: Decision,
        #[serde(default, skip_serializing_if = "Ruled::is_nothing")]
        ruled: Box<Ruled>,
        given: Box<Given>,
    },
    CallCompleted {
        call: CallId,
        effect: Effect,
    },
    RepeatQueued {
        call: CallId,
        due_at: Time,
    },
    RepeatLeased {
        call: CallId,
        node: NodeName,
        attempt: u8,
        ends_at: Time,
    },
    RepeatEnded {
        call: CallId,
        why: RepeatEnding,
    },
    RequestOpened {
        request: Box<Request>,
    },
    /// Of a request or a notice; it changes nothing that is decided.
    RequestDelivered {
        delivery: Box<Delivery>,
    },
    RequestAnswered {
        answered: Box<Answered>,
    },
    NoticeRaised {
        notice: Box<Notice>,
    },
    NoticeAcknowledged {
        notice: NoticeId,
        surface: SurfaceName,
    },
    GrantMinted {
        grant: Box<Grant>,
    },
    GrantUsed {
        grant: GrantId,
        call: CallId,
        hold: Hold,
    },
    /// The first use of an imported blanket by one action.
    LegacyBlanketUsed {
        grant: GrantId,
        action: Action,
        call: CallId,
    },
    GrantRevoked {
        grant: GrantId,
    },
    /// The operator looked at a project's grant and keeps it.
    GrantReviewed {
        grant: GrantId,
    },
    GrantEnded {
        grant: GrantId,
        why: GrantEnding,
    },
    RuleDecayed {
        action: Action,
        call: CallId,
    },
    RunStarted {
        run: Box<Run>,
    },
    RunEnded {
        run: RunId,
        how: RunEnding,
    },
    RunReattached {
        run: RunId,
        node: NodeName,
    },
    WorkflowBypassed {
        workflow: Workflow,
        run: RunId,
    },
    GestureMade {
        gesture: Box<Gesture>,
    },
    GestureCovered {
        gesture: GestureId,
        action: Option<Action>,
    },
    NestedCovered {
        call: CallId,
        parent: CallId,
        action: Action,
    },
    RiskReduced {
        call: CallId,
        action: Action,
        caller: String,
        to: Risk,
    },
    AgentPaused {
        agent: Agent,
    },
    AgentResumed {
        agent: Agent,
    },
    PresenceChanged {
        presence: Presence,
    },
    Restarted {
        node: NodeName,
        uptime: Option<Uptime>,
    },
    TurnSaid {
        session: SessionName,
        speaker: Speaker,
        heard: Heard,
    },
    ConsentReset {
        session: SessionName,
        why: Reset,
    },
    PlanProposed {
        session: SessionName,
        plan: Box<PlanDraft>,
    },
    PlanAnswered {
        session: SessionName,
        answer: PlanAnswer,
    },
    ProposalSubmitted {
        proposal: Box<Proposal>,
    },
    ProposalEdited {
        proposal: Box<Proposal>,
    },
    ProposalApplied {
        proposal: ProposalId,
    },
    ProposalVetoed {
        proposal: ProposalId,
    },
    ProposalUndone {
        proposal: ProposalId,
    },
    /// A claim of an agent; it changes nothing that is decided.
    AgentRecorded {
        recorded: Box<Recorded>,
    },
    ArgumentsErased {
        erased: Box<Erased>,
    },
    /// It changes nothing that is decided: it tells who could speak from when on.
    CredentialIssued {
        credential: Box<Credential>,
    },
    CredentialRevoked {
        credential: Box<Credential>,
    },
    /// What a start of the daemon found out about itself.
    AssuranceFound {
        level: Assurance,
        node: NodeName,
    },
}

/// What proves who speaks. The secret itself is nowhere in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    pub principal: Principal,
    /// Whose it is; the operator has no name.
    pub agent: Option<Agent>,
    pub hash: Digest,
}

words! {
    /// Why consent was cleared.
    Reset {
        Stop = "stop",
        Correction = "correction",
        Clear = "clear",
        RunEnd = "run_end",
        ContextSwitch = "context_switch",
    }
}

/// What was decided: a new call, a parked one again, or something that is no call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    First(Arc<Call>),
    Retry(CallId),
    Start {
        draft: Box<StartDraft>,
        run: RunId,
    },
    Ahead {
        draft: Box<AheadDraft>,
        digest: Digest,
    },
    Proposal {
        draft: Box<ProposalDraft>,
        proposal: ProposalId,
    },
    /// Applying a proposal, which was refused.
    Apply {
        session: SessionName,
        agent: Agent,
        proposal: ProposalId,
    },
    Malformed {
        session: SessionName,
        agent: Agent,
    },
}

/// What a decision knew beside the call, the rules' say, and what earlier entries tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The hash of the graph in force; zeros if there was none.
    pub graph: Digest,
    pub surface: Surface,
    /// Those of our own files that the call reaches for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ours: Vec<String>,
    /// Where it was decided.
    pub node: NodeName,
}

/// A graph as it was read, so that it can be read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphSource {
    pub name: String,
    pub text: String,
    /// The files of its folder of policies, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<(String, String)>,
}

/// What was erased, on the operator's word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// The entries whose sealed parts are gone.
    pub entries: Vec<u64>,
    pub calls: Vec<CallId>,
    pub requests: Vec<RequestId>,
    pub grants: Vec<GrantId>,
    pub notices: Vec<NoticeId>,
}

/// What using a grant does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// One more use of a grant that lasts.
    Counted,
    /// A once-grant, held until the call's effect is known.
    Reserved,
    /// A once-grant for a critical call: gone with the first attempt.
    Spent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantEnding {
    Time,
    /// Its run is over; what still ran under it has lost its consent.
    RunOver,
    /// Another item of the same call was declined.
    ItemDeclined,
    /// The operator's words cleared it, or what it rested on was over.
    Reset,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub request: RequestId,
    /// None while items are still open.
    pub ending: Option<Ending>,
    pub timing: Timing,
    /// Items by position, with what was chosen.
    pub items: Vec<(usize, Choice)>,
    pub note: String,
    pub declines: Vec<Decline>,
    /// Actions on targets for which an earlier decline no longer asks.
    pub cleared: Vec<(Action, Vec<String>)>,
    /// Where it was answered, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    InTime,
    /// After the request's end: recorded, without effect.
    Late,
}

/// A no that sticks: to the digest for a while, to action and target for the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decline {
    pub lasting: Digest,
    pub action: Option<Action>,
    pub target: Vec<String>,
}

/// A click or slash command of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gesture {
    pub id: GestureId,
    pub session: SessionName,
    pub declares: Vec<Action>,
    /// The call whose digest the surface showed.
    pub shows: Option<Digest>,
    /// Exclusive.
    pub ends_at: Time,
    /// Whose surface holds it open.
    pub node: NodeName,
}

//! A change: one modification of the state, as data. It is also the content of a ledger entry.
//!
//! Decisions, answers and sweeps return changes, and the engine commits them. Only `State::apply`
//! carries them out, so replaying the ledger gives the same state.
//!
//! See docs/decisions/0002-ledger-entries-are-state-changes.md.

mod answered;
mod credential;
mod kind;
mod rule_sources;

pub use answered::{Answered, Decline, LiftReach, LiftedDeclines, Timing};
pub use credential::Credential;
pub use kind::Kind;
pub use rule_sources::{GraphSource, LayerSighting};

use crate::encoding::digest::Digest;
use crate::model::call::Call;
use crate::model::decision::Decision;
use crate::model::delivery::Delivery;
use crate::model::draft::{AheadDraft, StartDraft};
use crate::model::grant::Grant;
use crate::model::graph::LayerRef;
use crate::model::ids::{CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use crate::model::names::{Action, Agent, NodeName, Project, SessionKey, SurfaceName, Workflow};
use crate::model::node::Uptime;
use crate::model::notice::Notice;
use crate::model::open_questions::OpenQuestions;
use crate::model::plan::{PlanAnswer, PlanDraft};
use crate::model::proposal::{Proposal, ProposalDraft};
use crate::model::recorded::Recorded;
use crate::model::repeat::RepeatEnding;
use crate::model::request::Request;
use crate::model::rule_results::RuleResults;
use crate::model::run::Run;
use crate::model::run_file::RunFileSighting;
use crate::model::session_place::SessionFolders;
use crate::model::time::Time;
use crate::model::turn::{Speaker, StopAfterTurn, TurnResult};
use crate::model::words::{
    Assurance, Effect, Presence, Risk, RunEnding, SessionEnder, Surface, words,
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
        session: SessionKey,
        agent: Agent,
        project: Option<Project>,
        #[serde(default, skip_serializing_if = "SessionFolders::is_empty")]
        folders: SessionFolders,
    },
    /// The session is that of a sub-agent, which an agent started in the session `above`.
    SessionJoined {
        session: SessionKey,
        above: SessionKey,
    },
    /// What belongs to this opening has ended before, by changes of its own.
    SessionEnded {
        session: SessionKey,
        opening: u32,
        by: SessionEnder,
    },
    /// Files that decide what lines execute were seen: at the opening, or on a card.
    RunFilesSeen {
        session: SessionKey,
        seen: Box<RunFileSighting>,
    },
    /// The rules of the session's repository were read for the first time, or differ from before.
    LayerSeen {
        session: SessionKey,
        /// None if the repository has none any more.
        layer: Option<Box<LayerSighting>>,
    },
    CallDecided {
        attempt: Attempt,
        decision: Decision,
        #[serde(default, skip_serializing_if = "RuleResults::is_empty")]
        ruled: Box<RuleResults>,
        given: Box<ReplayFacts>,
    },
    CallCompleted {
        call: CallId,
        effect: Effect,
    },
    /// Its agent withdrew the call before it ran. It cannot be retried.
    CallCancelled {
        call: CallId,
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
    /// A request or a notice was delivered. An answer reads which surface has shown the whole call.
    RequestDelivered {
        delivery: Box<Delivery>,
    },
    RequestAnswered {
        answered: Box<Answered>,
    },
    /// The operator named, in a later act, what was declined.
    DeclinesLifted {
        session: SessionKey,
        lifted: Box<LiftedDeclines>,
    },
    NoticeRaised {
        notice: Box<Notice>,
    },
    NoticeAcknowledged {
        notice: NoticeId,
        surface: SurfaceName,
    },
    /// What a notice was about has ended.
    NoticeEnded {
        notice: NoticeId,
    },
    GrantMinted {
        grant: Box<Grant>,
    },
    GrantUsed {
        grant: GrantId,
        call: CallId,
        hold: GrantUseEffect,
    },
    /// An action used an imported grant of everything for the first time.
    LegacyBlanketUsed {
        grant: GrantId,
        action: Action,
        call: CallId,
    },
    GrantRevoked {
        grant: GrantId,
        by: Speaker,
    },
    /// The operator reviewed a project grant and keeps it.
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
    /// Its surface closed it before its time was over.
    GestureClosed {
        gesture: GestureId,
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
        session: SessionKey,
        speaker: Speaker,
        heard: TurnResult,
        #[serde(default, skip_serializing_if = "StopAfterTurn::is_ended")]
        stop: StopAfterTurn,
    },
    /// The operator lets a stopped session go on.
    StopEnded {
        session: SessionKey,
    },
    ConsentReset {
        session: SessionKey,
        why: Reset,
    },
    PlanProposed {
        session: SessionKey,
        plan: Box<PlanDraft>,
    },
    PlanAnswered {
        session: SessionKey,
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
    /// An agent's own claim. No decision reads this.
    AgentRecorded {
        recorded: Box<Recorded>,
    },
    ArgumentsErased {
        erased: Box<ErasedObjects>,
    },
    /// Records from when on a credential was valid. No decision reads this.
    CredentialIssued {
        credential: Box<Credential>,
    },
    CredentialRevoked {
        credential: Box<Credential>,
    },
    /// The assurance level that the daemon found at its start.
    AssuranceFound {
        level: Assurance,
        node: NodeName,
    },
}

words! {
    /// Why consent was cleared.
    Reset {
        Stop = "stop",
        Correction = "correction",
        Clear = "clear",
        RunEnd = "run_end",
        ContextSwitch = "context_switch",
        /// The operator revoked everything. This part of it ends the gestures; the grants have
        /// entries of their own.
        Revocation = "revocation",
    }
}

/// What a decision was about: a new call, the retry of a stored one, or something else.
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
    /// A refused attempt to apply a proposal.
    Apply {
        session: SessionKey,
        agent: Agent,
        proposal: ProposalId,
    },
    Malformed {
        session: SessionKey,
        agent: Agent,
    },
}

/// The facts of a decision that neither the call, the rule results nor earlier entries contain.
/// Replaying the decision needs them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayFacts {
    /// The hash of the graph in force; zeros if none was loaded.
    pub graph: Digest,
    /// The rules of the repository beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerRef>,
    pub surface: Surface,
    /// Our own files that the command line names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ours: Vec<String>,
    /// The node that decided.
    pub node: NodeName,
    /// The open questions, if they were too many. Otherwise their number decided nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<OpenQuestions>,
}

/// What the operator erased.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedObjects {
    /// The entries whose sealed parts were erased.
    pub entries: Vec<u64>,
    pub calls: Vec<CallId>,
    pub requests: Vec<RequestId>,
    pub grants: Vec<GrantId>,
    pub notices: Vec<NoticeId>,
}

/// The effect of a use on the grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantUseEffect {
    /// The use of a grant that is not a once-grant is only counted.
    Counted,
    /// A once-grant is reserved until the call's effect is known.
    Reserved,
    /// A once-grant for a critical call is spent by the first attempt.
    Spent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantEnding {
    Time,
    /// Its run ended; calls that still run on it lose their consent.
    RunOver,
    /// Another item of the same call was declined.
    ItemDeclined,
    /// The operator's turn cleared it, its plan or task ended, or its agent withdrew the call.
    Reset,
}

/// A click or slash command of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gesture {
    pub id: GestureId,
    pub session: SessionKey,
    pub declares: Vec<Action>,
    /// The digest of the call that the surface showed.
    pub shows: Option<Digest>,
    /// Exclusive.
    pub ends_at: Time,
    /// The node whose surface the gesture was made on.
    pub node: NodeName,
    /// The surface that it was made on, if that is known. No other surface closes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

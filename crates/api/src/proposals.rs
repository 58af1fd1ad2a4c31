//! Proposals: changes of an agent to itself.

use crate::{PageSize, ParkPolicy, Text, Timestamp};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::{ProposalId, RequestId};
use countersign_core::model::names::{Action, Agent, Project, SessionName};
use countersign_core::model::proposal::{Diff, Proposal, ProposalState};
use countersign_core::model::words::{Outcome, Reason, Risk};
use countersign_core::word_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of an agent to itself, with its diff and how to undo it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalRequest {
    pub session: SessionName,
    /// The project that the session works on: see `POST /v1/check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    pub action: Action,
    /// Without it the proposal is refused.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::deserialize_object"
    )]
    pub diff: Option<ProposalDiff>,
    /// Without it the proposal is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Text<65_536>>,
    /// An earlier proposal of the same session that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<ProposalId>,
    #[serde(default)]
    pub park: ParkPolicy,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalDiff {
    pub before: Text<262_144>,
    pub after: Text<262_144>,
}

impl From<ProposalDiff> for Diff {
    fn from(form: ProposalDiff) -> Self {
        Self { before: form.before.into(), after: form.after.into() }
    }
}

/// The decision about a proposal.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalResponse {
    /// None if the proposal was denied.
    pub proposal_id: Option<ProposalId>,
    pub outcome: Outcome,
    pub reason: Reason,
    pub sentence: String,
}

/// Which page of the proposals.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalsQuery {
    /// `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ProposalId>,
    #[serde(default)]
    pub limit: PageSize,
}

/// A page of proposals, the newest first, without their diffs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalsResponse {
    pub proposals: Vec<ProposalView>,
    /// What to send as `before` for the next page.
    pub next: Option<ProposalId>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    pub id: ProposalId,
    pub session: SessionName,
    pub agent: Agent,
    pub action: Action,
    /// A list leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Diff>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    pub digest: Digest,
    pub risk: Risk,
    pub submitted_at: Timestamp,
    /// The earliest instant at which it can be applied.
    pub cools_until: Timestamp,
    /// The request whose answer approves it.
    pub request: Option<RequestId>,
    pub state: ProposalStatus,
    pub applied_at: Option<Timestamp>,
    /// It can be undone until then.
    pub undo_until: Option<Timestamp>,
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum ProposalStatus {
        Waiting = "waiting",
        /// By an answer.
        Approved = "approved",
        /// By its rule alone.
        Autonomous = "autonomous",
        Declined = "declined",
        Expired = "expired",
        Vetoed = "vetoed",
        Applied = "applied",
        Undone = "undone",
    }
}

impl From<&Proposal> for ProposalView {
    fn from(proposal: &Proposal) -> Self {
        let (state, applied) = match proposal.state {
            ProposalState::Waiting => (ProposalStatus::Waiting, None),
            ProposalState::Approved => (ProposalStatus::Approved, None),
            ProposalState::Autonomous => (ProposalStatus::Autonomous, None),
            ProposalState::Declined => (ProposalStatus::Declined, None),
            ProposalState::Expired => (ProposalStatus::Expired, None),
            ProposalState::Vetoed => (ProposalStatus::Vetoed, None),
            ProposalState::Applied { at } => (ProposalStatus::Applied, Some(at)),
            ProposalState::Undone => (ProposalStatus::Undone, None),
        };
        let undo_until =
            applied.and_then(|at| proposal.undo_window.map(|window| Timestamp(at + window)));
        Self {
            id: proposal.id,
            session: proposal.session.to_name(),
            agent: proposal.agent.clone(),
            action: proposal.action.clone(),
            diff: Some(proposal.diff.clone()),
            undo: Some(proposal.undo.clone()),
            digest: proposal.digest,
            risk: proposal.shown,
            submitted_at: Timestamp(proposal.submitted_at),
            cools_until: Timestamp(proposal.cools_until),
            request: proposal.request,
            state,
            applied_at: applied.map(Timestamp),
            undo_until,
        }
    }
}

/// What was done with a proposal: its new state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProposalActionResponse {
    pub proposal_id: ProposalId,
    pub state: ProposalStatus,
}

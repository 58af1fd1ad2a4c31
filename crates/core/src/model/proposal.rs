//! Proposals: changes of an agent to itself, with a diff, an undo plan and a cooling period.
//!
//! No grant, confidence or gesture approves a proposal. Only an answer to the proposal does, unless
//! its action is autonomous. An autonomous proposal also has to cool.

use crate::encoding::digest::Digest;
use crate::model::call::Parking;
use crate::model::ids::{ProposalId, RequestId};
use crate::model::names::{Action, Agent, Project, SessionKey};
use crate::model::time::{Span, Time};
use crate::model::words::{Channel, Risk};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub id: ProposalId,
    pub session: SessionKey,
    pub agent: Agent,
    pub action: Action,
    pub diff: Diff,
    pub undo: String,
    pub digest: Digest,
    pub submitted_at: Time,
    /// The earliest instant at which it can be applied.
    pub cools_until: Time,
    pub undo_window: Option<Span>,
    pub channel: Channel,
    /// The risk at submission. If the action is riskier when it is applied, it needs a new answer.
    pub shown: Risk,
    pub request: Option<RequestId>,
    pub state: ProposalState,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    pub before: String,
    pub after: String,
}

impl Diff {
    pub fn changes_nothing(&self) -> bool {
        self.before == self.after
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    Waiting,
    /// The operator approved it.
    Approved,
    /// Its rule alone allows it.
    Autonomous,
    Declined,
    Expired,
    Vetoed,
    Applied {
        at: Time,
    },
    Undone,
}

impl ProposalState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Autonomous => "autonomous",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Vetoed => "vetoed",
            Self::Applied { .. } => "applied",
            Self::Undone => "undone",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalDraft {
    pub session: SessionKey,
    pub agent: Agent,
    pub project: Option<Project>,
    pub action: Action,
    pub channel: Channel,
    pub diff: Option<Diff>,
    pub undo: Option<String>,
    /// The earlier proposal that this one replaces.
    pub edits: Option<ProposalId>,
    pub parking: Parking,
}

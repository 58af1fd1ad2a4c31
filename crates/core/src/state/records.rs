//! The rows of the state for sessions, calls and declines.

use crate::encoding::digest::Digest;
use crate::model::call::{Call, CallTarget};
use crate::model::ids::{CallId, GestureId, GrantId, RequestId};
use crate::model::names::{Action, Agent, NodeName, Project};
use crate::model::plan::PlanDraft;
use crate::model::repeat::Repeating;
use crate::model::time::Time;
use crate::model::words::{Effect, Risk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub agent: Agent,
    pub project: Option<Project>,
    /// The number of the operator's turns so far.
    pub turn: u32,
    pub mode: Mode,
    /// The plan that waits for an answer.
    pub plan: Option<PlanDraft>,
    /// The actions of the accepted plan, until it ends.
    pub accepted: Vec<Action>,
    /// Whether a plan was accepted since the last run ended or consent was cleared.
    pub planned: Planned,
    /// Which question was asked last, if both a plan and a request are open.
    pub latest: Question,
    /// Actions and targets that were declined and not approved since.
    pub declined: Vec<(Action, CallTarget)>,
    /// The first destination of each event, by domain.
    pub destinations: BTreeMap<String, BTreeMap<Digest, String>>,
    /// Failures. Another attempt at the same action and target asks again.
    pub failures: Vec<FailedCall>,
}

/// The mode that the operator's last turn set, in order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Normal,
    /// Until the next turn or answer, retries are denied and project grants cover nothing.
    Stopped,
    /// Until the next turn, only reading is allowed.
    DryRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Planned {
    Never,
    Once,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Plan,
    Request,
}

/// The latest decline of one digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declined {
    pub agent: Agent,
    pub project: Option<Project>,
    pub target: CallTarget,
    pub at: Time,
    pub note: String,
    pub state: DeclineState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclineState {
    Holds,
    /// The operator later named what was declined.
    Lifted,
}

/// One action of a call that failed, or whose effect is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    pub action: Action,
    pub target: CallTarget,
    pub digest: Digest,
}

/// The stored record of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub call: Arc<Call>,
    /// Its actions as they were decided. For sends to unknown contacts they differ from those that
    /// the call names.
    pub decided: Vec<Action>,
    pub state: CallState,
    pub consent: Consent,
    /// The highest risk among the call's actions, which its card shows.
    pub card_risk: Risk,
    pub requests: Vec<RequestId>,
    /// The digests of questions from nested calls while this call ran.
    pub questions: Vec<Digest>,
    /// The node on which it was last allowed.
    pub node: NodeName,
    /// Set while it waits to be repeated.
    pub repeat: Option<Repeating>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    Denied,
    Parked,
    Approved,
    Executing,
    Ended(Effect),
    Declined,
    Expired,
    /// Cancelled by the operator's stop.
    Stopped,
    /// Cancelled by the agent that made it.
    Cancelled,
}

impl CallState {
    /// Whether the call is finished: neither parked, approved nor executing.
    pub fn is_over(self) -> bool {
        match self {
            Self::Denied
            | Self::Declined
            | Self::Expired
            | Self::Stopped
            | Self::Cancelled
            | Self::Ended(_) => true,
            Self::Parked | Self::Approved | Self::Executing => false,
        }
    }
}

/// The consent that a running call rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    pub grants: Vec<GrantId>,
    pub gesture: Option<GestureId>,
    pub parent: Option<CallId>,
    pub standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A rule, a notice, idleness or a reducer let at least one of its actions pass.
    None,
    /// The operator consented to all of its actions.
    Given,
    /// Revoked or stopped, or the run ended, while the call still ran.
    Withdrawn,
}

//! The rows of the state: what is stored about a session, a call and a decline.

use crate::encoding::digest::Digest;
use crate::model::call::Call;
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
    /// Turns of the operator so far.
    pub turn: u32,
    pub mode: Mode,
    /// The plan that waits for an answer.
    pub plan: Option<PlanDraft>,
    /// The actions of the accepted plan, until it ends.
    pub accepted: Vec<Action>,
    /// Whether a plan was accepted since the last run ended or consent was cleared.
    pub planned: Planned,
    /// Which question was put last, where both are open.
    pub latest: Question,
    /// Actions on targets that were declined and not approved since.
    pub declined: Vec<(Action, Vec<String>)>,
    /// Where each event went first, by domain.
    pub destinations: BTreeMap<String, BTreeMap<Digest, String>>,
    /// Failures after which another attempt at the same thing asks.
    pub failures: Vec<Failure>,
}

/// What the operator's last turn left in force, in the order of what it holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Normal,
    /// Until the next turn or answer nothing is redeemed and no project grant carries.
    Stopped,
    /// Until the next turn only reading passes.
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
    pub at: Time,
    pub note: String,
}

/// A failed call that ran on derived consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub action: Action,
    pub target: Vec<String>,
    pub digest: Digest,
}

/// The stored record of a call; `retry` redeems it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub call: Arc<Call>,
    /// Its actions as they were decided, which for contacts can differ from those it names.
    pub decided: Vec<Action>,
    pub state: CallState,
    pub consent: Consent,
    /// The highest risk that the call's card shows.
    pub card_risk: Risk,
    pub requests: Vec<RequestId>,
    /// Distinct questions from inside this call while it ran.
    pub questions: Vec<Digest>,
    /// Where it was last allowed to run.
    pub node: NodeName,
    /// Set while it is to be repeated.
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
}

impl CallState {
    /// Whether nothing can come of it any more.
    pub fn is_over(self) -> bool {
        match self {
            Self::Denied | Self::Declined | Self::Expired | Self::Stopped | Self::Ended(_) => true,
            Self::Parked | Self::Approved | Self::Executing => false,
        }
    }
}

/// What a running call rests on.
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
    /// Nobody consented: the rule alone allowed it.
    None,
    Given,
    /// Revoked, stopped, or its run is over, while the call still ran.
    Withdrawn,
}

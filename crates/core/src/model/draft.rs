//! What an agent submits for a decision: an ask-ahead, or the start of a run.

use crate::model::call::Parking;
use crate::model::ids::GestureId;
use crate::model::names::{Agent, Project, SessionKey, Workflow};
use crate::model::request::{AskAhead, Attendance};
use crate::model::run::TaskTitle;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AheadDraft {
    pub session: SessionKey,
    pub agent: Agent,
    pub project: Option<Project>,
    pub ahead: AskAhead,
    pub parking: Parking,
}

/// A run that an agent, or an operator's click, wants to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartDraft {
    pub session: SessionKey,
    pub agent: Agent,
    pub project: Option<Project>,
    pub workflow: Workflow,
    pub attendance: Attendance,
    pub gesture: Option<GestureId>,
    pub parking: Parking,
    /// What the operator asked for, if an adapter has seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<TaskTitle>,
}

//! Runs of workflows.

use crate::{ParkPolicy, Timestamp};
use countersign_core::model::ids::{GestureId, RunId};
use countersign_core::model::names::{Action, Agent, Project, SessionName, Workflow};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::{Outcome, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workflow that an agent wants to start.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRunRequest {
    pub session: SessionName,
    /// The project that the session works on. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    pub workflow: Workflow,
    /// The click that started it. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gesture: Option<GestureId>,
    /// A headless run times out sooner.
    #[serde(default)]
    pub attendance: RunAttendance,
    #[serde(default)]
    pub park: ParkPolicy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunAttendance {
    #[default]
    Attended,
    Headless,
}

/// Whether the run started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StartRunResponse {
    pub run_id: RunId,
    pub outcome: Outcome,
    pub reason: Reason,
    pub sentence: String,
}

/// The state of an agent's own run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunResponse {
    pub run_id: RunId,
    pub state: RunStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Live,
    /// Nobody has reattached it since a restart.
    Suspended,
    Ended,
}

impl RunStatus {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Suspended => "suspended",
            Self::Ended => "ended",
        }
    }
}

/// One run, as an operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    pub id: RunId,
    pub workflow: Workflow,
    pub session: SessionName,
    pub agent: Agent,
    pub actions: Vec<Action>,
    pub state: RunStatus,
    pub started_at: Timestamp,
    /// When a call of the run was last allowed.
    pub active_at: Timestamp,
    /// When the run ends if nothing happens in it, or if nobody takes it up after a restart.
    pub ends_at: Timestamp,
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            workflow: run.workflow.clone(),
            session: run.session.to_name(),
            agent: run.agent.clone(),
            actions: run.actions.clone(),
            state: match run.state {
                RunState::Live => RunStatus::Live,
                RunState::Suspended => RunStatus::Suspended,
                RunState::Ended(_) => RunStatus::Ended,
            },
            started_at: Timestamp(run.started_at),
            active_at: Timestamp(run.active_at),
            ends_at: Timestamp(run.ends_at()),
        }
    }
}

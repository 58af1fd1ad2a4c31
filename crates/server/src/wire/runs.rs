//! What is sent and answered about runs.

use super::ParkPolicy;
use countersign_core::model::ids::{GestureId, RunId};
use countersign_core::model::names::{Project, SessionName, Workflow};
use countersign_core::model::words::{Outcome, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workflow that wants to start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRunRequest {
    pub session: SessionName,
    /// What the session works on: only an adapter can say it.
    #[serde(default)]
    pub project: Option<Project>,
    pub workflow: Workflow,
    /// The click that began it: only an adapter can say it.
    #[serde(default)]
    pub gesture: Option<GestureId>,
    /// A headless run idles out sooner.
    #[serde(default)]
    pub attendance: RunAttendance,
    #[serde(default)]
    pub park: ParkPolicy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunAttendance {
    #[default]
    Attended,
    Headless,
}

/// Whether it started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StartRunResponse {
    pub run_id: RunId,
    pub outcome: Outcome,
    pub reason: Reason,
    pub sentence: String,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RunResponse {
    pub run_id: RunId,
    pub state: OwnRunStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnRunStatus {
    Live,
    Ended,
}

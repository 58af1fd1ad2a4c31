//! Workflows and their cleanup after a restart.

use crate::RunView;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::steps::sweep::Swept;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The workflows of the graph, and the runs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowsResponse {
    pub workflows: Vec<WorkflowView>,
    pub runs: Vec<RunView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowView {
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub start: StartPolicy,
    /// The first action that makes it ask.
    pub because: Option<Action>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartPolicy {
    /// Starting it asks, unless a class grant or a click covers it.
    Asks,
    /// Starting it does not ask: all its actions are low risk.
    Bypasses,
}

/// What reconciling a session did.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReconcileResponse {
    pub swept: bool,
    /// Why nothing was swept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SweepRefusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepRefusal {
    ActiveRunPresent,
    NoBlanket,
    NoSession,
}

impl From<Swept> for ReconcileResponse {
    fn from(swept: Swept) -> Self {
        let reason = match swept {
            Swept::Swept => None,
            Swept::ActiveRunPresent => Some(SweepRefusal::ActiveRunPresent),
            Swept::NoBlanket => Some(SweepRefusal::NoBlanket),
            Swept::NoSession => Some(SweepRefusal::NoSession),
        };
        Self { swept: reason.is_none(), reason }
    }
}

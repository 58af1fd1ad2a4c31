//! What is sent and answered about workflows and their runs.

use super::Timestamp;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Action, Agent, SessionName, Workflow};
use countersign_core::model::run::{Run, RunState};
use countersign_core::steps::sweep::Swept;
use countersign_engine::Audited;
use schemars::JsonSchema;
use serde::Serialize;

/// Which workflows ask before they start, and what runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkflowsResponse {
    pub workflows: Vec<WorkflowView>,
    pub runs: Vec<RunView>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkflowView {
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub start: StartPolicy,
    /// The first action because of which it asks.
    pub because: Option<Action>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartPolicy {
    /// Unless a class grant or a click spares it.
    Asks,
    /// All it declares is low risk.
    Bypasses,
}

impl From<Audited> for WorkflowView {
    fn from(audited: Audited) -> Self {
        let start =
            if audited.prompts.is_some() { StartPolicy::Asks } else { StartPolicy::Bypasses };
        Self {
            workflow: audited.workflow,
            actions: audited.actions,
            start,
            because: audited.prompts,
        }
    }
}

/// One run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunView {
    pub id: RunId,
    pub workflow: Workflow,
    pub session: SessionName,
    pub agent: Agent,
    pub actions: Vec<Action>,
    pub state: RunStatus,
    pub started_at: Timestamp,
    /// The last time that a call of it was allowed.
    pub active_at: Timestamp,
    /// When it ends by itself if nothing happens in it.
    pub idles_out_at: Timestamp,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Live,
    /// Nobody has taken it up again since a restart.
    Suspended,
    Ended,
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            workflow: run.workflow.clone(),
            session: run.session.clone(),
            agent: run.agent.clone(),
            actions: run.actions.clone(),
            state: match run.state {
                RunState::Live => RunStatus::Live,
                RunState::Suspended => RunStatus::Suspended,
                RunState::Ended(_) => RunStatus::Ended,
            },
            started_at: Timestamp(run.started_at),
            active_at: Timestamp(run.active_at),
            idles_out_at: Timestamp(run.idles_out_at()),
        }
    }
}

/// What reconciling a session came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReconcileResponse {
    pub swept: bool,
    /// Why nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SweepRefusal>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
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

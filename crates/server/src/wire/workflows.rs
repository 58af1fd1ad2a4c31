//! What is sent and answered about workflows and their runs.

use super::At;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Action, Agent, SessionName, Workflow};
use countersign_core::model::run::{Run, RunState};
use countersign_core::steps::sweep::Swept;
use countersign_engine::Audited;
use schemars::JsonSchema;
use serde::Serialize;

/// Which workflows ask before they start, and what runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Workflows {
    pub workflows: Vec<WorkflowForm>,
    pub runs: Vec<RunForm>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorkflowForm {
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub start: StartOf,
    /// The first action because of which it asks.
    pub because: Option<Action>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartOf {
    /// Unless a class grant or a click spares it.
    Asks,
    /// All it declares is low risk.
    Bypasses,
}

impl From<Audited> for WorkflowForm {
    fn from(audited: Audited) -> Self {
        let start = if audited.prompts.is_some() { StartOf::Asks } else { StartOf::Bypasses };
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
pub struct RunForm {
    pub id: RunId,
    pub workflow: Workflow,
    pub session: SessionName,
    pub agent: Agent,
    pub actions: Vec<Action>,
    pub state: RunWord,
    pub started_at: At,
    /// The last time that a call of it was allowed.
    pub active_at: At,
    /// When it ends by itself if nothing happens in it.
    pub idles_out_at: At,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunWord {
    Live,
    /// Nobody has taken it up again since a restart.
    Suspended,
    Ended,
}

impl From<&Run> for RunForm {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            workflow: run.workflow.clone(),
            session: run.session.clone(),
            agent: run.agent.clone(),
            actions: run.actions.clone(),
            state: match run.state {
                RunState::Live => RunWord::Live,
                RunState::Suspended => RunWord::Suspended,
                RunState::Ended(_) => RunWord::Ended,
            },
            started_at: At(run.started_at),
            active_at: At(run.active_at),
            idles_out_at: At(run.idles_out_at()),
        }
    }
}

/// What reconciling a session came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reconciled {
    pub swept: bool,
    /// Why nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NotSwept>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotSwept {
    ActiveRunPresent,
    NoBlanket,
    NoSession,
}

impl From<Swept> for Reconciled {
    fn from(swept: Swept) -> Self {
        let reason = match swept {
            Swept::Swept => None,
            Swept::ActiveRunPresent => Some(NotSwept::ActiveRunPresent),
            Swept::NoBlanket => Some(NotSwept::NoBlanket),
            Swept::NoSession => Some(NotSwept::NoSession),
        };
        Self { swept: reason.is_none(), reason }
    }
}

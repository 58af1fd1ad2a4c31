//! Runs of workflows.

use crate::{Millis, ParkPolicy, Timestamp};
use countersign_core::decide::within_run::WithinRun;
use countersign_core::model::ids::{GestureId, GrantId, RequestId, RunId};
use countersign_core::model::names::{Action, Agent, Project, SessionName, StepName, Workflow};
use countersign_core::model::request::Attendance;
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::{Outcome, Reason, RunEnding};
use countersign_core::word_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workflow that an agent wants to start.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRunRequest {
    pub session: SessionName,
    /// The project that the session works on: see `POST /v1/check`.
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
    /// How long to wait for an answer before the reply is `pending`; five minutes at most.
    #[serde(default)]
    pub wait_ms: Millis,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunAttendance {
    #[default]
    Attended,
    Headless,
}

impl From<RunAttendance> for Attendance {
    fn from(attendance: RunAttendance) -> Self {
        match attendance {
            RunAttendance::Attended => Self::Attended,
            RunAttendance::Headless => Self::Headless,
        }
    }
}

/// Whether the run started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StartRunResponse {
    pub run_id: RunId,
    pub status: StartStatus,
    pub outcome: Outcome,
    pub reason: Reason,
    pub sentence: String,
    /// `consent denied` if the operator declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The operator's words, if there are any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The request that the operator sees or has answered.
    pub request_id: Option<RequestId>,
    /// The run's own grant, once it has started.
    pub grant_id: Option<GrantId>,
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum StartStatus {
        Started = "started",
        /// The operator is asked.
        Pending = "pending",
        Declined = "declined",
        /// The start was withdrawn, or a stop or the end of the session ended it.
        Cancelled = "cancelled",
        Expired = "expired",
        /// Nobody was asked.
        Denied = "denied",
    }
}

impl StartRunResponse {
    /// The same start, as its run is now.
    pub fn updated(self, run: &OwnRunView) -> Self {
        let (status, outcome, reason) = match run.state {
            RunStatus::Live | RunStatus::Suspended | RunStatus::Ended => {
                let reason =
                    if self.outcome == Outcome::Ask { Reason::Granted } else { self.reason };
                (StartStatus::Started, Outcome::Allow, reason)
            }
            RunStatus::Pending => (StartStatus::Pending, Outcome::Ask, self.reason),
            RunStatus::Declined => (StartStatus::Declined, Outcome::Deny, Reason::DeclinedBefore),
            RunStatus::Cancelled => (StartStatus::Cancelled, Outcome::Deny, Reason::Cancelled),
            RunStatus::Expired => (StartStatus::Expired, Outcome::Deny, Reason::Expired),
        };
        Self {
            status,
            outcome,
            reason,
            sentence: run.sentence.clone(),
            error: run.error.clone(),
            note: run.note.clone(),
            request_id: run.request_id,
            grant_id: run.grant.map(|grant| grant.grant_id),
            ..self
        }
    }
}

/// The state of an agent's own run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunResponse {
    pub run_id: RunId,
    pub state: RunStatus,
    /// Lines to show in the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announcements: Vec<String>,
}

impl RunResponse {
    pub fn new(run_id: RunId, state: RunStatus) -> Self {
        Self { run_id, state, announcements: Vec::new() }
    }
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum RunStatus {
        /// Its start waits for an answer.
        Pending = "pending",
        /// The operator declined its start.
        Declined = "declined",
        /// Its start was withdrawn, or a stop or the end of the session ended it.
        Cancelled = "cancelled",
        /// Nobody answered its start in time.
        Expired = "expired",
        Live = "live",
        /// Nobody has reattached it since a restart.
        Suspended = "suspended",
        Ended = "ended",
    }
}

impl From<RunState> for RunStatus {
    fn from(state: RunState) -> Self {
        match state {
            RunState::Live => Self::Live,
            RunState::Suspended => Self::Suspended,
            RunState::Ended(_) => Self::Ended,
        }
    }
}

/// An agent's own run, or the start that it asked for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnRunView {
    pub run_id: RunId,
    pub workflow: Workflow,
    pub state: RunStatus,
    pub sentence: String,
    /// `consent denied` if the operator declined the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The operator's words, if there are any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The request about its start, if the operator was asked.
    pub request_id: Option<RequestId>,
    /// The step of the call that was allowed last.
    pub step: Option<StepName>,
    /// The declared actions, and what each does inside the run.
    pub actions: Vec<RunAction>,
    pub grant: Option<RunGrantView>,
    pub started_at: Option<Timestamp>,
    /// When a call of the run was last allowed.
    pub active_at: Option<Timestamp>,
    /// When the run or the request for it ends if nothing happens.
    pub ends_at: Option<Timestamp>,
    /// How and when it ended.
    pub ended: Option<RunEndView>,
    /// The turn in which the agent last proposed a plan in it.
    #[serde(default)]
    pub last_plan_turn: Option<u32>,
    /// How many of its calls asked because they were not in the accepted plan.
    #[serde(default)]
    pub deviations: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunAction {
    pub action: Action,
    /// What it does inside the run, as the graph is now.
    pub within_run: WithinRun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunGrantView {
    pub grant_id: GrantId,
    pub in_force: bool,
    /// The operator's turn in which it was given.
    #[serde(default)]
    pub granted_turn: u32,
    pub ends_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunEndView {
    pub how: RunEnding,
    pub at: Option<Timestamp>,
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
    /// The step of the call that was allowed last.
    pub step: Option<StepName>,
    /// The run's own grant.
    pub grant: Option<GrantId>,
    pub started_at: Timestamp,
    /// When a call of the run was last allowed.
    pub active_at: Timestamp,
    /// When the run ends if nothing happens in it, or if nobody takes it up after a restart.
    pub ends_at: Timestamp,
    /// How and when it ended.
    pub ended: Option<RunEndView>,
}

/// How and when a run ended, if it has.
fn ended_view(run: &Run) -> Option<RunEndView> {
    let RunState::Ended(how) = run.state else { return None };
    Some(RunEndView { how, at: run.ended_at.map(Timestamp) })
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        Self {
            id: run.id,
            workflow: run.workflow.clone(),
            session: run.session.to_name(),
            agent: run.agent.clone(),
            actions: run.actions.clone(),
            state: run.state.into(),
            step: run.step.clone(),
            grant: run.grant,
            started_at: Timestamp(run.started_at),
            active_at: Timestamp(run.active_at),
            ends_at: Timestamp(run.ends_at()),
            ended: ended_view(run),
        }
    }
}

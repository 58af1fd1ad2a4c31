//! `workflow_start`, `workflow_step` and `workflow_end`.
//!
//! A model cannot name the run in every call, so it is remembered here: calls of this client belong
//! to the run until it ends.

use super::{ToolAnswer, read_arguments, refuse, reply};
use crate::call::ToolCalls;
use crate::client::ClientRequest;
use countersign_api::{OwnRunView, RunStatus, StartRunResponse, StartStatus};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{StepName, Workflow};
use countersign_core::model::request::Attendance;
use countersign_host::AgentError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const START_SCHEMA: &str = r#"{"type":"object","properties":{"workflow":{"type":"string","description":"The workflow's name"}},"required":["workflow"],"additionalProperties":false}"#;
pub(super) const STEP_SCHEMA: &str = r#"{"type":"object","properties":{"step":{"type":"string","description":"The step's name"}},"required":["step"],"additionalProperties":false}"#;
pub(super) const END_SCHEMA: &str = r#"{"type":"object","properties":{"run_id":{"type":"string","description":"The run that workflow_start returned; the current one if you leave it out"}},"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartArguments {
    workflow: Workflow,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepArguments {
    step: StepName,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndArguments {
    run_id: Option<RunId>,
}

pub(super) async fn start_workflow(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let StartArguments { workflow } = read_arguments(request)?;
    let draft = StartDraft {
        session: calls.owner.session.clone(),
        agent: calls.owner.agent.clone(),
        project: calls.project.clone(),
        workflow,
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    };
    let mut started = calls.shared.host.start_run(draft, Duration::ZERO).await?;
    if started.status == StartStatus::Pending {
        let run = wait_for_start(calls, request, started.run_id).await?;
        started = started.updated(&run);
    }
    if started.status == StartStatus::Started {
        calls.set_run(Some(started.run_id), None);
    }
    reply(&describe_start(&started))
}

/// Waits until the start of a run is answered, as long as the client waits.
async fn wait_for_start(
    calls: &ToolCalls,
    request: &ClientRequest,
    run: RunId,
) -> Result<OwnRunView, AgentError> {
    let read = |wait| calls.shared.host.wait_for_start(run, &calls.owner, wait);
    let is_waiting = async |wait| read(wait).await.map(|run| run.state == RunStatus::Pending);
    calls.wait_with_progress(request, is_waiting).await?;
    read(Duration::ZERO).await
}

pub(super) async fn enter_step(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let StepArguments { step } = read_arguments(request)?;
    let (run, _) = calls.current_run();
    let run = run.ok_or_else(|| refuse("No workflow is running. Start one first."))?;
    let found = calls.shared.host.wait_for_start(run, &calls.owner, Duration::ZERO).await?;
    if found.state != RunStatus::Live {
        return Err(refuse(&format!("No workflow is running: {}.", found.sentence)));
    }
    calls.set_run(Some(run), Some(step.clone()));
    reply(&json!({"run_id": run, "step": step, "status": "running"}))
}

pub(super) async fn end_workflow(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let EndArguments { run_id } = read_arguments(request)?;
    let (current, _) = calls.current_run();
    let run = run_id.or(current).ok_or_else(|| refuse("No workflow is running."))?;
    let ended = calls.shared.host.end_run(run, &calls.owner).await;
    if current == Some(run) && !matches!(ended, Err(AgentError::Engine(_))) {
        calls.set_run(None, None);
    }
    match ended {
        Ok(ended) => reply(&json!({"run_id": run, "status": ended.state.word(),
            "announcements": ended.announcements})),
        Err(AgentError::Run { state, sentence }) => {
            reply(&json!({"run_id": run, "status": state.word(), "sentence": sentence}))
        }
        Err(error) => Err(error.into()),
    }
}

fn describe_start(started: &StartRunResponse) -> Value {
    let status = match started.status {
        StartStatus::Started => "running",
        other => other.word(),
    };
    json!({"run_id": started.run_id, "status": status, "reason": started.reason,
        "error": started.error, "sentence": started.sentence, "operator_note": started.note,
        "grant_id": started.grant_id})
}

pub(super) fn describe_run(run: &OwnRunView) -> Value {
    let status = match run.state {
        RunStatus::Live => "running",
        other => other.word(),
    };
    json!({"run_id": run.run_id, "status": status, "error": run.error, "sentence": run.sentence,
        "operator_note": run.note, "grant_id": run.grant.map(|grant| grant.grant_id)})
}

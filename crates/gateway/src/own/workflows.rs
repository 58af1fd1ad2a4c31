//! `workflow_start`, `workflow_step` and `workflow_end`.
//!
//! A model cannot name the run in every call, so the relay remembers it: calls of this client belong
//! to the run until it ends.

use super::{read_arguments, refuse, reply};
use crate::call::decide::undecided;
use crate::relay::{Context, Relay, RpcResponse};
use countersign_core::decide::explain;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Step, Workflow};
use countersign_core::model::request::{Attendance, RequestState};
use countersign_core::model::words::{Ending, Outcome, RunEnding};
use countersign_engine::OwnRun;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
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
    step: Step,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndArguments {
    run_id: Option<String>,
}

impl Relay {
    pub(super) async fn start_workflow(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let StartArguments { workflow } = read_arguments(context)?;
        let draft = StartDraft {
            session: self.owner.session.clone(),
            agent: self.owner.agent.clone(),
            project: self.project.clone(),
            workflow,
            attendance: Attendance::Attended,
            gesture: None,
            parking: self.gateway.parking(),
        };
        let host = &self.gateway.host;
        let started = host.run(move |engine| engine.start_run(&draft)).await;
        let (run, decision) = started.map_err(|error| undecided(&error))?;
        if decision.outcome == Outcome::Deny {
            let error = "consent denied";
            return reply(&json!({"run_id": run, "status": "denied", "error": error,
                "reason": decision.reason, "sentence": explain::sentence(&decision)}));
        }
        let is_waiting = |slice: Duration| async move {
            let found = host.wait_for_start(run, &self.owner, slice).await?;
            Ok(found.is_some_and(|found| found.is_waiting()))
        };
        self.hold(context, is_waiting).await.map_err(|error| undecided(&error))?;
        let described = self.describe_run(run).await?;
        if described.get("status").is_some_and(|status| status == "running") {
            self.set_run(Some(run), None);
        }
        reply(&described)
    }

    pub(super) async fn describe_run(&self, run: RunId) -> Result<Value, RpcResponse> {
        let owner = self.owner.clone();
        let found = self.gateway.host.run(move |engine| engine.read_own_run(run, &owner)).await;
        let found = found.map_err(|error| undecided(&error))?;
        let found = found.ok_or_else(|| refuse("No run of this session has that id."))?;
        let (status, sentence) = describe_start(&found);
        let note = found.request.as_ref().map(|request| request.note.clone()).unwrap_or_default();
        let grant = found.grant.as_ref().map(|grant| grant.id);
        Ok(json!({"run_id": run, "status": status, "sentence": sentence, "operator_note": note,
            "grant_id": grant}))
    }

    pub(super) async fn enter_step(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let StepArguments { step } = read_arguments(context)?;
        let (run, _) = self.current_run();
        let run = run.ok_or_else(|| refuse("No workflow is running. Start one first."))?;
        self.set_run(Some(run), Some(step.clone()));
        reply(&json!({"run_id": run, "step": step, "status": "running"}))
    }

    pub(super) async fn end_workflow(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let EndArguments { run_id } = read_arguments(context)?;
        let (current, _) = self.current_run();
        let run = match run_id {
            Some(id) => RunId::parse(&id),
            None => current,
        };
        let run = run.ok_or_else(|| refuse("No workflow is running."))?;
        let owner = self.owner.clone();
        let end = move |engine: &countersign_host::HostEngine| {
            engine.end_run(run, &owner, RunEnding::Completed)
        };
        let ended = self.gateway.host.run(end).await.map_err(|error| undecided(&error))?;
        if current == Some(run) {
            self.set_run(None, None);
        }
        let status = if ended { "ended" } else { "not_running" };
        reply(&json!({"run_id": run, "status": status}))
    }
}

fn describe_start(found: &OwnRun) -> (&'static str, &'static str) {
    if let Some(run) = &found.run {
        return match run.is_live(found.now) {
            true => ("running", "the run has started; your calls belong to it"),
            false => ("ended", "the run is over"),
        };
    }
    match found.request.as_ref().map(|request| &request.state) {
        _ if found.is_waiting() => ("pending", "the operator has not answered yet"),
        Some(RequestState::Closed(Ending::Declined)) => ("declined", "consent denied"),
        Some(RequestState::Closed(Ending::Cancelled)) => ("cancelled", "the start was withdrawn"),
        _ => ("expired", "nobody answered in time"),
    }
}

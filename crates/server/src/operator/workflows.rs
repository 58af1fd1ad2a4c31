//! Workflows, and what became of their runs.

use crate::api::Shared;
use crate::body::{Body, Id};
use crate::convert::workflow_view;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{ReconcileResponse, RunView, SessionRequest, WorkflowsResponse};
use countersign_core::model::ids::RunId;

pub(super) async fn audit(State(daemon): Shared) -> Result<Json<WorkflowsResponse>, Fault> {
    let (workflows, runs) = daemon.run(|engine| engine.audit_workflows()).await?;
    let workflows = workflows.into_iter().map(workflow_view).collect();
    Ok(Json(WorkflowsResponse { workflows, runs: runs.iter().map(Into::into).collect() }))
}

pub(super) async fn run(State(daemon): Shared, Id(id): Id<RunId>) -> Result<Json<RunView>, Fault> {
    let run = daemon.run(move |engine| engine.read_run(id)).await?;
    run.map(|run| Json(RunView::from(&run))).ok_or_else(|| Fault::unknown("run"))
}

pub(super) async fn reconcile(
    State(daemon): Shared,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<ReconcileResponse>, Fault> {
    let swept = daemon.run(move |engine| engine.reconcile_runs(&session)).await?;
    Ok(Json(swept.into()))
}

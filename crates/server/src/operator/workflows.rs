//! Workflows and their runs.

use super::sessions::find_optional_session;
use crate::convert::workflow_view;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{ReconcileResponse, RunView, SessionRequest, WorkflowsResponse};
use countersign_core::model::ids::RunId;
use countersign_core::steps::sweep::Swept;

pub(crate) async fn audit_workflows(
    State(daemon): ServerState,
) -> Result<Json<WorkflowsResponse>, ApiError> {
    let (workflows, runs) = daemon.run(|engine| engine.audit_workflows()).await?;
    let workflows = workflows.into_iter().map(workflow_view).collect();
    Ok(Json(WorkflowsResponse { workflows, runs: runs.iter().map(Into::into).collect() }))
}

pub(crate) async fn get_run(
    State(daemon): ServerState,
    PathParam(id): PathParam<RunId>,
) -> Result<Json<RunView>, ApiError> {
    let run = daemon.run(move |engine| engine.read_run(id)).await?;
    run.map(|run| Json(RunView::from(&run))).ok_or_else(|| ApiError::unknown("run"))
}

pub(crate) async fn reconcile(
    State(daemon): ServerState,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ReconcileResponse>, ApiError> {
    let Some(session) = find_optional_session(&daemon, session).await? else {
        return Ok(Json(Swept::NoSession.into()));
    };
    let reconciled = daemon.run(move |engine| engine.reconcile_runs(&session)).await?;
    Ok(Json(reconciled.into()))
}

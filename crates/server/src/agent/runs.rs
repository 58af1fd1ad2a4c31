//! Runs of workflows: start, wait, read, cancel, end, continue after a restart.

use super::limit_wait;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    OwnRunView, RunResponse, SessionQuery, SessionRequest, StartRunRequest, StartRunResponse,
    WaitRequest,
};
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_engine::SessionOwner;
use std::time::Duration;

pub(super) async fn start_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<StartRunRequest>,
) -> Result<Json<StartRunResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    caller.check_adapter_field("gesture", body.gesture.as_ref())?;
    let draft = StartDraft {
        session: caller.session(&body.session),
        agent: caller.agent,
        project: body.project,
        workflow: body.workflow,
        attendance: body.attendance.into(),
        gesture: body.gesture,
        parking: body.park.into(),
        title: None,
    };
    Ok(Json(daemon.host.start_run(draft, limit_wait(body.wait_ms)).await?))
}

pub(super) async fn get_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<OwnRunView>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.wait_for_start(run, &owner, Duration::ZERO).await?))
}

pub(super) async fn wait_for_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<OwnRunView>, ApiError> {
    let owner = SessionOwner::new(&body.session, caller.agent);
    Ok(Json(daemon.host.wait_for_start(run, &owner, limit_wait(body.wait_ms)).await?))
}

pub(super) async fn cancel_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.cancel_run(run, &owner).await?))
}

pub(super) async fn end_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.end_run(run, &owner).await?))
}

pub(super) async fn reattach_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.reattach_run(run, &owner).await?))
}

//! Runs of workflows: start, end, continue after a restart.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    RunAttendance, RunResponse, RunStatus, SessionRequest, StartRunRequest, StartRunResponse,
};
use countersign_core::decide::explain;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::request::Attendance;
use countersign_core::model::words::RunEnding;
use countersign_engine::SessionOwner;

pub(super) async fn start_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<StartRunRequest>,
) -> Result<Json<StartRunResponse>, ApiError> {
    caller.check_adapter_field("project", body.project.as_ref())?;
    caller.check_adapter_field("gesture", body.gesture.as_ref())?;
    let draft = StartDraft {
        session: caller.session(&body.session),
        agent: caller.agent,
        project: body.project,
        workflow: body.workflow,
        attendance: match body.attendance {
            RunAttendance::Attended => Attendance::Attended,
            RunAttendance::Headless => Attendance::Headless,
        },
        gesture: body.gesture,
        parking: daemon.parking(body.park),
    };
    let (run_id, decision) = daemon.run(move |engine| engine.start_run(&draft)).await?;
    let (outcome, reason) = (decision.outcome, decision.reason);
    Ok(Json(StartRunResponse { run_id, outcome, reason, sentence: explain::sentence(&decision) }))
}

pub(super) async fn end_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run_id): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let is_ended =
        daemon.run(move |engine| engine.end_run(run_id, &owner, RunEnding::Completed)).await?;
    match is_ended {
        true => Ok(Json(RunResponse { run_id, state: RunStatus::Ended })),
        false => Err(ApiError::unknown("run")),
    }
}

pub(super) async fn reattach_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run_id): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let is_reattached = daemon.run(move |engine| engine.reattach_run(run_id, &owner)).await?;
    match is_reattached {
        true => Ok(Json(RunResponse { run_id, state: RunStatus::Live })),
        false => Err(ApiError::conflict("this run cannot be continued", "start a new one")),
    }
}

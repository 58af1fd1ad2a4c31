//! Runs of workflows: start, wait, read, cancel, end, continue after a restart.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::limits;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    OwnRunView, RunAttendance, RunResponse, RunStatus, SessionQuery, SessionRequest,
    StartRunRequest, StartRunResponse, StartStatus, WaitRequest,
};
use countersign_core::decide::explain;
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::request::Attendance;
use countersign_core::model::words::{Outcome, Reason, RunEnding};
use countersign_core::steps::conversation::announce_run_end;
use countersign_engine::{OwnRun, SessionOwner};
use std::sync::Arc;

pub(super) async fn start_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<StartRunRequest>,
) -> Result<Json<StartRunResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    caller.check_adapter_field("gesture", body.gesture.as_ref())?;
    let wait = body.wait_ms.duration().min(limits::MAX_WAIT);
    let owner = SessionOwner::new(&body.session, caller.agent);
    let draft = StartDraft {
        session: owner.session.clone(),
        agent: owner.agent.clone(),
        project: body.project,
        workflow: body.workflow,
        attendance: match body.attendance {
            RunAttendance::Attended => Attendance::Attended,
            RunAttendance::Headless => Attendance::Headless,
        },
        gesture: body.gesture,
        parking: daemon.parking(body.park),
    };
    let (run, decision) = daemon.run(move |engine| engine.start_run(&draft)).await?;
    let found = match decision.outcome {
        Outcome::Deny => None,
        Outcome::Allow | Outcome::Notify | Outcome::Ask => {
            daemon.host.wait_for_start(run, &owner, wait).await?
        }
    };
    Ok(Json(start_response(&daemon, run, &decision, found)?))
}

fn start_response(
    daemon: &Daemon,
    run_id: RunId,
    decision: &Decision,
    found: Option<OwnRun>,
) -> Result<StartRunResponse, ApiError> {
    let is_declined = decision.reason == Reason::DeclinedBefore;
    let decided = StartRunResponse {
        run_id,
        status: if is_declined { StartStatus::Declined } else { StartStatus::Denied },
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(decision),
        error: is_declined.then(|| CONSENT_DENIED.to_owned()),
        note: if is_declined { decision.note.clone() } else { String::new() },
        request_id: None,
        grant_id: None,
    };
    match found {
        None => Ok(decided),
        Some(found) => Ok(decided.updated(&daemon.describe_own_run(run_id, found)?)),
    }
}

/// What a declined start is called, for callers that compare texts.
const CONSENT_DENIED: &str = "consent denied";

pub(super) async fn get_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<OwnRunView>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let found = daemon.run(move |engine| engine.read_own_run(run, &owner)).await?;
    let found = found.ok_or_else(|| ApiError::unknown("run"))?;
    Ok(Json(daemon.describe_own_run(run, found)?))
}

pub(super) async fn wait_for_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run): PathParam<RunId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<OwnRunView>, ApiError> {
    let limit = body.wait_ms.duration().min(limits::MAX_WAIT);
    let owner = SessionOwner::new(&body.session, caller.agent);
    let found = daemon.host.wait_for_start(run, &owner, limit).await?;
    let found = found.ok_or_else(|| ApiError::unknown("run"))?;
    Ok(Json(daemon.describe_own_run(run, found)?))
}

pub(super) async fn cancel_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run_id): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let canceller = owner.clone();
    match daemon.run(move |engine| engine.cancel_run(run_id, &canceller)).await? {
        true => run_response(&daemon, run_id, owner).await,
        false => Err(explain_run(&daemon, run_id, owner).await?),
    }
}

pub(super) async fn end_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run_id): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let ender = owner.clone();
    let completed = RunEnding::Completed;
    match daemon.run(move |engine| engine.end_run(run_id, &ender, completed)).await? {
        true => {
            let announcements = announce_run_end(completed).map(str::to_owned);
            let announcements = announcements.into_iter().collect();
            Ok(Json(RunResponse { run_id, state: RunStatus::Ended, announcements }))
        }
        false => Err(explain_run(&daemon, run_id, owner).await?),
    }
}

pub(super) async fn reattach_run(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(run_id): PathParam<RunId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<RunResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let attacher = owner.clone();
    match daemon.run(move |engine| engine.reattach_run(run_id, &attacher)).await? {
        true => Ok(Json(RunResponse::new(run_id, RunStatus::Live))),
        false => Err(explain_run(&daemon, run_id, owner).await?),
    }
}

async fn run_response(
    daemon: &Arc<Daemon>,
    run_id: RunId,
    owner: SessionOwner,
) -> Result<Json<RunResponse>, ApiError> {
    let found = daemon.run(move |engine| engine.read_own_run(run_id, &owner)).await?;
    let found = found.ok_or_else(|| ApiError::unknown("run"))?;
    let state = daemon.describe_own_run(run_id, found)?.state;
    Ok(Json(RunResponse::new(run_id, state)))
}

/// Why a run cannot be ended, cancelled or continued.
async fn explain_run(
    daemon: &Arc<Daemon>,
    run: RunId,
    owner: SessionOwner,
) -> Result<ApiError, ApiError> {
    let found = daemon.run(move |engine| engine.read_own_run(run, &owner)).await?;
    let Some(found) = found else { return Ok(ApiError::unknown("run")) };
    let view = daemon.describe_own_run(run, found)?;
    Ok(match view.state {
        RunStatus::Pending => ApiError::not_started(&view.sentence),
        RunStatus::Declined => ApiError::consent_denied(&view.sentence),
        RunStatus::Live => ApiError::conflict(view.sentence, "there is nothing to do"),
        RunStatus::Cancelled | RunStatus::Expired | RunStatus::Suspended | RunStatus::Ended => {
            ApiError::conflict(view.sentence, "start a new one")
        }
    })
}

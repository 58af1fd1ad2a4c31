//! The state of a call after its decision: wait, retry, cancel, report the outcome.

use crate::Daemon;
use crate::convert::check_response;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::limits;
use crate::peers::Caller;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    CheckResponse, OperationResponse, OperationState, OutcomeRequest, RecordedState,
    ReportResponse, ReportedEffect, SessionQuery, SessionRequest, WaitRequest,
};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::state::CallState;
use countersign_engine::{Reported, Taken};
use std::sync::Arc;

pub(super) async fn retry_call(
    daemon: &Arc<Daemon>,
    caller: &Caller,
    operation: CallId,
    session: SessionName,
) -> Result<Json<CheckResponse>, ApiError> {
    let agent = caller.agent.clone();
    let checked = daemon.run(move |engine| engine.retry(operation, &session, &agent)).await?;
    Ok(Json(check_response(&checked)))
}

pub(super) async fn retry(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<CheckResponse>, ApiError> {
    retry_call(&daemon, &caller, operation, session).await
}

/// Waits for an answer and returns the state of the call. It does not redeem the answer.
pub(super) async fn wait(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<OperationResponse>, ApiError> {
    let limit = body.wait_ms.duration().min(limits::MAX_WAIT);
    let state = daemon.waited(operation, &body.session, &caller, limit).await?;
    operation_response(operation, state)
}

pub(super) async fn get_operation(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<OperationResponse>, ApiError> {
    let agent = caller.agent.clone();
    let state = daemon.run(move |engine| engine.operation(operation, &session, &agent)).await?;
    operation_response(operation, state)
}

fn operation_response(
    operation_id: CallId,
    state: Option<CallState>,
) -> Result<Json<OperationResponse>, ApiError> {
    let state = state.ok_or_else(|| ApiError::unknown("operation"))?;
    Ok(Json(OperationResponse { operation_id, state: state.into() }))
}

pub(super) async fn cancel(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let agent = caller.agent.clone();
    let taken = daemon.run(move |engine| engine.cancel(operation, (&session, &agent))).await?;
    report_response(operation, taken, "its question is not open any more")
}

pub(super) async fn report_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(body): JsonBody<OutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let agent = caller.agent.clone();
    let reported = match body.effect {
        ReportedEffect::Done => Reported::Done,
        ReportedEffect::Failed => Reported::Failed,
        ReportedEffect::Unknown => Reported::Unknown,
    };
    let taken = daemon.reported(operation, (body.session, agent), reported).await?;
    report_response(operation, taken, "the call is not running")
}

pub(crate) fn report_response(
    operation_id: CallId,
    taken: Taken,
    too_late: &str,
) -> Result<Json<ReportResponse>, ApiError> {
    match taken {
        Taken::Noted => Ok(Json(ReportResponse { operation_id, state: RecordedState::Recorded })),
        Taken::TooLate(state) => {
            let message = format!("{too_late}: its state is {}", OperationState::from(state));
            Err(ApiError::conflict(message, "there is nothing to do"))
        }
        Taken::Unknown => Err(ApiError::unknown("operation")),
    }
}

//! The state of a call after its decision: wait, retry, cancel, report the outcome.

use crate::convert::check_response;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::limits;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    CheckResponse, OperationResponse, OperationState, OutcomeRequest, RecordedState,
    ReportResponse, ReportedEffect, SessionQuery, SessionRequest, WaitRequest,
};
use countersign_core::model::ids::CallId;
use countersign_core::state::CallState;
use countersign_engine::{AgentReport, CallUpdate, Completion, SessionOwner};

pub(super) async fn retry(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<CheckResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let checked = daemon.host.retry(operation, owner).await?;
    Ok(Json(check_response(checked)))
}

/// Waits for an answer and returns the state of the call. It does not redeem the answer.
pub(super) async fn wait(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<OperationResponse>, ApiError> {
    let limit = body.wait_ms.duration().min(limits::MAX_WAIT);
    let owner = SessionOwner::new(&body.session, caller.agent);
    let state = daemon.host.wait_for_answer(operation, &owner, limit).await?;
    operation_response(operation, state)
}

pub(super) async fn get_operation(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<OperationResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let state = daemon.run(move |engine| engine.call_state(operation, &owner)).await?;
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
    let owner = SessionOwner::new(&session, caller.agent);
    let update = daemon.run(move |engine| engine.cancel(operation, &owner)).await?;
    report_response(operation, update, "its question is not open any more")
}

pub(super) async fn report_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(body): JsonBody<OutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let owner = SessionOwner::new(&body.session, caller.agent);
    let completion = Completion::reported(operation, owner, agent_report(body.effect));
    let update = daemon.host.complete(completion).await?;
    report_response(operation, update, "the call is not running")
}

pub(super) fn agent_report(effect: ReportedEffect) -> AgentReport {
    match effect {
        ReportedEffect::Done => AgentReport::Done,
        ReportedEffect::Failed => AgentReport::Failed,
        ReportedEffect::Unknown => AgentReport::Unknown,
    }
}

pub(crate) fn report_response(
    operation_id: CallId,
    update: CallUpdate,
    too_late: &str,
) -> Result<Json<ReportResponse>, ApiError> {
    match update {
        CallUpdate::Recorded => {
            Ok(Json(ReportResponse { operation_id, state: RecordedState::Recorded }))
        }
        CallUpdate::TooLate(state) => {
            let message = format!("{too_late}: its state is {}", OperationState::from(state));
            Err(ApiError::conflict(message, "there is nothing to do"))
        }
        CallUpdate::Unknown => Err(ApiError::unknown("operation")),
    }
}

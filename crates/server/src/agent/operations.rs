//! The state of a call after its decision: wait, retry, cancel, report the outcome.

use super::applications::{check_stored_actions, start_application_call};
use super::limit_wait;
use crate::command_windows::read_boot_millis;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    CheckResponse, CheckStatus, OperationResponse, OutcomeRequest, ReportResponse, ReportedEffect,
    SessionQuery, SessionRequest, WaitRequest,
};
use countersign_core::model::ids::CallId;
use countersign_engine::{AgentReport, SessionOwner};
use countersign_host::describe_check;
use std::time::Duration;

pub(super) async fn retry(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<CheckResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent.clone());
    check_stored_actions(&daemon, &caller, operation, &owner).await?;
    let (key, now) = (owner.session.clone(), read_boot_millis());
    let mut response = describe_check(daemon.host.retry(operation, owner.clone()).await?);
    start_application_call(&daemon, &caller, peer, owner, &mut response)?;
    if response.status == CheckStatus::Allowed {
        daemon.commands.start_waiting(&key, operation, now);
    }
    Ok(Json(response))
}

/// Waits for an answer and returns the state of the call. It does not redeem the answer.
pub(super) async fn wait(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation_id): PathParam<CallId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<OperationResponse>, ApiError> {
    let owner = SessionOwner::new(&body.session, caller.agent);
    let wait = limit_wait(body.wait_ms);
    let state = daemon.host.read_operation(operation_id, &owner, wait).await?.into();
    Ok(Json(OperationResponse { operation_id, state }))
}

pub(super) async fn get_operation(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation_id): PathParam<CallId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<OperationResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let state = daemon.host.read_operation(operation_id, &owner, Duration::ZERO).await?.into();
    Ok(Json(OperationResponse { operation_id, state }))
}

pub(super) async fn cancel(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let key = owner.session.clone();
    let response = daemon.host.cancel_operation(operation, owner).await?;
    daemon.commands.end(&key, operation, read_boot_millis());
    Ok(Json(response))
}

pub(super) async fn report_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation): PathParam<CallId>,
    JsonBody(body): JsonBody<OutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let owner = SessionOwner::new(&body.session, caller.agent.clone());
    let report = agent_report(body.effect);
    let response = daemon.host.report_outcome(operation, owner, report).await?;
    if caller.kind.rights().is_some() {
        daemon.application_processes.end(operation);
    }
    Ok(Json(response))
}

pub(super) fn agent_report(effect: ReportedEffect) -> AgentReport {
    match effect {
        ReportedEffect::Done => AgentReport::Done,
        ReportedEffect::Failed => AgentReport::Failed,
        ReportedEffect::Unknown => AgentReport::Unknown,
    }
}

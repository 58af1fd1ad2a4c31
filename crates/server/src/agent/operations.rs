//! What becomes of a call after it was decided.

use super::check::WAIT;
use crate::api::{By, Shared};
use crate::body::{Body, Id, Queried};
use crate::convert::check_response;
use crate::fault::Fault;
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
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<CheckResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let checked = daemon.host.retry(operation, owner).await?;
    Ok(Json(check_response(checked)))
}

/// Waits for an answer, and says what became of the call. It redeems nothing.
pub(super) async fn wait(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(again): Body<WaitRequest>,
) -> Result<Json<OperationResponse>, Fault> {
    let limit = again.wait_ms.duration().min(WAIT);
    let owner = SessionOwner::new(again.session, caller.agent);
    let found = daemon.host.wait_for_answer(operation, &owner, limit).await?;
    told(operation, found)
}

pub(super) async fn status(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Queried(SessionQuery { session }): Queried<SessionQuery>,
) -> Result<Json<OperationResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let found = daemon.run(move |engine| engine.call_state(operation, &owner)).await?;
    told(operation, found)
}

fn told(operation_id: CallId, found: Option<CallState>) -> Result<Json<OperationResponse>, Fault> {
    let state = found.ok_or_else(|| Fault::unknown("operation"))?;
    Ok(Json(OperationResponse { operation_id, state: state.into() }))
}

pub(super) async fn cancel(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<ReportResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let taken = daemon.run(move |engine| engine.cancel(operation, &owner)).await?;
    noted(operation, taken, "nothing is asked about it any more")
}

pub(super) async fn outcome(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(ended): Body<OutcomeRequest>,
) -> Result<Json<ReportResponse>, Fault> {
    let owner = SessionOwner::new(ended.session, caller.agent);
    let report = match ended.effect {
        ReportedEffect::Done => AgentReport::Done,
        ReportedEffect::Failed => AgentReport::Failed,
        ReportedEffect::Unknown => AgentReport::Unknown,
    };
    let completion = Completion::reported(operation, owner, report);
    let taken = daemon.host.complete(completion).await?;
    noted(operation, taken, "it is not running")
}

pub(crate) fn noted(
    operation_id: CallId,
    taken: CallUpdate,
    late: &str,
) -> Result<Json<ReportResponse>, Fault> {
    match taken {
        CallUpdate::Recorded => {
            Ok(Json(ReportResponse { operation_id, state: RecordedState::Recorded }))
        }
        CallUpdate::TooLate(state) => {
            let message = format!("{late}: its state is {}", OperationState::from(state));
            Err(Fault::conflict(message, "there is nothing to do"))
        }
        CallUpdate::Unknown => Err(Fault::unknown("operation")),
    }
}

//! What becomes of a call after it was decided.

use super::check::WAIT;
use crate::Daemon;
use crate::api::{By, Shared};
use crate::body::{Body, Id, Queried};
use crate::convert::check_response;
use crate::fault::Fault;
use crate::peers::Caller;
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

pub(super) async fn redeemed(
    daemon: &Arc<Daemon>,
    caller: &Caller,
    operation: CallId,
    session: SessionName,
) -> Result<Json<CheckResponse>, Fault> {
    let agent = caller.agent.clone();
    let checked = daemon.run(move |engine| engine.retry(operation, &session, &agent)).await?;
    Ok(Json(check_response(&checked)))
}

pub(super) async fn retry(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<CheckResponse>, Fault> {
    redeemed(&daemon, &caller, operation, session).await
}

/// Waits for an answer, and says what became of the call. It redeems nothing.
pub(super) async fn wait(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(again): Body<WaitRequest>,
) -> Result<Json<OperationResponse>, Fault> {
    let limit = again.wait_ms.duration().min(WAIT);
    let found = daemon.waited(operation, &again.session, &caller, limit).await?;
    told(operation, found)
}

pub(super) async fn status(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Queried(SessionQuery { session }): Queried<SessionQuery>,
) -> Result<Json<OperationResponse>, Fault> {
    let agent = caller.agent.clone();
    let found = daemon.run(move |engine| engine.operation(operation, &session, &agent)).await?;
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
    let agent = caller.agent.clone();
    let taken = daemon.run(move |engine| engine.cancel(operation, (&session, &agent))).await?;
    noted(operation, taken, "nothing is asked about it any more")
}

pub(super) async fn outcome(
    State(daemon): Shared,
    Extension(caller): By,
    Id(operation): Id<CallId>,
    Body(ended): Body<OutcomeRequest>,
) -> Result<Json<ReportResponse>, Fault> {
    let agent = caller.agent.clone();
    let reported = match ended.effect {
        ReportedEffect::Done => Reported::Done,
        ReportedEffect::Failed => Reported::Failed,
        ReportedEffect::Unknown => Reported::Unknown,
    };
    let taken = daemon.reported(operation, (ended.session, agent), reported).await?;
    noted(operation, taken, "it is not running")
}

pub(crate) fn noted(
    operation_id: CallId,
    taken: Taken,
    late: &str,
) -> Result<Json<ReportResponse>, Fault> {
    match taken {
        Taken::Noted => Ok(Json(ReportResponse { operation_id, state: RecordedState::Recorded })),
        Taken::TooLate(state) => {
            let message = format!("{late}: its state is {}", OperationState::from(state));
            Err(Fault::conflict(message, "there is nothing to do"))
        }
        Taken::Unknown => Err(Fault::unknown("operation")),
    }
}

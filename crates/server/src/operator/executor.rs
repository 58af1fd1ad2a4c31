//! Reports of the operator's executors.
//!
//! Such a report makes a used approval valid again. So it is not on the agents' plane: a caller of
//! the operator's plane could approve anyway.
//!
//! See docs/decisions/0027-attesting-no-effect.md.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{ReportResponse, SessionRequest};
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Effect;
use countersign_engine::Completion;

pub(crate) async fn report_nothing_happened(
    State(daemon): ServerState,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let state = daemon.run(move |engine| engine.read_call(operation)).await?;
    let made_in = state.calls.get(&operation).map(|record| &record.call.session);
    // The operation says whose session it is, if several agents use the name.
    let named = made_in.filter(|made_in| made_in.is_meant_by(session.as_str()));
    let session = named.ok_or_else(|| ApiError::unknown("operation"))?.clone();
    let completion = Completion::attested(operation, session, Effect::Nothing);
    Ok(Json(daemon.host.record_outcome(operation, completion).await?))
}

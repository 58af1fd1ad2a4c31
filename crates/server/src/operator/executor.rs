//! Reports of the operator's executors.
//!
//! Such a report makes a used approval valid again. So it is not on the agents' plane: a caller of
//! the operator's plane could approve anyway.

use crate::agent::report_response;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{ReportResponse, SessionRequest};
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Effect;
use countersign_engine::Completion;

pub(super) async fn report_nothing_happened(
    State(daemon): ServerState,
    PathParam(operation): PathParam<CallId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    let completion = Completion::attested(operation, session, Effect::Nothing);
    let update = daemon.host.complete(completion).await?;
    report_response(operation, update, "the call is not running")
}

//! What executors of the operator's report. It can give a yes back, and so it is said here and
//! never on the agents' plane: whoever comes in here could say yes anyway.

use crate::agent::noted;
use crate::api::Shared;
use crate::body::{Body, Id};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{ReportResponse, SessionRequest};
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Effect;
use countersign_engine::Completion;

pub(super) async fn nothing_happened(
    State(daemon): Shared,
    Id(operation): Id<CallId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<ReportResponse>, Fault> {
    let completion = Completion::attested(operation, session, Effect::Nothing);
    let taken = daemon.host.complete(completion).await?;
    noted(operation, taken, "it is not running")
}

//! Ends an own session.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{EndSessionReason, EndSessionRequest, EndSessionResponse};
use countersign_core::model::words::SessionEnder;
use countersign_engine::SessionOwner;

pub(super) async fn end_session(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(EndSessionRequest { session, reason }): JsonBody<EndSessionRequest>,
) -> Result<Json<EndSessionResponse>, ApiError> {
    if reason == EndSessionReason::Cleared {
        caller.check_adapter_field("reason", Some(&reason))?;
        daemon.host.clear_session(SessionOwner::new(&session, caller.agent.clone())).await?;
        return Ok(Json(EndSessionResponse { agent: caller.agent, session, ended: false }));
    }
    let by = match caller.kind {
        CallerKind::Agent => SessionEnder::Agent,
        CallerKind::Adapter => SessionEnder::Adapter,
    };
    let key = caller.session(&session);
    let ended = daemon.run(move |engine| engine.end_session(&key, by)).await?;
    Ok(Json(EndSessionResponse { agent: caller.agent, session, ended }))
}

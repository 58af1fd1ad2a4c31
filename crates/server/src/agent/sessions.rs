//! Ends an own session, or relates it to that of the agent that started its agent.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    EndSessionReason, EndSessionRequest, EndSessionResponse, RecordedState, SubAgentRequest,
    SubAgentResponse,
};
use countersign_core::model::names::SessionKey;
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
        CallerKind::Agent | CallerKind::Application(_) => SessionEnder::Agent,
        CallerKind::Adapter => SessionEnder::Adapter,
    };
    let key = caller.session(&session);
    let ended = daemon.run(move |engine| engine.end_session(&key, by)).await?;
    Ok(Json(EndSessionResponse { agent: caller.agent, session, ended }))
}

pub(super) async fn join(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<SubAgentRequest>,
) -> Result<Json<SubAgentResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    let other = body.above_agent.as_ref().filter(|above| **above != caller.agent);
    caller.check_adapter_field("above_agent", other)?;
    let above = SessionKey::new(body.above_agent.as_ref().unwrap_or(&caller.agent), &body.above);
    let owner = SessionOwner::new(&body.session, caller.agent.clone());
    daemon.host.join_session(owner, body.project, above).await?;
    let (agent, state) = (caller.agent, RecordedState::Recorded);
    Ok(Json(SubAgentResponse { agent, session: body.session, state }))
}

//! Asks for permission before there is a call, and reads the answer now or later.

use super::limit_wait;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    AskAheadRequest, AskAheadResponse, SessionQuery, SessionRequest, WaitRequest, WithdrawnResponse,
};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::AskAhead;
use countersign_engine::SessionOwner;
use std::time::Duration;

pub(super) async fn ask_ahead(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<AskAheadRequest>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    let draft = AheadDraft {
        session: caller.session(&body.session),
        agent: caller.agent,
        project: body.project,
        ahead: AskAhead {
            text: body.action.into(),
            category: body.category,
            scope: body.scope.scope(),
            reason: body.reasoning.into(),
            fallback: body.fallback.into(),
        },
        parking: body.park.into(),
    };
    Ok(Json(daemon.host.ask_ahead(draft, limit_wait(body.wait_ms)).await?))
}

pub(super) async fn get_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<RequestId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.wait_for_question(id, &owner, Duration::ZERO).await?))
}

pub(super) async fn wait_for_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<RequestId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    let owner = SessionOwner::new(&body.session, caller.agent);
    Ok(Json(daemon.host.wait_for_question(id, &owner, limit_wait(body.wait_ms)).await?))
}

pub(super) async fn cancel_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<RequestId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<WithdrawnResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.withdraw_question(id, owner).await?))
}

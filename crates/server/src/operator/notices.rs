//! Notices: messages to the operator without a question.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::notice_views::view_notices;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{AcknowledgeResponse, EmptyRequest, NoticesResponse};
use countersign_core::model::ids::NoticeId;
use countersign_core::model::names::SurfaceName;

pub(crate) async fn list_notices(
    State(daemon): ServerState,
) -> Result<Json<NoticesResponse>, ApiError> {
    let notices = daemon.run(|engine| engine.open_notices()).await?;
    Ok(Json(NoticesResponse { notices: view_notices(&daemon, &notices).await? }))
}

pub(crate) async fn acknowledge_notice(
    State(daemon): ServerState,
    PathParam(id): PathParam<NoticeId>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<AcknowledgeResponse>, ApiError> {
    let surface = SurfaceName::parse("operator").map_err(ApiError::unreadable)?;
    let is_acknowledged = daemon.run(move |engine| engine.acknowledge_notice(id, &surface)).await?;
    match is_acknowledged {
        true => Ok(Json(AcknowledgeResponse { acknowledged: id })),
        false => Err(ApiError::unknown("open notice")),
    }
}

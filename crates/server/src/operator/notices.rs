//! Notices: messages to the operator without a question.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{AcknowledgeResponse, EmptyRequest, NoticeView, NoticesResponse};
use countersign_card::CardContext;
use countersign_core::model::ids::{CallId, NoticeId};
use countersign_core::model::names::SurfaceName;
use countersign_core::model::notice::Notice;
use std::sync::Arc;

pub(super) async fn list_notices(
    State(daemon): ServerState,
) -> Result<Json<NoticesResponse>, ApiError> {
    let notices = daemon.run(|engine| engine.open_notices()).await?;
    Ok(Json(NoticesResponse { notices: view_notices(&daemon, &notices).await? }))
}

/// Notices, with what became of the calls that they are about.
pub(crate) async fn view_notices(
    daemon: &Arc<Daemon>,
    notices: &[Notice],
) -> Result<Vec<NoticeView>, ApiError> {
    let calls: Vec<CallId> = notices.iter().filter_map(|notice| notice.call).collect();
    let state = daemon.run(move |engine| engine.read_calls(calls)).await?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let context = CardContext { graph: graph.as_deref(), state: &state, now };
    Ok(notices.iter().map(|notice| NoticeView::from(notice).with_call(context)).collect())
}

pub(super) async fn acknowledge_notice(
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

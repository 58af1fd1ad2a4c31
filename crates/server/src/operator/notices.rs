//! What an operator is told without being asked.

use crate::api::Shared;
use crate::body::{Body, Id};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{AcknowledgeResponse, EmptyRequest, NoticeView, NoticesResponse};
use countersign_core::model::ids::NoticeId;
use countersign_core::model::names::SurfaceName;

pub(super) async fn all(State(daemon): Shared) -> Result<Json<NoticesResponse>, Fault> {
    let notices = daemon.run(|engine| engine.open_notices()).await?;
    Ok(Json(NoticesResponse { notices: notices.iter().map(NoticeView::from).collect() }))
}

pub(super) async fn acknowledge(
    State(daemon): Shared,
    Id(id): Id<NoticeId>,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<AcknowledgeResponse>, Fault> {
    let surface = SurfaceName::parse("operator").map_err(Fault::unreadable)?;
    let done = daemon.run(move |engine| engine.acknowledge_notice(id, &surface)).await?;
    match done {
        true => Ok(Json(AcknowledgeResponse { acknowledged: id })),
        false => Err(Fault::unknown("open notice")),
    }
}

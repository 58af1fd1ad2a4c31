//! Looking at the graph and its project grants again.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use crate::wire::{Nothing, Reviewed, ReviewedState};
use axum::Json;
use axum::extract::State;

pub(super) async fn reviewed(
    State(daemon): Shared,
    Body(Nothing {}): Body<Nothing>,
) -> Result<Json<Reviewed>, Fault> {
    daemon.run(|engine| engine.review()).await?;
    Ok(Json(Reviewed { state: ReviewedState::Reviewed }))
}

//! How the daemon is.

use crate::api::Shared;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::StatusResponse;

pub(super) async fn status(State(daemon): Shared) -> Result<Json<StatusResponse>, Fault> {
    let graph = daemon.graph()?;
    let look = daemon.run(|engine| {
        Ok((engine.count_open_requests()?, engine.open_notices()?.len(), engine.read_globals()?))
    });
    let (open_requests, open_notices, everybody) = look.await?;
    Ok(Json(StatusResponse {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        assurance: daemon.assurance.to_owned(),
        graph: graph.map(|graph| graph.hash),
        open_requests,
        open_notices,
        paused: everybody.paused.iter().cloned().collect(),
        presence: everybody.presence,
    }))
}

//! How the daemon is.

use crate::api::Shared;
use crate::fault::Fault;
use crate::wire::StatusForm;
use axum::Json;
use axum::extract::State;

pub(super) async fn status(State(daemon): Shared) -> Result<Json<StatusForm>, Fault> {
    let graph = daemon.graph()?;
    let (asked, notices) = daemon.run(|engine| Ok((engine.asked()?, engine.notices()?))).await?;
    let now = daemon.now();
    let open = asked.requests.values().filter(|request| request.is_open(now)).count();
    Ok(Json(StatusForm {
        version: env!("CARGO_PKG_VERSION"),
        assurance: daemon.assurance(),
        graph: graph.map(|graph| graph.hash),
        open_requests: open,
        open_notices: notices.len(),
        paused: asked.paused.iter().cloned().collect(),
        presence: asked.presence,
    }))
}

//! Who is there, and which agents have to wait.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use crate::wire::{Pause, Paused, Present, Resumed};
use axum::Json;
use axum::extract::State;

pub(super) async fn pause(
    State(daemon): Shared,
    Body(Pause { agent }): Body<Pause>,
) -> Result<Json<Paused>, Fault> {
    let paused = agent.clone();
    daemon.run(move |engine| engine.pause(&agent)).await?;
    Ok(Json(Paused { paused }))
}

pub(super) async fn resume(
    State(daemon): Shared,
    Body(Pause { agent }): Body<Pause>,
) -> Result<Json<Resumed>, Fault> {
    let resumed = agent.clone();
    daemon.run(move |engine| engine.resume(&agent)).await?;
    Ok(Json(Resumed { resumed }))
}

pub(super) async fn presence(
    State(daemon): Shared,
    Body(Present { presence }): Body<Present>,
) -> Result<Json<Present>, Fault> {
    daemon.run(move |engine| engine.presence(presence)).await?;
    Ok(Json(Present { presence }))
}

//! Who is there, and which agents have to wait.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    PauseRequest, PauseResponse, PresenceRequest, PresenceResponse, ResumeRequest, ResumeResponse,
};

pub(super) async fn pause(
    State(daemon): Shared,
    Body(PauseRequest { agent }): Body<PauseRequest>,
) -> Result<Json<PauseResponse>, Fault> {
    let paused = agent.clone();
    daemon.run(move |engine| engine.pause_agent(&agent)).await?;
    Ok(Json(PauseResponse { paused }))
}

pub(super) async fn resume(
    State(daemon): Shared,
    Body(ResumeRequest { agent }): Body<ResumeRequest>,
) -> Result<Json<ResumeResponse>, Fault> {
    let resumed = agent.clone();
    daemon.run(move |engine| engine.resume_agent(&agent)).await?;
    Ok(Json(ResumeResponse { resumed }))
}

pub(super) async fn presence(
    State(daemon): Shared,
    Body(PresenceRequest { surface, presence }): Body<PresenceRequest>,
) -> Result<Json<PresenceResponse>, Fault> {
    let found = daemon.host.report_presence(surface, presence).await?;
    let presence = found.ok_or_else(|| {
        let message = "no surface of this name looks at events";
        Fault::conflict(message, "open the event stream with its name as `surface` first")
    })?;
    Ok(Json(PresenceResponse { presence }))
}

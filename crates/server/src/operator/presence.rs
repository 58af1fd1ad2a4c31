//! The presence of surfaces, and the pause of agents.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    PauseRequest, PauseResponse, PresenceRequest, PresenceResponse, ResumeRequest, ResumeResponse,
};

pub(super) async fn pause_agent(
    State(daemon): ServerState,
    JsonBody(PauseRequest { agent }): JsonBody<PauseRequest>,
) -> Result<Json<PauseResponse>, ApiError> {
    let paused = agent.clone();
    daemon.run(move |engine| engine.pause_agent(&agent)).await?;
    Ok(Json(PauseResponse { paused }))
}

pub(super) async fn resume_agent(
    State(daemon): ServerState,
    JsonBody(ResumeRequest { agent }): JsonBody<ResumeRequest>,
) -> Result<Json<ResumeResponse>, ApiError> {
    let resumed = agent.clone();
    daemon.run(move |engine| engine.resume_agent(&agent)).await?;
    Ok(Json(ResumeResponse { resumed }))
}

pub(super) async fn report_presence(
    State(daemon): ServerState,
    JsonBody(PresenceRequest { surface, presence }): JsonBody<PresenceRequest>,
) -> Result<Json<PresenceResponse>, ApiError> {
    let combined = daemon.host.report_presence(surface, presence).await?;
    let presence = combined.ok_or_else(|| {
        let message = "no surface with this name has an open event stream";
        ApiError::conflict(message, "first open the event stream with its name as `surface`")
    })?;
    Ok(Json(PresenceResponse { presence }))
}

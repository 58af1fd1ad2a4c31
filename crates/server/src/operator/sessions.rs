//! Open sessions, ending one, and finding the one that an operator names.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::limits::SESSIONS_LISTED;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    EndSessionReason, EndSessionRequest, EndSessionResponse, SessionView, SessionsResponse,
    Timestamp,
};
use countersign_core::model::names::{SessionKey, SessionName};
use countersign_core::model::words::SessionEnder;
use std::sync::Arc;

pub(crate) async fn list_sessions(
    State(daemon): ServerState,
) -> Result<Json<SessionsResponse>, ApiError> {
    let open = daemon.run(|engine| engine.list_open_sessions(SESSIONS_LISTED)).await?;
    let view = |(key, session): (SessionKey, countersign_core::state::Session)| SessionView {
        session: key.to_name(),
        opening: session.opening,
        active_at: Timestamp(session.active_at),
        idles_out_at: Timestamp(session.idles_out_at()),
        agent: session.agent,
        project: session.project,
    };
    Ok(Json(SessionsResponse { sessions: open.into_iter().map(view).collect() }))
}

pub(crate) async fn end_session(
    State(daemon): ServerState,
    JsonBody(EndSessionRequest { session, reason }): JsonBody<EndSessionRequest>,
) -> Result<Json<EndSessionResponse>, ApiError> {
    if reason == EndSessionReason::Cleared {
        let remedy = "leave `reason` out";
        return Err(ApiError::invalid(
            "only an adapter reports that a session was cleared",
            remedy,
        ));
    }
    let key = find_session(&daemon, session).await?;
    let (agent, session) = (key.to_agent(), key.to_name());
    let ended = daemon.run(move |engine| engine.end_session(&key, SessionEnder::Operator)).await?;
    Ok(Json(EndSessionResponse { agent, session, ended }))
}

/// The session that the operator means by `NAME` or `AGENT/NAME`.
pub(crate) async fn find_session(
    daemon: &Arc<Daemon>,
    named: SessionName,
) -> Result<SessionKey, ApiError> {
    find_optional_session(daemon, named).await?.ok_or_else(|| ApiError::unknown("session"))
}

/// The same; none if there is no such session.
pub(crate) async fn find_optional_session(
    daemon: &Arc<Daemon>,
    named: SessionName,
) -> Result<Option<SessionKey>, ApiError> {
    let text = named.clone();
    let found = daemon.run(move |engine| engine.find_sessions(&text)).await?;
    match found.as_slice() {
        [] => Ok(None),
        [session] => Ok(Some(session.clone())),
        [..] => {
            let names: Vec<String> = found.iter().map(SessionKey::qualified_name).collect();
            let message = format!("several agents have a session `{named}`: {}", names.join(", "));
            Err(ApiError::invalid(message, "name the session as AGENT/NAME"))
        }
    }
}

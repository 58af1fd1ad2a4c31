//! The sessions that an operator names.

use crate::Daemon;
use crate::error::ApiError;
use countersign_core::model::names::{SessionKey, SessionName};
use std::sync::Arc;

/// The session that the operator means by `NAME` or `AGENT/NAME`.
pub(super) async fn find_session(
    daemon: &Arc<Daemon>,
    named: SessionName,
) -> Result<SessionKey, ApiError> {
    find_optional_session(daemon, named).await?.ok_or_else(|| ApiError::unknown("session"))
}

/// The same; none if there is no such session.
pub(super) async fn find_optional_session(
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

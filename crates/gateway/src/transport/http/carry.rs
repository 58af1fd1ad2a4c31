//! A connection that a client offers for the server that it runs.

use super::admitted_agent::AdmittedAgent;
use super::upgrade::{ClientUpgrade, refuse};
use crate::session::Sessions;
use axum::extract::{Request, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A client that runs its server itself offers a connection for it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarryRequest {
    /// The secret that the client named when it connected.
    pub carrier: String,
}

pub(super) async fn carry(
    State(sessions): State<Arc<Sessions>>,
    agent: AdmittedAgent,
    request: Request,
) -> Response {
    let (wanted, upgrade) = match ClientUpgrade::read::<CarryRequest>(request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    match sessions.carriers.find(agent.name(), &wanted.carrier) {
        Some(port) => upgrade.accept(async move |stream| port.offer(stream)),
        None => refuse("no client of this agent is connected with this secret", "connect first"),
    }
}

//! How clients reach the gateway over the daemon's HTTP.

mod admitted_agent;
mod carry;
mod connect;
mod endpoint;
mod session_id;
mod sessions;
mod stream;
mod upgrade;

pub use carry::CarryRequest;
pub use connect::{ConnectRequest, ConnectServer};
pub(crate) use sessions::HttpSessions;
pub use upgrade::UPGRADE;

use crate::session::Sessions;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// The path at which a stream of lines starts.
pub const CONNECT_PATH: &str = "/v1/mcp/connect";

/// The path at which a client offers a connection for the server that it runs.
pub const CARRY_PATH: &str = "/v1/mcp/carry";

/// For MCP clients on HTTP.
pub(crate) fn client_routes(sessions: Arc<HttpSessions>) -> Router {
    let endpoint = || get(endpoint::get).post(endpoint::post).delete(endpoint::delete);
    Router::new().route("/mcp", endpoint()).route("/mcp/{server}", endpoint()).with_state(sessions)
}

/// For the agents' socket alone.
pub(crate) fn socket_routes(sessions: Arc<Sessions>) -> Router {
    Router::new()
        .route(CONNECT_PATH, post(connect::connect))
        .route(CARRY_PATH, post(carry::carry))
        .with_state(sessions)
}

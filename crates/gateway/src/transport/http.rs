//! How clients reach the gateway over the daemon's HTTP.

mod admitted_agent;
mod connect;
mod endpoint;
mod session_id;
mod sessions;
mod stream;

pub use connect::{ConnectRequest, ConnectServer, UPGRADE};
pub(crate) use sessions::HttpSessions;

use crate::session::Sessions;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// The path at which a stream of lines starts.
pub const CONNECT_PATH: &str = "/v1/mcp/connect";

/// For MCP clients on HTTP.
pub(crate) fn client_routes(sessions: Arc<HttpSessions>) -> Router {
    let endpoint = || get(endpoint::get).post(endpoint::post).delete(endpoint::delete);
    Router::new().route("/mcp", endpoint()).route("/mcp/{server}", endpoint()).with_state(sessions)
}

/// For the agents' socket alone.
pub(crate) fn socket_routes(sessions: Arc<Sessions>) -> Router {
    Router::new().route(CONNECT_PATH, post(connect::connect)).with_state(sessions)
}

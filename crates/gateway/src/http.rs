//! How clients reach the gateway over the daemon's HTTP.

mod caller;
mod connect;
mod endpoint;
mod sessions;
mod stream;

pub use connect::{ConnectRequest, ConnectServer, UPGRADE};
pub(crate) use sessions::HttpSessions;

use crate::gateway::Gateway;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// The path at which a stream of lines starts.
pub const CONNECT_PATH: &str = "/v1/mcp/connect";

impl Gateway {
    /// Routes for MCP clients on HTTP: all added servers together, or one of them under its own names.
    pub fn routes(self: &Arc<Self>) -> Router {
        let endpoint = || get(endpoint::get).post(endpoint::post).delete(endpoint::delete);
        Router::new()
            .route("/mcp", endpoint())
            .route("/mcp/{server}", endpoint())
            .with_state(Arc::clone(self))
    }

    /// Routes for the agents' socket alone: a client there names the server that it wants. The
    /// requests carry the agent's name, its principal and its project as extensions.
    pub fn socket_routes(self: &Arc<Self>) -> Router {
        Router::new().route(CONNECT_PATH, post(connect::connect)).with_state(Arc::clone(self))
    }
}

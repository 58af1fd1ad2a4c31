//! How clients reach the gateway over the daemon's HTTP.

mod connect;

pub use connect::{ConnectRequest, ConnectServer, UPGRADE};

use crate::gateway::Gateway;
use axum::Router;
use axum::routing::post;
use std::sync::Arc;

/// The path at which a stream of lines starts.
pub const CONNECT_PATH: &str = "/v1/mcp/connect";

impl Gateway {
    /// Routes for the agents' socket alone: a client there names the server that it wants. The
    /// requests carry the agent's name as an extension.
    pub fn socket_routes(self: &Arc<Self>) -> Router {
        Router::new().route(CONNECT_PATH, post(connect::connect)).with_state(Arc::clone(self))
    }
}

//! The gateway of one daemon.
//!
//! See docs/decisions/0078-the-daemon-hosts-the-gateway.md.

use crate::call::{SharedCalls, ToolNaming};
use crate::client_identity::ClientIdentity;
use crate::session::Sessions;
use crate::settings::GatewaySettings;
use crate::spec::ServerSpec;
use crate::transport::http::{HttpSessions, client_routes, socket_routes};
use crate::transport::serve_lines;
use axum::Router;
use countersign_host::Host;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

pub struct Gateway {
    pub(crate) shared: Arc<SharedCalls>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) http: Arc<HttpSessions>,
}

impl Gateway {
    /// Reads the pins. A file of pins that cannot be read is an error: every server and tool would
    /// count as new.
    pub fn open(host: Arc<Host>, settings: GatewaySettings) -> Result<Arc<Self>, String> {
        let shared = Arc::new(SharedCalls::open(host, settings)?);
        let sessions = Arc::new(Sessions::new(Arc::clone(&shared)));
        let http = Arc::new(HttpSessions::new(Arc::clone(&sessions)));
        Ok(Arc::new(Self { shared, sessions, http }))
    }

    /// Serves one client that has one server, until the client is gone. What is being carried out
    /// then is carried out to its end.
    pub async fn serve_single(
        &self,
        client: ClientIdentity,
        server: ServerSpec,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) {
        serve_lines(self.sessions.open(client, ToolNaming::Plain, vec![server]), stream).await;
    }

    /// Routes for MCP clients on HTTP: all added servers together, or one of them under its own names.
    pub fn routes(&self) -> Router {
        client_routes(Arc::clone(&self.http))
    }

    /// Routes for the agents' socket alone: a client there names the server that it wants. The
    /// requests carry the agent's name, its principal and its project as extensions.
    pub fn socket_routes(&self) -> Router {
        socket_routes(Arc::clone(&self.sessions))
    }
}

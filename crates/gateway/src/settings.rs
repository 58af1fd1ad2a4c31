//! What the daemon's settings say about the gateway.

use crate::spec::ServerSpec;
use std::path::PathBuf;
use std::time::Duration;

pub struct GatewaySettings {
    /// Where pins are stored.
    pub data: PathBuf,
    /// Folders that no server process may write to.
    pub own_folders: Vec<PathBuf>,
    /// How long a request waits for the operator's answer; none if it depends on the client.
    pub answer_wait: Option<Duration>,
    /// Who starts the servers that a client names.
    pub client_servers: ClientServers,
    /// Reads the servers that the operator added.
    pub servers: Box<dyn Fn() -> Result<Vec<ServerSpec>, String> + Send + Sync>,
}

/// Servers that a client names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientServers {
    /// The daemon. Clients are its own user.
    StartedByDaemon,
    /// The client itself. Clients are other users: code that they name must not run with the daemon's
    /// rights.
    StartedByClient,
}

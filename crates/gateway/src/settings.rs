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
    /// What a server gets that a client names.
    pub environment: ClientEnvironment,
    /// Reads the servers that the operator added.
    pub servers: Box<dyn Fn() -> Result<Vec<ServerSpec>, String> + Send + Sync>,
}

/// The environment of a server that a client names.
pub enum ClientEnvironment {
    /// That of the client: it runs as our own user and could start the server itself.
    Passed,
    /// This one: clients are other users, and a variable can make a program run other code.
    Replaced(Vec<(String, String)>),
}

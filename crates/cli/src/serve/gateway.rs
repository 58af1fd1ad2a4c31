//! The MCP gateway of the daemon: its settings, and its routes on the agents' plane.

use crate::settings::Settings;
use countersign_console::Failure;
use countersign_gateway::{ClientServers, Gateway, GatewaySettings};
use countersign_host::Host;
use countersign_server::{AgentAccess, AgentRoutes, Sockets};
use std::path::Path;
use std::sync::Arc;

pub(super) fn open_gateway(
    host: &Arc<Host>,
    folder: &Path,
    sockets: &Sockets,
    settings: &Settings,
) -> Result<Arc<Gateway>, Failure> {
    let mut own_folders = vec![folder.to_owned()];
    own_folders.extend(settings.graph_folder().map(Path::to_owned));
    let client_servers = match sockets.access {
        AgentAccess::OwnUser => ClientServers::StartedByDaemon,
        AgentAccess::Group(_) => ClientServers::StartedByClient,
    };
    let settings = GatewaySettings {
        data: folder.to_owned(),
        own_folders,
        answer_wait: settings.mcp_answer_wait(),
        client_servers,
        // Read again for each client, so that an added server needs no restart.
        servers: Box::new(|| {
            let servers = Settings::load().and_then(|settings| settings.mcp_servers());
            servers.map_err(|failure| failure.line())
        }),
    };
    Gateway::open(Arc::clone(host), settings)
        .map_err(|why| Failure::new(why, "repair the file, or remove it: servers then ask again"))
}

pub(super) fn gateway_routes(gateway: &Arc<Gateway>) -> AgentRoutes {
    AgentRoutes { socket: gateway.socket_routes(), everywhere: gateway.routes() }
}

//! A client of the command line: an HTTP request that becomes a stream of lines.

use super::super::stdio::serve_lines;
use super::admitted_agent::AdmittedAgent;
use super::upgrade::{ClientUpgrade, refuse};
use crate::call::ToolNaming;
use crate::client_identity::ClientIdentity;
use crate::session::Sessions;
use crate::settings::ClientServers;
use crate::spec::{
    ClientServerSpec, Confinement, Launch, ProcessSpec, ServerName, ServerOrigin, ServerSpec,
};
use axum::extract::{Request, State};
use axum::response::Response;
use countersign_core::model::names::SessionName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What a client of the command line wants.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectRequest {
    pub session: SessionName,
    /// One server that the client starts; without it, all that the operator added.
    pub server: Option<ConnectServer>,
    /// Only this one of the added servers.
    pub only: Option<String>,
}

/// A server that a client names.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectServer {
    pub name: String,
    pub command: Vec<String>,
    pub folder: PathBuf,
    pub environment: BTreeMap<String, String>,
    /// If the client runs the server itself: the secret with which it offers connections for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
}

pub(super) async fn connect(
    State(sessions): State<Arc<Sessions>>,
    agent: AdmittedAgent,
    request: Request,
) -> Response {
    let (wanted, upgrade) = match ClientUpgrade::read::<ConnectRequest>(request).await {
        Ok(read) => read,
        Err(refusal) => return refusal,
    };
    let client = agent.identity(&wanted.session);
    let (naming, servers) = match choose_servers(&sessions, &client, wanted) {
        Ok(chosen) => chosen,
        Err(why) => return refuse(&why, "check the name and the settings"),
    };
    upgrade.accept(async move |stream| {
        serve_lines(sessions.open(client, naming, servers), stream).await;
    })
}

fn choose_servers(
    sessions: &Sessions,
    client: &ClientIdentity,
    request: ConnectRequest,
) -> Result<(ToolNaming, Vec<ServerSpec>), String> {
    let settings = &sessions.shared.settings;
    let Some(wanted) = request.server else {
        let mut servers = (settings.servers)()?;
        let only = request.only.as_deref();
        servers.retain(|server| only.is_none_or(|only| server.name.as_str() == only));
        return Ok((ToolNaming::Prefixed, servers));
    };
    let name = ServerName::parse(&wanted.name).map_err(|error| error.to_string())?;
    let (command, folder) = (wanted.command, wanted.folder);
    let launch = match (settings.client_servers, wanted.carrier) {
        (ClientServers::StartedByDaemon, None) => Launch::Process(ProcessSpec {
            command,
            folder: Some(folder),
            environment: wanted.environment.into_iter().collect(),
            confinement: Confinement::OwnFoldersReadOnly,
        }),
        (ClientServers::StartedByClient, Some(ticket)) => {
            let port = sessions.carriers.open(&client.owner.agent, ticket)?;
            Launch::AtClient(ClientServerSpec { command, folder, port })
        }
        (ClientServers::StartedByClient, None) => {
            return Err(format!(
                "`{name}` is not started: the daemon is another user than its agents, so a server that an \
                 agent names runs at its client; this client is older, or does not see whose the daemon is"
            ));
        }
        (ClientServers::StartedByDaemon, Some(_)) => {
            return Err(format!("`{name}` is not run by its client: the daemon starts it itself"));
        }
    };
    Ok((ToolNaming::Plain, vec![ServerSpec { name, launch, origin: ServerOrigin::Client }]))
}

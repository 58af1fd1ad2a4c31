//! A client of the command line: an HTTP request that becomes a stream of lines.

use super::super::stdio::serve_lines;
use super::admitted_agent::AdmittedAgent;
use super::stream::json_response;
use crate::call::ToolNaming;
use crate::limits;
use crate::session::Sessions;
use crate::settings::{ClientServers, GatewaySettings};
use crate::spec::{Confinement, Launch, ProcessSpec, ServerName, ServerOrigin, ServerSpec};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, UPGRADE as UPGRADE_HEADER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use countersign_core::encoding::json;
use countersign_core::model::names::SessionName;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The protocol that the connection is upgraded to.
pub const UPGRADE: &str = "countersign-mcp";

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
}

pub(super) async fn connect(
    State(sessions): State<Arc<Sessions>>,
    agent: AdmittedAgent,
    request: Request,
) -> Response {
    let is_upgrade = request.headers().get(UPGRADE_HEADER).is_some_and(|name| name == UPGRADE);
    if !is_upgrade {
        let remedy = "use `countersign mcp wrap` or `countersign mcp serve`";
        return refuse("this route starts a stream of MCP messages", remedy);
    }
    let (parts, body) = request.into_parts();
    let wanted = match read_body(body).await {
        Ok(wanted) => wanted,
        Err(why) => return refuse(&why, "check the version of the program that sent it"),
    };
    let client = agent.identity(&wanted.session);
    let settings = &sessions.shared.settings;
    let (naming, servers) = match choose_servers(settings, wanted.server, wanted.only.as_deref()) {
        Ok(chosen) => chosen,
        Err(why) => return refuse(&why, "check the name and the settings"),
    };
    let upgraded = hyper::upgrade::on(axum::http::Request::from_parts(parts, ()));
    tokio::spawn(async move {
        let Ok(stream) = upgraded.await else { return };
        serve_lines(sessions.open(client, naming, servers), TokioIo::new(stream)).await;
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(UPGRADE_HEADER, HeaderValue::from_static(UPGRADE));
    response
}

async fn read_body(body: Body) -> Result<ConnectRequest, String> {
    let bytes = to_bytes(body, limits::CONNECT_BYTES).await;
    let bytes = bytes.map_err(|_| "the request is too large".to_owned())?;
    let value = json::parse(&bytes).map_err(|error| error.to_string())?;
    ConnectRequest::deserialize(value).map_err(|error| error.to_string())
}

fn choose_servers(
    settings: &GatewaySettings,
    wanted: Option<ConnectServer>,
    only: Option<&str>,
) -> Result<(ToolNaming, Vec<ServerSpec>), String> {
    let Some(wanted) = wanted else {
        let mut servers = (settings.servers)()?;
        servers.retain(|server| only.is_none_or(|only| server.name.as_str() == only));
        return Ok((ToolNaming::Prefixed, servers));
    };
    let name = ServerName::parse(&wanted.name).map_err(|error| error.to_string())?;
    if settings.client_servers == ClientServers::Refused {
        return Err(format!(
            "`{name}` is not started: the daemon is another user than its agents, and a server that \
             an agent names would have the daemon's rights. Ask the operator to run `countersign \
             mcp add {name} -- COMMAND`, and use `countersign mcp serve`"
        ));
    }
    let environment = wanted.environment.into_iter().collect();
    let process = ProcessSpec {
        command: wanted.command,
        folder: Some(wanted.folder),
        environment,
        confinement: Confinement::OwnFoldersReadOnly,
    };
    let launch = Launch::Process(process);
    Ok((ToolNaming::Plain, vec![ServerSpec { name, launch, origin: ServerOrigin::Client }]))
}

/// An error in the form of the daemon's other routes.
fn refuse(message: &str, remedy: &str) -> Response {
    let body = json!({"error": {"code": "invalid", "message": message, "remedy": remedy}});
    json_response(StatusCode::UNPROCESSABLE_ENTITY, body.to_string())
}

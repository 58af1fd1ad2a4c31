//! A client of the command line: an HTTP request that becomes a stream of lines.

use super::caller::Caller;
use crate::gateway::{ClientEnvironment, Gateway};
use crate::limits;
use crate::spec::{Confinement, Launch, Origin, ProcessSpec, ServerName, ServerSpec};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, UPGRADE as UPGRADE_HEADER};
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
    State(gateway): State<Arc<Gateway>>,
    caller: Caller,
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
    let client = caller.identity(&wanted.session);
    let servers = match gateway.choose_servers(wanted.server, wanted.only.as_deref()) {
        Ok(servers) => servers,
        Err(why) => return refuse(&why, "check the name and the settings"),
    };
    let upgraded = hyper::upgrade::on(axum::http::Request::from_parts(parts, ()));
    tokio::spawn(async move {
        let Ok(stream) = upgraded.await else { return };
        let stream = TokioIo::new(stream);
        match servers {
            ChosenServers::One(server) => gateway.serve_single(client, *server, stream).await,
            ChosenServers::Added(servers) => gateway.serve_many(client, servers, stream).await,
        }
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(UPGRADE_HEADER, HeaderValue::from_static(UPGRADE));
    response
}

enum ChosenServers {
    One(Box<ServerSpec>),
    Added(Vec<ServerSpec>),
}

async fn read_body(body: Body) -> Result<ConnectRequest, String> {
    let bytes = to_bytes(body, limits::CONNECT_BYTES).await;
    let bytes = bytes.map_err(|_| "the request is too large".to_owned())?;
    let value = json::parse(&bytes).map_err(|error| error.to_string())?;
    ConnectRequest::deserialize(value).map_err(|error| error.to_string())
}

impl Gateway {
    fn choose_servers(
        &self,
        wanted: Option<ConnectServer>,
        only: Option<&str>,
    ) -> Result<ChosenServers, String> {
        let Some(wanted) = wanted else {
            let mut servers = (self.settings.servers)()?;
            servers.retain(|server| only.is_none_or(|only| server.name.as_str() == only));
            return Ok(ChosenServers::Added(servers));
        };
        let name = ServerName::parse(&wanted.name).map_err(|error| error.to_string())?;
        let environment = match &self.settings.environment {
            ClientEnvironment::Passed => wanted.environment.into_iter().collect(),
            ClientEnvironment::Replaced(own) => own.clone(),
        };
        let process = ProcessSpec {
            command: wanted.command,
            folder: Some(wanted.folder),
            environment,
            confinement: Confinement::OwnFoldersReadOnly,
        };
        let launch = Launch::Process(process);
        Ok(ChosenServers::One(Box::new(ServerSpec { name, launch, origin: Origin::Client })))
    }
}

/// An error in the form of the daemon's other routes.
fn refuse(message: &str, remedy: &str) -> Response {
    let body = json!({"error": {"code": "invalid", "message": message, "remedy": remedy}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

//! The HTTP endpoint for MCP clients: streamable HTTP of both eras.
//!
//! In the modern era every request stands alone; one relay per agent and session keeps the servers.
//! In the legacy era `initialize` opens a session, which has a relay of its own.

use super::caller::Caller;
use super::sessions::{ClientSession, SessionChoice};
use super::stream::respond;
use crate::call::mirrored::MirroredHeaders;
use crate::client_identity::ClientIdentity;
use crate::era::{ClientHello, Era, META_VERSION, MODERN};
use crate::gateway::Gateway;
use crate::http_headers::check_headers;
use crate::limits;
use crate::relay::{Cancel, Incoming, Relay, Reply};
use crate::wire::json_text::find;
use crate::wire::message::{error_object, error_response};
use crate::wire::{Kind, Message};
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use countersign_core::model::names::{NameError, SessionName};
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The header with the id of a legacy session.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

#[derive(Deserialize)]
pub(super) struct EndpointQuery {
    session: Option<SessionName>,
}

/// The one server that a path names, if it names one.
pub(super) type NamedServer = Option<Path<String>>;

pub(super) async fn post(
    State(gateway): State<Arc<Gateway>>,
    caller: Caller,
    Query(query): Query<EndpointQuery>,
    server: NamedServer,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, limits::MESSAGE_BYTES).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "", -32600, "the message is too long");
    };
    let Ok(text) = String::from_utf8(bytes.to_vec()) else {
        return refuse(StatusCode::BAD_REQUEST, "", -32700, "the message is not UTF-8");
    };
    let message = match Message::parse(text) {
        Ok(message) => message,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, "", -32700, &error.to_string()),
    };
    let Ok(client) = identify(&query, caller) else { return empty(StatusCode::BAD_REQUEST) };
    let server = server.map(|Path(name)| name);
    match era_of(&parts.headers, &message) {
        Era::Modern => gateway.answer_modern(client, server, &parts.headers, message).await,
        Era::Legacy => gateway.answer_legacy(client, server, &parts.headers, message).await,
    }
}

/// By the body; a request of the modern version whose body does not name it is a mistake in that era.
fn era_of(headers: &HeaderMap, message: &Message) -> Era {
    let is_modern = |value: &HeaderValue| value.as_bytes() == MODERN.as_bytes();
    match find(message.params(), &["_meta", META_VERSION]) {
        Some(_) => Era::Modern,
        None if message.kind() == Kind::Request
            && headers.get("mcp-protocol-version").is_some_and(is_modern) =>
        {
            Era::Modern
        }
        None => Era::Legacy,
    }
}

/// Without a name, all clients of one agent share a session.
fn identify(query: &EndpointQuery, caller: Caller) -> Result<ClientIdentity, NameError> {
    let name = query.session.clone().map_or_else(|| SessionName::parse("mcp"), Ok)?;
    Ok(caller.identity(&name))
}

impl Gateway {
    async fn answer_modern(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: Option<String>,
        headers: &HeaderMap,
        message: Message,
    ) -> Response {
        let hello = ClientHello::from_meta(message.params());
        if message.kind() == Kind::Request && hello.is_none() {
            let what = "`_meta` must name the protocol version and the client's capabilities";
            return refuse(StatusCode::BAD_REQUEST, message.id(), -32602, what);
        }
        if let Err(why) = check_headers(headers, &message) {
            return refuse(StatusCode::BAD_REQUEST, message.id(), -32020, &why);
        }
        let capabilities = hello.map(|hello| hello.capabilities).unwrap_or_default();
        let relay = match self.find_relay(client, server, capabilities) {
            Ok(relay) => relay,
            Err(why) => return refuse(StatusCode::NOT_FOUND, message.id(), -32602, &why),
        };
        match message.kind() {
            Kind::Request => {
                let headers = MirroredHeaders::from_request(headers);
                answer_request(&relay, message, headers, Ending::CancelsRequest).await
            }
            Kind::Notification | Kind::Response => {
                let (sender, _nobody) = mpsc::channel(1);
                relay.handle(message, &Reply::new(sender)).await;
                empty(StatusCode::ACCEPTED)
            }
        }
    }

    async fn answer_legacy(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: Option<String>,
        headers: &HeaderMap,
        message: Message,
    ) -> Response {
        if message.method() == "initialize" {
            let (id, relay) = match self.open_session(client, server) {
                Ok(opened) => opened,
                Err(why) => return refuse(StatusCode::NOT_FOUND, message.id(), -32602, &why),
            };
            let mut response =
                answer_request(&relay, message, MirroredHeaders::NotUsed, Ending::LeavesRequest)
                    .await;
            if let Ok(id) = HeaderValue::from_str(&id) {
                response.headers_mut().insert(SESSION_HEADER, id);
            }
            return response;
        }
        let session = match self.find_session(&client, headers) {
            SessionChoice::Found(session) => session,
            SessionChoice::Missing => {
                let what = "name the session, or the protocol version in `_meta`";
                return refuse(StatusCode::BAD_REQUEST, message.id(), -32600, what);
            }
            SessionChoice::Unknown => {
                return refuse(StatusCode::NOT_FOUND, message.id(), -32001, "this session is over");
            }
        };
        match message.kind() {
            Kind::Request => {
                let headers = MirroredHeaders::NotUsed;
                answer_request(&session.relay, message, headers, Ending::LeavesRequest).await
            }
            Kind::Notification | Kind::Response => {
                let (sender, _nobody) = mpsc::channel(1);
                session.relay.handle(message, &Reply::new(sender)).await;
                empty(StatusCode::ACCEPTED)
            }
        }
    }
}

/// What the end of the connection means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    CancelsRequest,
    LeavesRequest,
}

async fn answer_request(
    relay: &Arc<Relay>,
    message: Message,
    headers: MirroredHeaders,
    ending: Ending,
) -> Response {
    let (sender, receiver) = mpsc::channel(limits::CLIENT_BUFFER);
    let (id, reply) = (message.id().to_owned(), Reply::new(sender.clone()));
    let (worker, cancel) = (Arc::clone(relay), Cancel::default());
    let cancelled = cancel.clone();
    tokio::spawn(async move {
        let answering = worker.handle_single(Incoming { message, reply, cancel, headers });
        tokio::pin!(answering);
        tokio::select! {
            () = &mut answering => return,
            () = sender.closed(), if ending == Ending::CancelsRequest => cancelled.cancel(),
        }
        answering.await;
    });
    respond(receiver, &id).await
}

/// The stream of messages that belong to no request, in the legacy era.
pub(super) async fn get(
    State(gateway): State<Arc<Gateway>>,
    caller: Caller,
    Query(query): Query<EndpointQuery>,
    headers: HeaderMap,
) -> Response {
    let Ok(client) = identify(&query, caller) else { return empty(StatusCode::BAD_REQUEST) };
    match gateway.find_session(&client, &headers) {
        SessionChoice::Found(session) => open_outlet(&session),
        SessionChoice::Missing => empty(StatusCode::METHOD_NOT_ALLOWED),
        SessionChoice::Unknown => empty(StatusCode::NOT_FOUND),
    }
}

fn open_outlet(session: &ClientSession) -> Response {
    let (sender, receiver) = mpsc::channel(limits::CLIENT_BUFFER);
    session.relay.set_outlet(Some(Reply::new(sender)));
    super::stream::stream_messages(receiver, None)
}

/// Ends a legacy session.
pub(super) async fn delete(
    State(gateway): State<Arc<Gateway>>,
    caller: Caller,
    Query(query): Query<EndpointQuery>,
    headers: HeaderMap,
) -> Response {
    let Ok(client) = identify(&query, caller) else { return empty(StatusCode::BAD_REQUEST) };
    match gateway.end_session(&client, &headers) {
        SessionChoice::Found(_) => empty(StatusCode::OK),
        SessionChoice::Missing => empty(StatusCode::METHOD_NOT_ALLOWED),
        SessionChoice::Unknown => empty(StatusCode::NOT_FOUND),
    }
}

pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// An error of JSON-RPC with a status of HTTP.
pub(super) fn refuse(status: StatusCode, id: &str, code: i64, message: &str) -> Response {
    json_response(status, error_response(id, &error_object(code, message)))
}

pub(super) fn json_response(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

//! The HTTP endpoint for MCP clients: streamable HTTP of both eras.
//!
//! In the modern era every request stands alone; one session per agent and name keeps the servers.
//! In the legacy era `initialize` opens a session of its own.

use super::admitted_agent::AdmittedAgent;
use super::sessions::{HttpSession, HttpSessions, SESSION_HEADER, SessionChoice};
use super::stream::{empty, refuse, respond, stream_messages};
use crate::client::{Cancel, IncomingRequest, ReplySender};
use crate::client_identity::ClientIdentity;
use crate::limits;
use crate::session::ClientSession;
use crate::wire::{
    ClientHello, Era, META_VERSION, MODERN, Message, MessageKind, RequestHeaders, check_headers,
    find,
};
use axum::body::to_bytes;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use countersign_core::model::names::{NameError, SessionName};
use serde::Deserialize;
use std::sync::Arc;
use tokio::sync::mpsc;

#[derive(Deserialize)]
pub(super) struct EndpointQuery {
    session: Option<SessionName>,
}

/// The one server that a path names, if it names one.
pub(super) type NamedServer = Option<Path<String>>;

pub(super) async fn post(
    State(sessions): State<Arc<HttpSessions>>,
    agent: AdmittedAgent,
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
    let Ok(client) = identify(&query, agent) else { return empty(StatusCode::BAD_REQUEST) };
    let server = server.map(|Path(name)| name);
    match era_of(&parts.headers, &message) {
        Era::Modern => answer_modern(&sessions, client, server, &parts.headers, message).await,
        Era::Legacy => answer_legacy(&sessions, client, server, &parts.headers, message).await,
    }
}

/// By the body; a request of the modern version whose body does not name it is a mistake in that era.
fn era_of(headers: &HeaderMap, message: &Message) -> Era {
    let is_modern = |value: &HeaderValue| value.as_bytes() == MODERN.as_bytes();
    match find(message.params(), &["_meta", META_VERSION]) {
        Some(_) => Era::Modern,
        None if message.kind() == MessageKind::Request
            && headers.get("mcp-protocol-version").is_some_and(is_modern) =>
        {
            Era::Modern
        }
        None => Era::Legacy,
    }
}

/// Without a name, all clients of one agent share a session.
fn identify(query: &EndpointQuery, agent: AdmittedAgent) -> Result<ClientIdentity, NameError> {
    let name = query.session.clone().map_or_else(|| SessionName::parse("mcp"), Ok)?;
    Ok(agent.identity(&name))
}

async fn answer_modern(
    sessions: &HttpSessions,
    client: ClientIdentity,
    server: Option<String>,
    headers: &HeaderMap,
    message: Message,
) -> Response {
    let hello = ClientHello::from_meta(message.params());
    if message.kind() == MessageKind::Request && hello.is_none() {
        let what = "`_meta` must name the protocol version and the client's capabilities";
        return refuse(StatusCode::BAD_REQUEST, message.id(), -32602, what);
    }
    if let Err(why) = check_headers(headers, &message) {
        return refuse(StatusCode::BAD_REQUEST, message.id(), -32020, &why);
    }
    let capabilities = hello.map(|hello| hello.capabilities).unwrap_or_default();
    let session = match sessions.find_or_open(client, server, capabilities) {
        Ok(session) => session,
        Err(why) => return refuse(StatusCode::NOT_FOUND, message.id(), -32602, &why),
    };
    let headers = RequestHeaders::from_request(headers);
    answer_message(&session, message, headers, OnDisconnect::CancelRequest).await
}

async fn answer_legacy(
    sessions: &HttpSessions,
    client: ClientIdentity,
    server: Option<String>,
    headers: &HeaderMap,
    message: Message,
) -> Response {
    if message.method() == "initialize" {
        let (id, session) = match sessions.open_legacy(client, server, message.params()) {
            Ok(opened) => opened,
            Err(why) => return refuse(StatusCode::NOT_FOUND, message.id(), -32602, &why),
        };
        let mut response =
            answer_message(&session, message, RequestHeaders::NotUsed, OnDisconnect::LeaveRequest)
                .await;
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(SESSION_HEADER, id);
        }
        return response;
    }
    let session = match sessions.find_legacy(&client, server, headers) {
        SessionChoice::Found(found) => found.session,
        SessionChoice::Missing => {
            let what = "name the session, or the protocol version in `_meta`";
            return refuse(StatusCode::BAD_REQUEST, message.id(), -32600, what);
        }
        SessionChoice::Unknown => {
            return refuse(StatusCode::NOT_FOUND, message.id(), -32001, "this session is over");
        }
    };
    answer_message(&session, message, RequestHeaders::NotUsed, OnDisconnect::LeaveRequest).await
}

/// What the end of the connection means for the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnDisconnect {
    CancelRequest,
    LeaveRequest,
}

async fn answer_message(
    session: &Arc<ClientSession>,
    message: Message,
    headers: RequestHeaders,
    on_disconnect: OnDisconnect,
) -> Response {
    if message.kind() != MessageKind::Request {
        session.handle(message, &ReplySender::to_nobody()).await;
        return empty(StatusCode::ACCEPTED);
    }
    let (sender, receiver) = mpsc::channel(limits::CLIENT_BUFFER);
    let (id, reply) = (message.id().to_owned(), ReplySender::new(sender.clone()));
    let (worker, cancel) = (Arc::clone(session), Cancel::default());
    let cancelled = cancel.clone();
    tokio::spawn(async move {
        let answering = worker.handle_single(IncomingRequest { message, reply, cancel, headers });
        tokio::pin!(answering);
        tokio::select! {
            () = &mut answering => return,
            () = sender.closed(), if on_disconnect == OnDisconnect::CancelRequest => cancelled.cancel(),
        }
        answering.await;
    });
    respond(receiver, &id).await
}

/// The stream of messages that belong to no request, in the legacy era.
pub(super) async fn get(
    State(sessions): State<Arc<HttpSessions>>,
    agent: AdmittedAgent,
    Query(query): Query<EndpointQuery>,
    server: NamedServer,
    headers: HeaderMap,
) -> Response {
    let Ok(client) = identify(&query, agent) else { return empty(StatusCode::BAD_REQUEST) };
    match sessions.find_legacy(&client, server.map(|Path(name)| name), &headers) {
        SessionChoice::Found(session) => open_outlet(&session),
        SessionChoice::Missing => empty(StatusCode::METHOD_NOT_ALLOWED),
        SessionChoice::Unknown => empty(StatusCode::NOT_FOUND),
    }
}

fn open_outlet(found: &HttpSession) -> Response {
    let (sender, receiver) = mpsc::channel(limits::CLIENT_BUFFER);
    found.session.client.set_outlet(Some(ReplySender::new(sender)));
    stream_messages(receiver, None)
}

/// Ends a legacy session.
pub(super) async fn delete(
    State(sessions): State<Arc<HttpSessions>>,
    agent: AdmittedAgent,
    Query(query): Query<EndpointQuery>,
    server: NamedServer,
    headers: HeaderMap,
) -> Response {
    let Ok(client) = identify(&query, agent) else { return empty(StatusCode::BAD_REQUEST) };
    match sessions.end_legacy(&client, server.map(|Path(name)| name), &headers) {
        SessionChoice::Found(_) => empty(StatusCode::OK),
        SessionChoice::Missing => empty(StatusCode::METHOD_NOT_ALLOWED),
        SessionChoice::Unknown => empty(StatusCode::NOT_FOUND),
    }
}

//! Responses: empty, one JSON message, or a stream of events that ends with it.

use crate::limits;
use crate::wire::{Message, MessageKind, error_object, error_response};
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use std::convert::Infallible;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;

/// Answers with JSON if the response is the first message and comes soon, and with a stream
/// otherwise. A stream starts early, because some clients wait only a minute for the first byte.
#[allow(clippy::disallowed_methods, reason = "how soon a client hears something decides no call")]
pub(super) async fn respond(mut messages: mpsc::Receiver<String>, id: &str) -> Response {
    match timeout(limits::FIRST_BYTE, messages.recv()).await {
        Ok(Some(text)) if is_response(&text, id) => {
            let status = status_of(&text);
            json_response(status, text)
        }
        Ok(first) => stream_messages(messages, first),
        Err(_) => stream_messages(messages, None),
    }
}

fn is_response(text: &str, id: &str) -> bool {
    Message::parse(text.to_owned()).is_ok_and(|m| m.kind() == MessageKind::Response && m.id() == id)
}

/// The status that the protocol demands for some errors.
fn status_of(text: &str) -> StatusCode {
    let code = Message::parse(text.to_owned()).ok().and_then(|message| message.error_code());
    match code {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32020 | -32021 | -32022 | -32700) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// A stream of events, with comments while there is nothing to say.
pub(super) fn stream_messages(messages: mpsc::Receiver<String>, first: Option<String>) -> Response {
    let (sender, body) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    tokio::spawn(write_events(messages, first, sender));
    let mut response = Response::new(Body::from_stream(ReceiverStream::new(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    headers.insert(unbuffered, HeaderValue::from_static("no"));
    response
}

#[allow(clippy::disallowed_methods, reason = "how often a client hears something decides no call")]
async fn write_events(
    mut messages: mpsc::Receiver<String>,
    first: Option<String>,
    body: mpsc::Sender<Result<Bytes, Infallible>>,
) {
    let mut next = first;
    loop {
        let text = match next.take() {
            Some(text) => format!("event: message\ndata: {}\n\n", without_breaks(&text)),
            None => match timeout(limits::PROGRESS_INTERVAL, messages.recv()).await {
                Ok(None) => return,
                Ok(Some(text)) => {
                    next = Some(text);
                    continue;
                }
                Err(_) => ":\n\n".to_owned(),
            },
        };
        // Dropping the receiver tells the request that its client is gone.
        if body.send(Ok(Bytes::from(text))).await.is_err() {
            return;
        }
    }
}

/// JSON has no meaning for line breaks between its parts, and inside a text they are escaped.
fn without_breaks(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
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

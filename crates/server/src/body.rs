//! What comes in, read strictly: one JSON object, no key twice, no field that nobody knows; and
//! whatever is wrong says where.

use crate::fault::Fault;
use crate::limits;
use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use countersign_core::encoding::json;
use countersign_core::encoding::limits::ARGUMENT_BYTES;
use countersign_core::model::ids::{CallId, GrantId, NoticeId, ProposalId, RequestId, RunId};
use countersign_core::model::names::Agent;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::time::timeout;

pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Fault> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(declares_json) {
            return Err(Fault::not_json());
        }
        let bytes = in_time(to_bytes(request.into_body(), ARGUMENT_BYTES)).await?;
        let bytes = bytes.map_err(|_| Fault::too_large())?;
        let value = json::parse(&bytes).map_err(Fault::unreadable)?;
        if !value.is_object() {
            return Err(Fault::unreadable("the body is no JSON object"));
        }
        T::deserialize(value).map(Self).map_err(|error| misread::<T>(&bytes, &error))
    }
}

/// Waits as long as somebody may take to send a body. Most have come already, and need no clock.
#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn in_time<T>(body: impl Future<Output = T>) -> Result<T, Fault> {
    let mut body = pin!(body);
    if let Poll::Ready(come) = poll_fn(|cx| Poll::Ready(body.as_mut().poll(cx))).await {
        return Ok(come);
    }
    let come = timeout(limits::BODY, body).await;
    come.map_err(|_| Fault::unreadable("the body did not come in time"))
}

/// What is wrong, and where. Only for this is it read again: to keep track of the place would
/// take longer than to read.
fn misread<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error) -> Fault {
    let again = json::parse(bytes).ok().map(serde_path_to_error::deserialize::<_, T>);
    let place = again.and_then(Result::err).map(|error| error.path().to_string());
    match place.as_deref() {
        None | Some(".") => Fault::unreadable(error),
        Some(place) => Fault::unreadable(format!("`{place}`: {error}")),
    }
}

/// Whether a content type is JSON, whatever it says beside that.
pub(crate) fn declares_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// What stands behind the `?`, each field once and known.
pub struct Queried<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Queried<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Fault> {
        let is_text = parts.uri.query().is_none_or(|query| is_text(query.as_bytes()));
        if !is_text {
            return Err(Fault::unreadable_query("what stands behind the `?` is not UTF-8"));
        }
        let found = Query::<T>::try_from_uri(&parts.uri);
        let Query(found) = found.map_err(|error| Fault::unreadable_query(error.body_text()))?;
        Ok(Self(found))
    }
}

/// Whether its escapes stand for text: a reader of forms would put marks in the place of what is
/// none, and then it means something else.
fn is_text(mut query: &[u8]) -> bool {
    let mut bytes = Vec::with_capacity(query.len());
    while let Some((first, rest)) = query.split_first() {
        let escaped = rest.split_at_checked(2).filter(|_| *first == b'%');
        let byte = escaped.and_then(|(hex, rest)| {
            let hex = std::str::from_utf8(hex).ok()?;
            Some((u8::from_str_radix(hex, 16).ok()?, rest))
        });
        let (byte, rest) = byte.unwrap_or((*first, rest));
        bytes.push(byte);
        query = rest;
    }
    std::str::from_utf8(&bytes).is_ok()
}

/// An id that stands in the path. What is none is unknown, like one that nobody has.
pub struct Id<K>(pub K);

/// What can be named in a path.
pub trait Known: JsonSchema + Sized {
    const WHAT: &'static str;

    fn read(text: &str) -> Option<Self>;
}

impl<S: Send + Sync, K: Known> FromRequestParts<S> for Id<K> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = path.map_err(|error| Fault::unreadable(error.body_text()))?;
        K::read(&text).map(Self).ok_or_else(|| Fault::unknown(K::WHAT))
    }
}

macro_rules! known {
    ($($type:ident, $what:literal;)*) => {$(
        impl Known for $type {
            const WHAT: &'static str = $what;

            fn read(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )*};
}
known! {
    CallId, "operation";
    RunId, "run";
    RequestId, "request";
    NoticeId, "notice";
    ProposalId, "proposal";
    GrantId, "grant";
}

impl Known for Agent {
    const WHAT: &'static str = "agent";

    fn read(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

//! Extractors that parse strictly: one JSON object, no duplicate key, no unknown field. An error
//! names the place of the mistake.

use crate::error::ApiError;
use crate::limits;
use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use countersign_core::encoding::json;
use countersign_core::encoding::limits::ARGUMENT_BYTES;
use countersign_core::model::ids::{
    CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId,
};
use countersign_core::model::names::Agent;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::time::timeout;

pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(is_json_type) {
            return Err(ApiError::not_json());
        }
        let bytes = wait_for_body(to_bytes(request.into_body(), ARGUMENT_BYTES)).await?;
        let bytes = bytes.map_err(|_| ApiError::too_large())?;
        let value = json::parse(&bytes).map_err(ApiError::unreadable)?;
        if !value.is_object() {
            return Err(ApiError::unreadable("the body is not a JSON object"));
        }
        T::deserialize(value).map(Self).map_err(|error| locate_error::<T>(&bytes, &error))
    }
}

/// Polls once before it sets a timer, because most bodies have already arrived.
#[allow(clippy::disallowed_methods, reason = "how long a connection may take decides no call")]
async fn wait_for_body<T>(body: impl Future<Output = T>) -> Result<T, ApiError> {
    let mut body = pin!(body);
    if let Poll::Ready(received) = poll_fn(|cx| Poll::Ready(body.as_mut().poll(cx))).await {
        return Ok(received);
    }
    let received = timeout(limits::BODY_TIMEOUT, body).await;
    received.map_err(|_| ApiError::unreadable("the body did not arrive in time"))
}

/// Adds the path of the wrong field. It parses a second time, because tracking the path slows down
/// every valid request.
fn locate_error<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error) -> ApiError {
    let parsed = json::parse(bytes).ok().map(serde_path_to_error::deserialize::<_, T>);
    let path = parsed.and_then(Result::err).map(|error| error.path().to_string());
    match path.as_deref() {
        None | Some(".") => ApiError::unreadable(error),
        Some(path) => ApiError::unreadable(format!("`{path}`: {error}")),
    }
}

/// Whether a content type is JSON, with or without parameters.
pub(crate) fn is_json_type(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// The query string. Each field has to be known and occurs at most once.
pub struct QueryParams<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        if !parts.uri.query().is_none_or(|query| decodes_to_utf8(query.as_bytes())) {
            return Err(ApiError::unreadable_query("the query string is not UTF-8"));
        }
        let query = Query::<T>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|error| ApiError::unreadable_query(error.body_text()))?;
        Ok(Self(query))
    }
}

/// Whether the percent-decoded query is UTF-8. The form parser would put replacement characters
/// in place of other bytes and so change the meaning.
fn decodes_to_utf8(mut query: &[u8]) -> bool {
    let mut bytes = Vec::with_capacity(query.len());
    while let Some((first, rest)) = query.split_first() {
        let escaped = rest.split_at_checked(2).filter(|_| *first == b'%');
        let decoded = escaped.and_then(|(hex, rest)| {
            let hex = std::str::from_utf8(hex).ok()?;
            Some((u8::from_str_radix(hex, 16).ok()?, rest))
        });
        let (byte, rest) = decoded.unwrap_or((*first, rest));
        bytes.push(byte);
        query = rest;
    }
    std::str::from_utf8(&bytes).is_ok()
}

/// The fields of a form that a page of the dashboard sends.
pub(crate) async fn read_form(request: Request) -> Result<Vec<(String, String)>, ApiError> {
    let bytes = wait_for_body(to_bytes(request.into_body(), limits::MAX_FORM_BYTES)).await?;
    let bytes = bytes.map_err(|_| ApiError::too_large())?;
    if !decodes_to_utf8(&bytes) {
        return Err(ApiError::unreadable("the form is not UTF-8"));
    }
    let text = std::str::from_utf8(&bytes).map_err(ApiError::unreadable)?;
    let uri: Uri = format!("/?{text}").parse().map_err(ApiError::unreadable)?;
    let fields = Query::<Vec<(String, String)>>::try_from_uri(&uri);
    fields.map(|Query(fields)| fields).map_err(|error| ApiError::unreadable(error.body_text()))
}

/// An id in the path. A malformed id is answered like an unknown one.
pub struct PathParam<T>(pub T);

pub trait PathId: JsonSchema + Sized {
    /// What an error message calls the object.
    const OBJECT: &'static str;

    fn parse_id(text: &str) -> Option<Self>;
}

impl<S: Send + Sync, T: PathId> FromRequestParts<S> for PathParam<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = path.map_err(|error| ApiError::unreadable(error.body_text()))?;
        T::parse_id(&text).map(Self).ok_or_else(|| ApiError::unknown(T::OBJECT))
    }
}

macro_rules! path_ids {
    ($($type:ident, $object:literal;)*) => {$(
        impl PathId for $type {
            const OBJECT: &'static str = $object;

            fn parse_id(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )*};
}
path_ids! {
    CallId, "operation";
    RunId, "run";
    RequestId, "request";
    GestureId, "gesture";
    NoticeId, "notice";
    ProposalId, "proposal";
    GrantId, "grant";
}

impl PathId for Agent {
    const OBJECT: &'static str = "agent";

    fn parse_id(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

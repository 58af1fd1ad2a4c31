//! Error responses: a code for programs, a sentence and a remedy for people.

use crate::Plane;
use crate::limits;
use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use countersign_api::{ErrorBody, ErrorDetail};
use countersign_core::model::ids::RequestId;
use countersign_core::steps::may_answer::AnswerNotCounted;
use countersign_engine::{EngineError, StoreError};

#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    remedy: String,
    /// Seconds after which the client may send the request again.
    retry_after: Option<u64>,
}

/// The kinds of error responses, as the OpenAPI documents list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiErrorKind {
    Unreadable,
    Unauthenticated,
    Forbidden,
    Unknown,
    Conflict,
    TooLarge,
    NotJson,
    Invalid,
    TooMany,
    LongHead,
    Unavailable,
}

impl ApiErrorKind {
    pub const ALL: [Self; 11] = [
        Self::Unreadable,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::Unknown,
        Self::Conflict,
        Self::TooLarge,
        Self::NotJson,
        Self::Invalid,
        Self::TooMany,
        Self::LongHead,
        Self::Unavailable,
    ];
    /// Every route can return these.
    pub const ANY_ROUTE: [Self; 5] =
        [Self::Unauthenticated, Self::Forbidden, Self::TooMany, Self::LongHead, Self::Unavailable];

    pub const fn status(self) -> u16 {
        self.describe().0
    }

    pub const fn name(self) -> &'static str {
        self.describe().1
    }

    pub const fn description(self) -> &'static str {
        self.describe().2
    }

    const fn describe(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Unreadable => {
                (400, "BadRequest", "The request cannot be parsed, or has unknown fields")
            }
            Self::Unauthenticated => (401, "Unauthenticated", "The caller is not identified"),
            Self::Forbidden => (403, "Forbidden", "The caller may not do this"),
            Self::Unknown => {
                (404, "NotFound", "The object does not exist, or does not belong to the caller")
            }
            Self::Conflict => (409, "Conflict", "The object has changed meanwhile, or has ended"),
            Self::TooLarge => (413, "BodyTooLarge", "The body is too large"),
            Self::NotJson => (415, "NotJson", "The body is not declared as JSON"),
            Self::Invalid => {
                (422, "Invalid", "The request can be parsed, but it cannot be carried out")
            }
            Self::TooMany => (429, "TooManyRequests", "Too many requests; try again later"),
            Self::LongHead => (431, "HeadTooLarge", "The URL and the headers are too large"),
            Self::Unavailable => {
                (503, "Unavailable", "The daemon cannot decide; nothing was decided")
            }
        }
    }
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: String, remedy: &str) -> Self {
        Self { status, code, message, remedy: remedy.to_owned(), retry_after: None }
    }

    pub fn unreadable(message: impl ToString) -> Self {
        let remedy = "send one JSON object with the fields of the API";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message.to_string(), remedy)
    }

    pub fn unreadable_query(message: impl ToString) -> Self {
        let remedy = "put the fields of the API into the query string, each once";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message.to_string(), remedy)
    }

    pub fn bad_event_id() -> Self {
        let message = "`Last-Event-ID` is not a position in the ledger".to_owned();
        let remedy = "send the id of the last event that you received, or leave it out";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message, remedy)
    }

    pub fn not_json() -> Self {
        let message = "the body is not declared as application/json".to_owned();
        let remedy = "send `content-type: application/json`";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message, remedy)
    }

    pub fn invalid(message: impl ToString, remedy: &str) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message.to_string(), remedy)
    }

    /// An answer that does not count. The request stays open.
    pub fn not_counted(why: AnswerNotCounted, request: RequestId) -> Self {
        let (status, code) = match why {
            AnswerNotCounted::OtherVersion | AnswerNotCounted::OtherUser => {
                (StatusCode::CONFLICT, "conflict")
            }
            AnswerNotCounted::NotShown => (StatusCode::UNPROCESSABLE_ENTITY, "not_shown"),
            AnswerNotCounted::FromAgent => (StatusCode::FORBIDDEN, "forbidden"),
            AnswerNotCounted::TooRiskyForDialog
            | AnswerNotCounted::NeedsSecondYes
            | AnswerNotCounted::NeedsTypedText => (StatusCode::UNPROCESSABLE_ENTITY, "invalid"),
        };
        Self::new(status, code, why.to_string(), &why.remedy(request))
    }

    pub fn unknown(object: &str) -> Self {
        let message = format!("there is no such {object}");
        let remedy = "check the id; objects of other sessions and agents are not visible";
        Self::new(StatusCode::NOT_FOUND, "unknown", message, remedy)
    }

    pub fn unknown_session(remedy: &str) -> Self {
        let message = "there is no such session".to_owned();
        Self::new(StatusCode::NOT_FOUND, "unknown", message, remedy)
    }

    pub fn conflict(message: impl ToString, remedy: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message.to_string(), remedy)
    }

    /// The operator declined the start of a run.
    pub fn consent_denied(message: &str) -> Self {
        let remedy = "do without it, or ask the operator in another way";
        Self::new(StatusCode::CONFLICT, "consent_denied", message.to_owned(), remedy)
    }

    /// The start of a run waits for an answer.
    pub fn not_started(message: &str) -> Self {
        let remedy = "wait for the answer, or cancel the start";
        Self::new(StatusCode::CONFLICT, "pending", message.to_owned(), remedy)
    }

    pub fn unauthenticated(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", message.to_owned(), remedy)
    }

    pub fn forbidden(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message.to_owned(), remedy)
    }

    pub fn unknown_agent() -> Self {
        let message = "no agent with this name has a token".to_owned();
        let remedy = "`countersign agent ls` lists the agents that have one";
        Self::new(StatusCode::NOT_FOUND, "unknown", message, remedy)
    }

    pub fn no_credential(plane: Plane) -> Self {
        let remedy = match plane {
            Plane::Agent => {
                "send `Authorization: Bearer` with the token that `countersign agent add` printed"
            }
            Plane::Operator => {
                "send `Authorization: Bearer` with the token in the file `operator.token`"
            }
        };
        Self::unauthenticated("the request has no credential", remedy)
    }

    pub fn unknown_credential(plane: Plane) -> Self {
        let remedy = match plane {
            Plane::Agent => "it may be revoked; the operator can add the agent again",
            Plane::Operator => "read `operator.token` again; it may have been renewed",
        };
        Self::unauthenticated("this credential is unknown", remedy)
    }

    pub fn wrong_plane(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "wrong_plane", message.to_owned(), remedy)
    }

    pub fn wrong_host() -> Self {
        let message = "the request names another host".to_owned();
        let remedy = "use 127.0.0.1 with the port, or list the host name in `network.names`";
        Self::new(StatusCode::FORBIDDEN, "wrong_host", message, remedy)
    }

    pub fn cross_site() -> Self {
        let message = "the request comes from a page of another site".to_owned();
        let remedy = "send it from a program, or from a page of this host";
        Self::new(StatusCode::FORBIDDEN, "cross_site", message, remedy)
    }

    pub fn too_many(seconds: u64) -> Self {
        let message = "too many requests".to_owned();
        let remedy = format!("send it again in {seconds} s; nothing was decided");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message, &remedy);
        Self { retry_after: Some(seconds), ..error }
    }

    pub fn too_large() -> Self {
        let message = "the body is too large".to_owned();
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, "send less than 1 MiB")
    }

    pub fn bad_head() -> Self {
        let message = "this is not an HTTP/1.1 request".to_owned();
        let remedy = "send a method, a URL and headers as HTTP/1.1 defines them";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message, remedy)
    }

    pub fn long_head() -> Self {
        let message = "the URL and the headers are too large".to_owned();
        let (headers, kib) = (limits::MAX_HEADERS, limits::MAX_HEAD_BYTES >> 10);
        let remedy = format!("send at most {headers} headers, and {kib} KiB together with the URL");
        Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", message, &remedy)
    }

    pub fn no_route() -> Self {
        let message = "there is no such route".to_owned();
        Self::new(StatusCode::NOT_FOUND, "no_route", message, "see the OpenAPI document")
    }

    pub fn no_method() -> Self {
        let message = "the route does not support this method".to_owned();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "no_method", message, "see the OpenAPI document")
    }

    pub fn unavailable(message: impl ToString, remedy: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message.to_string(), remedy)
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::Contended(_) => Self::conflict(message, "send it again"),
            EngineError::Store(StoreError::Damaged { .. }) => {
                Self::unavailable(message, "no call is allowed until the record is repaired")
            }
            EngineError::Store(_) => {
                Self::unavailable(message, "nothing was decided; try again later")
            }
            EngineError::Unwritten(_) => Self::unavailable(
                message,
                "make the store available again; the daemon writes this first",
            ),
            EngineError::Damaged | EngineError::Setup(_) | EngineError::NotOpen => {
                Self::unavailable(message, "restart the daemon")
            }
        }
    }
}

impl ApiError {
    /// For a person: what is wrong and what to do.
    pub(crate) fn to_sentence(&self) -> String {
        format!("{}: {}", self.message, self.remedy)
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }

    pub fn into_parts(self) -> (StatusCode, ErrorBody) {
        let Self { status, code, message, remedy, retry_after: _ } = self;
        (status, ErrorBody { error: ErrorDetail { code: code.into(), message, remedy } })
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let retry_after = self.retry_after;
        let (status, body) = self.into_parts();
        let mut response = (status, Json(body)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

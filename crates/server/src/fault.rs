//! What is answered when something cannot be done: one word for programs, one sentence and the
//! remedy for people.

use crate::Plane;
use crate::limits;
use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use countersign_api::{ErrorBody, ErrorDetail};
use countersign_engine::{EngineError, StoreError};

#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
    remedy: String,
    /// Seconds after which it may be sent again.
    later: Option<u64>,
}

/// The kinds of refusal, as documents name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
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

impl Refusal {
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
    /// What can meet any request.
    pub const EVERYWHERE: [Self; 5] =
        [Self::Unauthenticated, Self::Forbidden, Self::TooMany, Self::LongHead, Self::Unavailable];

    pub const fn status(self) -> u16 {
        match self {
            Self::Unreadable => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::Unknown => 404,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::NotJson => 415,
            Self::Invalid => 422,
            Self::TooMany => 429,
            Self::LongHead => 431,
            Self::Unavailable => 503,
        }
    }

    /// The name and the meaning.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Unreadable => {
                ("Unreadable", "It cannot be read, or has fields that nobody knows")
            }
            Self::Unauthenticated => ("Unauthenticated", "Nobody knows who asks"),
            Self::Forbidden => ("Forbidden", "Whoever asks may not"),
            Self::Unknown => ("NotThere", "There is no such thing, or not for whoever asks"),
            Self::Conflict => ("Conflict", "It has changed meanwhile, or is over"),
            Self::TooLarge => ("TooLarge", "It is longer than is read"),
            Self::NotJson => ("NotJson", "The body is not declared as JSON"),
            Self::Invalid => ("Invalid", "It can be read, and means nothing that can be done"),
            Self::TooMany => ("TooMany", "Too much at once; later"),
            Self::LongHead => ("LongHead", "Address and headers are more than is read"),
            Self::Unavailable => ("Unavailable", "Nothing was decided"),
        }
    }
}

impl Fault {
    fn new(status: StatusCode, code: &'static str, message: String, remedy: &str) -> Self {
        Self { status, code, message, remedy: remedy.to_owned(), later: None }
    }

    pub fn unreadable(message: impl ToString) -> Self {
        let remedy = "send one JSON object with the fields that the API names";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message.to_string(), remedy)
    }

    pub fn unreadable_query(message: impl ToString) -> Self {
        let remedy = "put the fields that the API names behind the `?`, each once";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message.to_string(), remedy)
    }

    pub fn no_place() -> Self {
        let message = "`Last-Event-ID` is no place in the ledger".to_owned();
        let remedy = "send the id of the last event that was seen, or leave it out";
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

    pub fn unknown(what: &str) -> Self {
        let message = format!("there is no such {what} here");
        let remedy = "look at the id; one of another session or agent is not shown";
        Self::new(StatusCode::NOT_FOUND, "unknown", message, remedy)
    }

    pub fn conflict(message: impl ToString, remedy: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message.to_string(), remedy)
    }

    pub fn unauthenticated(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", message.to_owned(), remedy)
    }

    pub fn forbidden(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message.to_owned(), remedy)
    }

    pub fn not_enrolled() -> Self {
        let message = "no agent of this name holds a token".to_owned();
        let remedy = "`countersign agent ls` lists those that do";
        Self::new(StatusCode::NOT_FOUND, "unknown", message, remedy)
    }

    pub fn no_credential(plane: Plane) -> Self {
        let remedy = match plane {
            Plane::Agent => "send `Authorization: Bearer` with what `countersign agent add` showed",
            Plane::Operator => "send `Authorization: Bearer` with what `operator.token` holds",
        };
        Self::unauthenticated("nothing says who you are", remedy)
    }

    pub fn unknown_credential(plane: Plane) -> Self {
        let remedy = match plane {
            Plane::Agent => "it may have been revoked: the operator can add the agent again",
            Plane::Operator => "look into `operator.token` again; it may have been renewed",
        };
        Self::unauthenticated("nobody knows this credential", remedy)
    }

    pub fn wrong_plane(message: &str, remedy: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "wrong_plane", message.to_owned(), remedy)
    }

    pub fn wrong_host() -> Self {
        let message = "this is not the host that the request names".to_owned();
        let remedy = "name 127.0.0.1 and the port, or list the name as `network.names`";
        Self::new(StatusCode::FORBIDDEN, "wrong_host", message, remedy)
    }

    pub fn cross_site() -> Self {
        let message = "the request comes from a page that is not ours".to_owned();
        let remedy = "send it from a program, or from a page of this address";
        Self::new(StatusCode::FORBIDDEN, "cross_site", message, remedy)
    }

    pub fn too_many(seconds: u64) -> Self {
        let message = "more was sent than is taken in such a time".to_owned();
        let remedy = format!("send it again in {seconds} s; nothing was decided");
        let fault = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message, &remedy);
        Self { later: Some(seconds), ..fault }
    }

    pub fn too_large() -> Self {
        let message = "the request is larger than is read".to_owned();
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, "send less than 1 MiB")
    }

    pub fn no_head() -> Self {
        let message = "what came is no request that HTTP/1.1 knows".to_owned();
        let remedy = "send a method, an address and headers as HTTP writes them";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message, remedy)
    }

    pub fn long_head() -> Self {
        let message = "address and headers are more than is read".to_owned();
        let (many, long) = (limits::HEADERS, limits::HEAD_BYTES >> 10);
        let remedy = format!("send at most {many} headers, and {long} KiB with the address");
        Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", message, &remedy)
    }

    pub fn no_route() -> Self {
        let message = "there is nothing at this address".to_owned();
        Self::new(StatusCode::NOT_FOUND, "no_route", message, "see the OpenAPI document")
    }

    pub fn no_method() -> Self {
        let message = "this address does not take that method".to_owned();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "no_method", message, "see the OpenAPI document")
    }

    pub fn unavailable(message: impl ToString, remedy: &str) -> Self {
        Self::broken(message.to_string(), remedy)
    }

    fn broken(message: String, remedy: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message, remedy)
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::Contended(_) => Self::conflict(message, "send it again"),
            EngineError::Store(StoreError::Damaged { .. }) => {
                Self::broken(message, "nothing passes until somebody has looked at the record")
            }
            EngineError::Store(_) => Self::broken(message, "nothing was decided; try again later"),
            EngineError::Unwritten(_) => {
                Self::broken(message, "bring the store back; it is written before anything else")
            }
            EngineError::Damaged | EngineError::Setup(_) | EngineError::NotOpen => {
                Self::broken(message, "restart the daemon")
            }
        }
    }
}

impl Fault {
    /// The status, and what is said about it.
    pub fn told(self) -> (StatusCode, ErrorBody) {
        let Self { status, code, message, remedy, later: _ } = self;
        (status, ErrorBody { error: ErrorDetail { code: code.into(), message, remedy } })
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let later = self.later;
        let (status, wrong) = self.told();
        let mut response = (status, Json(wrong)).into_response();
        if let Some(seconds) = later {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

//! What is answered when something cannot be done: one word for programs, one sentence and the
//! remedy for people.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use countersign_engine::{EngineError, StoreError};
use serde::Serialize;

#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    code: &'static str,
    message: String,
    remedy: String,
}

#[derive(Serialize)]
struct Form<'a> {
    error: Told<'a>,
}

#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    message: &'a str,
    remedy: &'a str,
}

impl Fault {
    fn new(status: StatusCode, code: &'static str, message: String, remedy: &str) -> Self {
        Self { status, code, message, remedy: remedy.to_owned() }
    }

    pub fn unreadable(message: impl ToString) -> Self {
        let remedy = "send one JSON object with the fields that the API names";
        Self::new(StatusCode::BAD_REQUEST, "unreadable", message.to_string(), remedy)
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

    pub fn too_large() -> Self {
        let message = "the request is larger than is read".to_owned();
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, "send less than 1 MiB")
    }

    pub fn no_route() -> Self {
        let message = "there is nothing at this address".to_owned();
        Self::new(StatusCode::NOT_FOUND, "no_route", message, "see the OpenAPI document")
    }

    pub fn no_method() -> Self {
        let message = "this address does not take that method".to_owned();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "no_method", message, "see the OpenAPI document")
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
            EngineError::Damaged | EngineError::Setup(_) | EngineError::Closed => {
                Self::broken(message, "restart the daemon")
            }
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let told = Told { code: self.code, message: &self.message, remedy: &self.remedy };
        (self.status, Json(Form { error: told })).into_response()
    }
}

//! Bodies, read strictly: one JSON object, no key twice, no field that nobody knows.

use crate::fault::Fault;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use countersign_core::json;
use countersign_core::limits::ARGUMENT_BYTES;
use serde::de::DeserializeOwned;

pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Fault> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_json = kind.is_some_and(|kind| {
            kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
        });
        if !is_json {
            return Err(Fault::unreadable("the body is not declared as application/json"));
        }
        let bytes = to_bytes(request.into_body(), ARGUMENT_BYTES);
        let bytes = bytes.await.map_err(|_| Fault::too_large())?;
        let value = json::parse(&bytes).map_err(Fault::unreadable)?;
        serde_json::from_value(value).map(Self).map_err(Fault::unreadable)
    }
}

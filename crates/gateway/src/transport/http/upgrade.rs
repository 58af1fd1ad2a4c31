//! An HTTP request of the command line whose connection becomes a stream.

use super::stream::json_response;
use crate::carrier::CarriedStream;
use crate::limits;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, UPGRADE as UPGRADE_HEADER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use countersign_core::encoding::json;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::json;

/// The protocol that the connection is upgraded to.
pub const UPGRADE: &str = "countersign-mcp";

/// A request that was read, and can be upgraded.
pub(super) struct ClientUpgrade(Parts);

impl ClientUpgrade {
    /// A request that is not one of ours is refused.
    pub(super) async fn read<T: DeserializeOwned>(request: Request) -> Result<(T, Self), Response> {
        let is_upgrade = request.headers().get(UPGRADE_HEADER).is_some_and(|name| name == UPGRADE);
        if !is_upgrade {
            let remedy = "use `countersign mcp wrap` or `countersign mcp serve`";
            return Err(refuse("this route starts a stream of MCP messages", remedy));
        }
        let (parts, body) = request.into_parts();
        let read = read_body(body).await;
        let read =
            read.map_err(|why| refuse(&why, "check the version of the program that sent it"))?;
        Ok((read, Self(parts)))
    }

    /// Serves the stream as soon as the client has it.
    pub(super) fn accept<F>(
        self,
        serve: impl FnOnce(CarriedStream) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let upgraded = hyper::upgrade::on(axum::http::Request::from_parts(self.0, ()));
        tokio::spawn(async move {
            let Ok(stream) = upgraded.await else { return };
            serve(TokioIo::new(stream)).await;
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
        response.headers_mut().insert(UPGRADE_HEADER, HeaderValue::from_static(UPGRADE));
        response
    }
}

async fn read_body<T: DeserializeOwned>(body: Body) -> Result<T, String> {
    let bytes = to_bytes(body, limits::CONNECT_BYTES).await;
    let bytes = bytes.map_err(|_| "the request is too large".to_owned())?;
    let value = json::parse(&bytes).map_err(|error| error.to_string())?;
    T::deserialize(value).map_err(|error| error.to_string())
}

/// An error in the form of the daemon's other routes.
pub(super) fn refuse(message: &str, remedy: &str) -> Response {
    let body = json!({"error": {"code": "invalid", "message": message, "remedy": remedy}});
    json_response(StatusCode::UNPROCESSABLE_ENTITY, body.to_string())
}

//! Handles a request of one plane: admission, then the routes, then the response headers.
//!
//! This is not a tower layer: a layer would cost memory for each connection, and ten thousand of
//! them wait at the same time.

use crate::admission::Admission;
use crate::error::ApiError;
use crate::guard::{OriginGuard, add_security_headers};
use crate::peers::Peer;
use crate::unread_body::UnreadBody;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::future::RouteFuture;
use countersign_engine::EngineError;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use tower::Service;

pub(crate) struct PlaneService {
    admission: Arc<Admission>,
    /// Only on a port: no browser can connect to a socket.
    guard: Option<OriginGuard>,
    routes: Router,
}

impl PlaneService {
    pub fn for_socket(admission: Arc<Admission>, routes: Router) -> Self {
        Self { admission, guard: None, routes }
    }

    pub fn for_port(admission: Arc<Admission>, guard: OriginGuard, routes: Router) -> Self {
        Self { admission, guard: Some(guard), routes }
    }

    /// Sets `is_admitted` if the caller is. Runs everything that does not wait before it returns the
    /// future, so that a waiting request keeps only its route in memory.
    pub fn handle(
        &self,
        peer: Peer,
        is_admitted: &AtomicBool,
        request: Request,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send + use<> {
        let unread = UnreadBody::new(request.headers());
        let mut request = request.map(|body| unread.watch(body));
        let guarded = self.guard.as_ref().map_or(Ok(()), |guard| guard.check(&request));
        let admitted = guarded.and_then(|()| self.admission.admit(peer, request.headers()));
        let route = match admitted {
            // The body goes back to where it can be drained.
            Err(error) => {
                drop(request);
                Err(error)
            }
            Ok(caller) => {
                is_admitted.store(true, Ordering::SeqCst);
                request.extensions_mut().insert(peer);
                // The operator has no name, so its requests carry no caller.
                if let Some(caller) = caller {
                    request.extensions_mut().insert(caller);
                }
                Ok(Box::pin(self.routes.clone().call(request)))
            }
        };
        let adds_headers = self.guard.is_some();
        async move {
            let mut response = match route {
                Err(error) => error.into_response(),
                Ok(route) => catch_panics(route).await?,
            };
            unread.drain().await;
            if adds_headers {
                add_security_headers(response.headers_mut());
            }
            Ok(response)
        }
    }
}

/// Turns a panic into an error response. The future is not polled again.
async fn catch_panics(
    mut route: Pin<Box<RouteFuture<Infallible>>>,
) -> Result<Response, Infallible> {
    poll_fn(move |cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| route.as_mut().poll(cx)));
        let damaged = || ApiError::from(EngineError::Damaged).into_response();
        polled.unwrap_or_else(|_| Poll::Ready(Ok(damaged())))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::AllowedUsers;
    use crate::{Credentials, Plane, Rates};
    use axum::body::{Body, to_bytes};
    use axum::routing::get;

    #[tokio::test]
    async fn a_route_that_panics_returns_an_error_and_the_next_request_works() {
        let routes = Router::new()
            .route("/panics", get(|| async { if true { panic!("broken") } else { "" } }))
            .route("/", get(|| async { "ok" }));
        let credentials = Arc::new(Credentials::in_memory());
        let admission =
            Admission::new(Plane::Operator, AllowedUsers::Any, credentials, Rates::DEFAULT);
        let service = PlaneService::for_socket(Arc::new(admission), routes);
        let peer = Peer::Local { uid: rustix::process::geteuid().as_raw(), pid: None };
        let seen = AtomicBool::new(false);
        let get = |path| Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = service.handle(peer, &seen, get("/panics")).await.unwrap();
        assert_eq!(response.status(), 503);
        let body = to_bytes(response.into_body(), 1 << 10).await.unwrap();
        assert!(String::from_utf8_lossy(&body).contains("\"remedy\""), "{body:?}");
        assert_eq!(service.handle(peer, &seen, get("/")).await.unwrap().status(), 200);
    }
}

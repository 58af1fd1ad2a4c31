//! Handles a request of one plane: admission, then the routes, then the response headers.
//!
//! This is not a tower layer: a layer would cost memory for each connection, and ten thousand of
//! them wait at the same time.
//!
//! See docs/decisions/0113-agents-tokens-on-every-node.md.

use crate::Plane;
use crate::admission::{Admission, find_token};
use crate::application_routes::check_application_route;
use crate::credentials::hash_token;
use crate::dashboard::DashboardService;
use crate::error::ApiError;
use crate::guard::{OriginGuard, add_security_headers};
use crate::peers::Peer;
use crate::unread_body::UnreadBody;
use axum::Router;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use countersign_core::encoding::digest::Digest;
use countersign_engine::{CredentialStanding, EngineError};
use countersign_host::Host;
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
    /// The record of several nodes, where tokens of all of them are looked up.
    shared_record: Option<Arc<Host>>,
    /// Only on a port: no browser can connect to a socket.
    guard: Option<OriginGuard>,
    /// Only on the operator's port.
    dashboard: Option<DashboardService>,
    routes: Router,
}

impl PlaneService {
    pub fn for_socket(admission: Arc<Admission>, routes: Router) -> Self {
        Self { admission, shared_record: None, guard: None, dashboard: None, routes }
    }

    pub fn for_port(admission: Arc<Admission>, guard: OriginGuard, routes: Router) -> Self {
        Self { guard: Some(guard), ..Self::for_socket(admission, routes) }
    }

    pub fn with_dashboard(mut self, dashboard: DashboardService) -> Self {
        self.dashboard = Some(dashboard);
        self
    }

    /// Takes the agents' tokens of every node that uses this record.
    pub fn with_record(mut self, host: &Arc<Host>) -> Self {
        let is_shared = self.admission.plane() == Plane::Agent && host.shares_record();
        self.shared_record = is_shared.then(|| Arc::clone(host));
        self
    }

    /// The record to read, and the hash of the token to look for.
    fn find_lookup(&self, headers: &HeaderMap) -> Option<(Arc<Host>, Digest)> {
        let host = self.shared_record.as_ref()?;
        Some((Arc::clone(host), hash_token(find_token(headers)?)))
    }

    /// Sets `is_admitted` if the caller is. Runs everything that does not wait before it returns the
    /// future, so that a waiting request keeps only its route in memory.
    pub fn handle(
        &self,
        peer: Peer,
        is_admitted: &Arc<AtomicBool>,
        request: Request,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send + use<> {
        let unread = UnreadBody::new(request.headers());
        let request = request.map(|body| unread.watch(body));
        let dashboard = self.dashboard.as_ref().filter(|own| own.owns(request.uri().path()));
        let guarded = match (&self.guard, dashboard) {
            (None, _) => Ok(()),
            // A browser sends forms, and the dashboard has stricter checks of its own.
            (Some(guard), Some(_)) => guard.check_host(&request),
            (Some(guard), None) => guard.check(&request),
        };
        let limited = guarded.and_then(|()| self.admission.limit(peer));
        let entry = PlaneEntry {
            admission: Arc::clone(&self.admission),
            peer,
            is_admitted: Arc::clone(is_admitted),
            routes: self.routes.clone(),
        };
        let lookup = limited.map(|()| self.find_lookup(request.headers()));
        let route = match lookup {
            Ok(_) if let Some(dashboard) = dashboard => {
                let page = dashboard.clone().handle(peer, Arc::clone(is_admitted), request);
                Ok(Box::pin(page) as Route)
            }
            // The body goes back to where it can be drained.
            Err(error) => {
                drop(request);
                Err(error)
            }
            Ok(None) => entry.admit(request, None),
            Ok(Some((host, hash))) => {
                Ok(Box::pin(entry.admit_from_record(request, host, hash)) as Route)
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

/// The answer of a route.
type Route = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// A request on its way in.
struct PlaneEntry {
    admission: Arc<Admission>,
    peer: Peer,
    is_admitted: Arc<AtomicBool>,
    routes: Router,
}

impl PlaneEntry {
    fn admit(
        mut self,
        mut request: Request,
        recorded: Option<&CredentialStanding>,
    ) -> Result<Route, ApiError> {
        let caller = self.admission.admit(self.peer, request.headers(), recorded)?;
        if let Some(caller) = &caller {
            check_application_route(caller, request.uri().path())?;
        }
        self.is_admitted.store(true, Ordering::SeqCst);
        request.extensions_mut().insert(self.peer);
        // The operator has no name, so its requests carry no caller.
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        Ok(Box::pin(self.routes.call(request)))
    }

    /// Reads first what the record says about the token. If it cannot be read, nobody is admitted.
    async fn admit_from_record(
        self,
        request: Request,
        host: Arc<Host>,
        hash: Digest,
    ) -> Result<Response, Infallible> {
        let recorded = host.run(move |engine| engine.find_credential(hash)).await;
        let route = recorded
            .map_err(ApiError::from)
            .and_then(|recorded| self.admit(request, recorded.as_ref()));
        match route {
            Ok(route) => route.await,
            Err(error) => Ok(error.into_response()),
        }
    }
}

/// Turns a panic into an error response. The future is not polled again.
async fn catch_panics(mut route: Route) -> Result<Response, Infallible> {
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
        let seen = Arc::new(AtomicBool::new(false));
        let get = |path| Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = service.handle(peer, &seen, get("/panics")).await.unwrap();
        assert_eq!(response.status(), 503);
        let body = to_bytes(response.into_body(), 1 << 10).await.unwrap();
        assert!(String::from_utf8_lossy(&body).contains("\"remedy\""), "{body:?}");
        assert_eq!(service.handle(peer, &seen, get("/")).await.unwrap().status(), 200);
    }
}

//! What every request passes on its way in, and every answer on its way out: whether it is meant
//! for us, who speaks, and then the routes.
//!
//! None of it waits for anything, so that it is no layer of its own that each connection holds.

use crate::admit::Doorkeeper;
use crate::fault::Fault;
use crate::guard::{Names, add_headers};
use crate::peers::Peer;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use countersign_engine::EngineError;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tower::Service;

pub(crate) struct Doorway {
    keeper: Arc<Doorkeeper>,
    /// How it is called, where a browser could come by.
    names: Option<Names>,
    routes: Router,
}

impl Doorway {
    pub fn on_socket(keeper: Arc<Doorkeeper>, routes: Router) -> Self {
        Self { keeper, names: None, routes }
    }

    pub fn on_port(keeper: Arc<Doorkeeper>, names: Names, routes: Router) -> Self {
        Self { keeper, names: Some(names), routes }
    }

    pub async fn answer(&self, peer: Peer, mut request: Request) -> Response {
        let mut response = match self.admit(peer, &mut request) {
            Err(fault) => fault.into_response(),
            Ok(()) => self.routed(request).await,
        };
        if self.names.is_some() {
            add_headers(response.headers_mut());
        }
        response
    }

    /// Nothing panics through.
    async fn routed(&self, request: Request) -> Response {
        let mut answering = pin!(async {
            match self.routes.clone().call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        });
        // What broke down is not asked again, and what it held is poisoned.
        let step = |cx: &mut Context<'_>| {
            let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(cx)));
            polled
                .unwrap_or_else(|_| Poll::Ready(Fault::from(EngineError::Damaged).into_response()))
        };
        poll_fn(step).await
    }

    /// Lets it in, with the name of whoever speaks; the operator has none.
    fn admit(&self, peer: Peer, request: &mut Request) -> Result<(), Fault> {
        if let Some(names) = &self.names {
            names.is_for_us(request)?;
        }
        if let Some(caller) = self.keeper.admit(peer, request.headers())? {
            request.extensions_mut().insert(caller);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admit::Users;
    use crate::{Credentials, Plane, Rates};
    use axum::body::{Body, to_bytes};
    use axum::routing::get;

    #[tokio::test]
    async fn a_route_that_breaks_down_answers_and_the_next_one_goes_on() {
        let routes = Router::new()
            .route("/breaks", get(|| async { if true { panic!("broken") } else { "" } }))
            .route("/", get(|| async { "here" }));
        let (credentials, rates) = (Arc::new(Credentials::forgotten()), Rates::USUAL);
        let keeper = Doorkeeper::new(Plane::Operator, Users::Any, credentials, rates);
        let doorway = Doorway::on_socket(Arc::new(keeper), routes);
        let peer = Peer::Local { uid: rustix::process::geteuid().as_raw() };
        let ask = |path| Request::builder().uri(path).body(Body::empty()).unwrap();
        let broken = doorway.answer(peer, ask("/breaks")).await;
        assert_eq!(broken.status(), 503);
        let told = to_bytes(broken.into_body(), 1 << 10).await.unwrap();
        assert!(String::from_utf8_lossy(&told).contains("\"remedy\""), "{told:?}");
        assert_eq!(doorway.answer(peer, ask("/")).await.status(), 200);
    }
}

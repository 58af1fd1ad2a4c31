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
use axum::routing::future::RouteFuture;
use countersign_engine::EngineError;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
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

    /// All that does not wait is done before there is anything to wait for: what waits holds its
    /// route, and not the request as well.
    pub fn answer(
        &self,
        peer: Peer,
        mut request: Request,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send + use<> {
        let admitted = self.admit(peer, &mut request);
        let answering = admitted.map(|()| Box::pin(self.routes.clone().call(request)));
        let adds_headers = self.names.is_some();
        async move {
            let mut response = match answering {
                Err(fault) => fault.into_response(),
                Ok(answering) => caught(answering).await?,
            };
            if adds_headers {
                add_headers(response.headers_mut());
            }
            Ok(response)
        }
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

/// Nothing panics through. What broke down is not asked again, and what it held is poisoned.
async fn caught(mut answering: Pin<Box<RouteFuture<Infallible>>>) -> Result<Response, Infallible> {
    poll_fn(move |cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(cx)));
        polled
            .unwrap_or_else(|_| Poll::Ready(Ok(Fault::from(EngineError::Damaged).into_response())))
    })
    .await
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
        let broken = doorway.answer(peer, ask("/breaks")).await.unwrap();
        assert_eq!(broken.status(), 503);
        let told = to_bytes(broken.into_body(), 1 << 10).await.unwrap();
        assert!(String::from_utf8_lossy(&told).contains("\"remedy\""), "{told:?}");
        assert_eq!(doorway.answer(peer, ask("/")).await.unwrap().status(), 200);
    }
}

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
use std::sync::Arc;
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
            Ok(()) => match self.routes.clone().call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
        };
        if self.names.is_some() {
            add_headers(response.headers_mut());
        }
        response
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

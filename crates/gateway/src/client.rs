//! The client's side: its introduction, its open requests, and the ways to reach it.
//!
//! Nothing here knows servers. A request carries the connection that it came on, so that the code for
//! the request can report progress and put questions to the client.

mod connection;
mod in_flight;
mod questions;
mod reply;
mod request;
mod routes;
mod subscriptions;

pub(crate) use connection::ClientConnection;
pub(crate) use in_flight::{Cancel, StartError};
pub(crate) use reply::ReplySender;
pub(crate) use request::{ClientRequest, IncomingRequest};
pub(crate) use routes::{ExchangeRoute, LogMessages};
pub(crate) use subscriptions::Subscription;

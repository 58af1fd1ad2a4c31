//! Typed calls of both planes over the daemon's Unix sockets, and its events as they come.
//!
//! Blocking, with only the standard library beneath: a command ends soon, and a hook must not pay
//! for a runtime. Any failure is an error, and no error is a yes. An [`AgentClient`] has no method
//! that approves, grants or revokes.

mod agent;
mod connection;
mod error;
mod events;
mod http;
mod limits;
mod operator;
mod query;

pub use agent::AgentClient;
pub use connection::Connection;
pub use error::ClientError;
pub use events::{Event, Events, StreamCloser};
pub use operator::OperatorClient;

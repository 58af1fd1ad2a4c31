//! Typed calls of both planes over the daemon's Unix sockets, and the event stream.
//!
//! The client is blocking and uses only the standard library, because a hook must start fast. Any
//! failure is an error, and an error is never a yes. An [`AgentClient`] has no method that approves,
//! grants or revokes.

mod agent;
mod connection;
mod error;
mod events;
mod http;
mod limits;
mod operator;
mod permit;
mod query;

pub use agent::AgentClient;
pub use connection::{Connection, UpgradedStream};
pub use error::ClientError;
pub use events::{Event, Events, StreamCloser};
pub use operator::OperatorClient;
pub use permit::OperationPermit;

//! MCP: the proxy in front of tool servers, and our own consent tools.
//!
//! A client's connection is a relay. It forwards messages as text, decides every tool call through
//! the host, and carries out what was allowed. Nothing here grants or revokes. Only the person at a
//! client that the operator registered as an adapter can answer a question here (`call/elicit.rs`).

mod call;
mod client_identity;
mod era;
mod gateway;
mod http;
mod http_headers;
mod identity;
pub mod limits;
mod own;
mod pins;
mod profiles;
mod random;
mod relay;
mod spec;
mod stdio;
mod sweep;
mod upstream;
mod wire;

pub use client_identity::ClientIdentity;
pub use gateway::{ClientEnvironment, Gateway, GatewaySettings};
pub use http::{CONNECT_PATH, ConnectRequest, ConnectServer, UPGRADE};
pub use spec::{
    Confinement, HttpSpec, Launch, Origin, ProcessSpec, ServerName, ServerNameError, ServerSpec,
};

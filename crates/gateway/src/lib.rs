//! MCP: the proxy in front of tool servers, and our own consent tools.
//!
//! Nothing here grants or revokes. Only the person at a client that the operator registered as an
//! adapter can answer a question here (`call/elicit.rs`). The modules are layers: each uses only those
//! above it in this list. A `tools/call` takes this way:
//!
//! - `transport` reads it from a stream of lines or from HTTP, as a `Message` of `wire`;
//! - `session` has one client with its servers, and sees that the request is a tool call;
//! - `own` answers it if it names one of our own tools;
//! - `call` decides it through the host, waits for the operator, executes it, records its end;
//! - `pins` compares the tool with the definition that the operator approved;
//! - `upstream` sends it to its server, and takes the response;
//! - `client` passes on meanwhile what the server reports and asks;
//! - `wire` knows the messages as text, in both eras of the protocol.

mod call;
mod carrier;
mod client;
mod client_identity;
mod gateway;
pub mod limits;
mod locks;
mod own;
mod pins;
mod random;
mod session;
mod settings;
mod spec;
mod sweep;
mod transport;
mod upstream;
mod wire;

pub use carrier::{CarrierPort, START_LINE};
pub use client_identity::ClientIdentity;
pub use gateway::Gateway;
pub use settings::{ClientServers, GatewaySettings};
pub use spec::{
    ClientServerSpec, Confinement, HttpSpec, Launch, ProcessSpec, ServerName, ServerNameError,
    ServerOrigin, ServerSpec,
};
pub use transport::http::{
    CARRY_PATH, CONNECT_PATH, CarryRequest, ConnectRequest, ConnectServer, UPGRADE,
};

//! The daemon as agents and operators meet it: over its sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

mod agents;
mod answers;
mod events;
mod house;
mod ports;
mod strict;
mod tls;
mod wire;

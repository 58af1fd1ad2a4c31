//! The daemon as agents and operators meet it: over its sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

mod adapters;
mod agents;
mod answers;
mod crowd;
mod events;
mod everywhere;
mod house;
mod parking;
mod ports;
mod proposals;
mod runs;
mod sample;
mod sessions;
mod strict;
mod surfaces;
mod tls;
mod wire;

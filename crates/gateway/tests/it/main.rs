//! The gateway between a client on a stream and real server processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up should fall over"
)]

mod approving;
mod argument_headers;
mod calls;
mod clock;
mod elicit;
mod eras;
mod http;
mod misbehaving;
mod own_tools;
mod sweep;
mod tasks;
mod waiting;
mod world;

//! The operations of agents, on a host in memory.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot be set up should fall over"
)]

mod agent;

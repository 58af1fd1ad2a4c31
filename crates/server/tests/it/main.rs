//! Tests of the daemon over its sockets and ports.
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
mod all_routes;
mod answers;
mod applications;
mod ask_ahead;
mod bad_input;
mod claimed_projects;
mod concurrency;
mod conversation;
mod dashboard;
mod declines;
mod events;
mod http;
mod large_requests;
mod on_postgres;
mod ordinary_keys;
mod own_lists;
mod parking;
mod ports;
mod proposals;
mod refused_bodies;
mod runs;
mod sample;
mod sessions;
mod surfaces;
mod test_server;
mod tls;
mod whole_calls;
mod workflow_starts;

//! The dialects, held by events that the programs really wrote: each is read, turned into its request,
//! and answered with every reply. The snapshots are the contract with each program and version.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail"
)]

mod dialects;
mod odd_events;

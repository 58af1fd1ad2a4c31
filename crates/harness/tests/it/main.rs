//! The dialects and settings files of coding agents, by example.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test whose own files cannot be used should fall over"
)]

mod install;

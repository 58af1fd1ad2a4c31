//! Compares the reading of command lines with bash, on a real disk.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test whose own data cannot be used should fall over"
)]

mod bash;
mod generator;
mod git;
mod lines;

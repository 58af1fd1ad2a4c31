//! The tests of this crate, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod cards;
mod fuzz;
mod fuzzed;
mod layout;
mod phrases;
mod prompt;

//! Every seed holds, and the search finds planted bugs.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod planted_bugs;
mod seeds;

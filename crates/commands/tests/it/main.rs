//! Tests commands against the corpus, its mutations, bash and git.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test whose own data cannot be used should fall over"
)]

mod corpus;
mod denials;
mod differential;
mod git;
mod mutations;
mod rows;

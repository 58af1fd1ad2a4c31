//! Runs all stories of the project, and checks which words they cover and the decision matrix.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test whose own files cannot be read should fail"
)]

mod cases;
mod coverage;
mod matrix;
mod parsing;
mod shards;
mod stores;

//! All stories of the project, what they cover, and the decisions they stand for.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test whose own files cannot be read should fall over"
)]

mod cases;
mod coverage;
mod matrix;
mod reading;

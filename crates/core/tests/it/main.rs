//! Tests core on data that people outside can read and extend.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test whose own data cannot be used should fall over"
)]

mod answers_that_meet;
mod may_answer;
mod question;
mod secrets;
mod some_time;

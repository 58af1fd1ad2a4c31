//! The inbox on a full screen: drawn, resized, and answered by nobody by accident.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail"
)]
#![allow(dead_code, unused_imports, reason = "the tests of lines use the rest of these modules")]

#[path = "../../../terminal/tests/it/cards.rs"]
mod cards;
mod display;
mod emulator;
#[path = "../../../terminal/tests/it/fuzz/mod.rs"]
mod fuzz;
mod fuzzed;
mod screens;

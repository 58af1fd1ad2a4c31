//! Cards as they are shown: one golden for each kind, and for every way to lie on one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod hostile;
mod kinds;
mod world;

//! The core of Countersign: the model, the state and the decision.
//!
//! Pure: no clock, no IO, no randomness, no async. Everything a decision may know comes in as
//! `Facts`; everything that should happen goes out as `Change`s. Files, databases and people are
//! handled by other crates. A folder uses only the folders listed before it.

// A new variant must not fall into a wildcard arm unnoticed.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod encoding;
pub mod model;
pub mod state;

pub mod decide;
pub mod steps;

pub use decide::decide;
pub use steps::settle::settle;
pub use steps::sweep::sweep;

//! Fuzzing of everything that parses untrusted input.
//!
//! Nothing here ships. A target states a property that holds for any bytes. The search mutates
//! seeds, keeps inputs with new features, and reports inputs that break the property, shrunk.
//! `cargo xtask fuzz` runs it for a given time; the tests run every seed and some mutations.
//!
//! See docs/decisions/0011-fuzzer-on-stable-rust.md.

// Targets and their properties
pub mod target;
pub mod targets;

// Inputs
pub mod mutate;
pub mod seeds;

// The search
pub mod clock;
pub mod limits;
pub mod runner;
pub mod search;
pub mod shrink;

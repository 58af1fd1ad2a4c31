//! A second opinion: the decision implemented twice, and random worlds to compare the two on.
//!
//! Nothing here ships. A decision has many branches, and a test that its author writes repeats the
//! author's reading; a second implementation from the same specification does not. `cargo xtask
//! compare` runs both, and the tests of this crate do so on a hundred thousand cases.

// The second implementation
pub mod naive;

// What it is compared on
pub mod chance;
pub mod world;

// The comparison
pub mod compare;

//! A second implementation of the decision, and random scenarios to compare it with the first one.
//!
//! Nothing here ships. Tests by the author of an implementation repeat the author's reading of the
//! specification; an independent implementation does not. `cargo xtask compare` runs both, and the
//! tests of this crate compare them on a hundred thousand cases.
//!
//! See docs/decisions/0008-second-implementation.md.

// The second implementation
pub mod naive;

// Random scenarios
pub mod rng;
pub mod scenario;

// The comparison
pub mod compare;

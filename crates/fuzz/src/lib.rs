//! Fuzzing: everything that reads what somebody else wrote, held against mutated inputs.
//!
//! Nothing here ships. A target says what must hold for any bytes; the driver changes seeds, keeps
//! what led somewhere new, and reports what broke, made small. `cargo xtask fuzz` runs it for as
//! long as one likes; the tests of this crate run every seed, and some thousand mutations of them.

// What is held
pub mod target;
pub mod targets;

// What it is held against
pub mod mutate;
pub mod seeds;

// The search
pub mod clock;
pub mod drive;
pub mod guard;
pub mod limits;
pub mod shrink;

//! What the figures of the daemon are measured with.

pub mod bare;
pub mod check;
pub mod connections;
pub mod daemon;
pub mod held;
pub mod line;
pub mod world;

pub use xtask::bench::runs::{BenchResult, Context, Runs};

//! What the figures of the gateway are measured with.

pub mod calls;
pub mod client;
pub mod daemon;
pub mod http;
pub mod memory;
pub mod parked;
pub mod peers;
pub mod programs;
pub mod pump;
pub mod start;
pub mod stdio;
pub mod world;

pub use xtask::bench::runs::{BenchResult, Context, Runs};

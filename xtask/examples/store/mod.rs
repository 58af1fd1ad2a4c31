//! What the figures of the stores are measured on, one file for each of them.

pub mod answer;
pub mod callers;
pub mod decision;
pub mod digest;
pub mod growth;
pub mod large;
pub mod postgres;
pub mod start;
pub mod verify;
pub mod world;

pub use xtask::bench::runs::{BenchResult, Context, Runs};

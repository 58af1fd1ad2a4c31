//! What the benchmark and the instruction counter decide about: a generated graph, a session with a
//! hundred live grants, and calls for each way a decision can go.
//!
//! The probes are examples of this crate, which uses only the pure crates: they are built with
//! optimisation, and a database or a server beside them would be built that way too.

mod graph;
mod world;

pub use graph::Size;
pub use world::{Path, World, arguments};

/// Building the world fails only if it no longer fits the code; the sentence says where.
pub type WorldResult<T> = Result<T, Box<dyn std::error::Error>>;

pub const SMALL: Size = Size { domains: 10, actions: 12 };
pub const LARGE: Size = Size { domains: 1_000, actions: 100 };

/// A plain command of usual length, with signs to look for.
pub const COMMAND: &str = "git push --force-with-lease origin feature/minutes-of-monday";

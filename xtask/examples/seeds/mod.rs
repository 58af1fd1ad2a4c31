//! What the scenarios are played with: a daemon of their own, three people at its sockets, a graph.

pub mod call;
#[path = "../hostile/daemon.rs"]
#[allow(dead_code, reason = "the trials of `hostile` use more of it")]
pub mod daemon;
pub mod graph;
pub mod mcp;
pub mod operator;
pub mod play;
pub mod scenario;
pub mod seed_000;
pub mod seed_001;
pub mod seed_002;
pub mod seed_003;
pub mod seed_004;
pub mod skipped;

use std::time::Duration;
use xtask::failure::Failure;

pub type TrialResult<T> = Result<T, Failure>;

/// How long anything may take before the scenario has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

//! What the scenarios are played with: a daemon of their own, three people at its sockets, a graph.

pub mod asking_ahead;
pub mod call;
pub mod consent_graph;
pub mod conversation;
#[path = "../hostile/daemon.rs"]
#[allow(dead_code, reason = "the trials of `hostile` use more of it")]
pub mod daemon;
pub mod gated_functions;
pub mod graph;
pub mod mcp;
pub mod operator;
pub mod play;
pub mod safety_classes;
pub mod scenario;
pub mod skipped;

use std::time::Duration;
use xtask::failure::Failure;

pub type TrialResult<T> = Result<T, Failure>;

/// How long anything may take before the scenario has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

//! The suite `server`: what a check over the daemon's socket costs beside what it cannot do
//! without, and what the daemon holds.
//!
//! The daemon is the released program, run as its users run it. What it is held against runs as a
//! process of its own, too, so that both cross the same border.

use super::goals::{Bound, Goal};
use super::runs::{self, BenchOptions};
use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::ValueEnum;
use std::path::Path;

pub const SUITE: &str = "server";

pub const BARE: &str = "append + fdatasync, and a bare round trip over a socket";
pub const CHECK: &str = "one check over the socket";
pub const BARE_64: &str = "64 connections: the slower of bare axum and bare group commit";
pub const CHECK_64: &str = "64 connections: checks over the socket";
pub const MILLIS_50: &str = "50 ms";
pub const READY: &str = "started until ready";

/// What the daemon may hold while it idles.
pub const IDLE_MEMORY: u64 = 25 << 20;
/// What it may hold beside everything that waits.
pub const HELD_MEMORY: u64 = 200 << 20;
/// The stripped program.
pub const PROGRAM_BYTES: u64 = 25_000_000;

/// One of the things that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Figure {
    Check,
    Connections,
    Ready,
    Idle,
    Held,
    Size,
}

impl runs::Figure for Figure {
    const SUITE: &'static str = SUITE;

    fn plan(&self) -> ((usize, usize), Vec<Goal>) {
        let at_most = |over, under, bound| vec![Goal { over, under, bound: Bound::AtMost(bound) }];
        match self {
            Self::Check => ((100, 30), at_most(CHECK, BARE, 2.0)),
            // A fifth of the rate is five times the time.
            Self::Connections => ((3, 1), at_most(CHECK_64, BARE_64, 5.0)),
            Self::Ready => ((5, 3), at_most(READY, MILLIS_50, 1.0)),
            Self::Idle | Self::Held | Self::Size => ((1, 1), Vec::new()),
        }
    }
}

/// Builds the program and the benchmark as they are released, and runs it; a figure that is missed
/// is a failure.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    let _checked_early: BenchOptions<Figure> = parse_options(words)?;
    run(&mut cargo(root, &["build", "--quiet", "--profile", "dist", "--bin", "countersign"]))?;
    let mut command = cargo(root, &["run", "--quiet", "--profile", "dist", "--package", "xtask"]);
    run(command.args(["--example", "server-bench", "--"]).args(words))?;
    Ok(Done::new("measured, and nothing was missed; what was inconclusive says so above"))
}

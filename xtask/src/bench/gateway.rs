//! The suite `gateway`: what a tool call through the gateway costs beside what it cannot do
//! without, and beside proxies that others publish.
//!
//! All of them stand in front of the same small tool server. The proxies record nothing; ours has
//! the decision on the disk before the server hears of the call, and the end before the client does.

use super::goals::{Bound, Goal};
use super::runs::{self, BenchOptions};
use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::ValueEnum;
use std::path::Path;

pub const SUITE: &str = "gateway";

pub const DIRECT: &str = "direct";
pub const PUMP: &str = "a bare byte pump";
pub const FLOOR: &str = "a bare byte pump, append + fdatasync";
pub const OURS: &str = "ours: allowed and recorded";
pub const MCP_PROXY: &str = "mcp-proxy";
pub const FASTMCP: &str = "fastmcp proxy";
pub const SUPERGATEWAY: &str = "supergateway";
pub const STARTED_DIRECT: &str = "direct: start until the first answer, and 50 ms";
pub const STARTED: &str = "ours: start until the first answer";

/// The proxies of others.
pub const PEERS: [&str; 3] = [MCP_PROXY, FASTMCP, SUPERGATEWAY];

/// Servers that idle behind the gateway.
pub const IDLE_SERVERS: usize = 20;
/// What the gateway may hold beside them.
pub const IDLE_MEMORY: u64 = 30 << 20;
/// What it may hold beside ten thousand parked calls, in addition.
pub const PARKED_MEMORY: u64 = 50 << 20;

/// One of the things that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Figure {
    Call,
    Cpu,
    InFlight,
    Start,
    Idle,
    Parked,
}

impl runs::Figure for Figure {
    const SUITE: &'static str = SUITE;

    fn plan(&self) -> ((usize, usize), Vec<Goal>) {
        let at_most = |over, under, bound| Goal { over, under, bound: Bound::AtMost(bound) };
        // To be ahead of the best of them is to be ahead of each.
        let ahead_of_peers = |factor| {
            PEERS.map(|peer| Goal { over: peer, under: OURS, bound: Bound::AtLeast(factor) })
        };
        match self {
            Self::Call => {
                let goals = [vec![at_most(OURS, FLOOR, 3.0)], ahead_of_peers(2.0).to_vec()];
                ((100, 30), goals.concat())
            }
            Self::Cpu => ((1, 1), ahead_of_peers(3.0).to_vec()),
            // Five times the rate is a fifth of the time.
            Self::InFlight => ((1, 1), ahead_of_peers(5.0).to_vec()),
            Self::Start => ((5, 3), vec![at_most(STARTED, STARTED_DIRECT, 1.0)]),
            Self::Idle | Self::Parked => ((1, 1), Vec::new()),
        }
    }
}

/// Builds the program and the benchmark as they are released, and runs it; a figure that is missed
/// is a failure.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    let _checked_early: BenchOptions<Figure> = parse_options(words)?;
    run(&mut cargo(root, &["build", "--quiet", "--profile", "dist", "--bin", "countersign"]))?;
    let build = ["build", "--quiet", "--profile", "dist", "--package", "xtask"];
    run(cargo(root, &build).args(["--example", "tool-server"]))?;
    let mut command = cargo(root, &["run", "--quiet", "--profile", "dist", "--package", "xtask"]);
    run(command.args(["--example", "gateway-bench", "--"]).args(words))?;
    Ok(Done::new("measured, and nothing was missed; what was inconclusive says so above"))
}

#[cfg(test)]
mod tests {
    use super::runs::Figure as _;
    use super::*;

    #[test]
    fn every_peer_is_a_yardstick_of_a_call_its_cpu_time_and_eight_in_flight() {
        for figure in [Figure::Call, Figure::Cpu, Figure::InFlight] {
            let (_, goals) = figure.plan();
            assert!(PEERS.iter().all(|peer| goals.iter().any(|goal| goal.over == *peer)));
        }
    }
}

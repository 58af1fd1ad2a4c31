//! The suite `store`: what a durable decision costs beside the bare writes that it cannot do
//! without, on both databases, and what it costs when the store is large.
//!
//! The variants live in an example of this crate. Each figure is a run of its own, so that one
//! can be asked for alone.

use super::goals::{Bound, Goal};
use super::runs::{self, BenchOptions};
use crate::failure::{CiResult, Done};
use crate::installed;
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::ValueEnum;
use std::path::Path;

pub const SUITE: &str = "store";

pub const APPEND: &str = "append + fdatasync of the same bytes";
pub const GRANTED: &str = "one decision on a grant, SQLite";
pub const AUTONOMOUS: &str = "one decision on the rule alone, SQLite";
pub const APPEND_64: &str = "64 callers: append, fdatasync together";
pub const DECIDE_64: &str = "64 callers: decisions, SQLite";
pub const ROW: &str = "one row, committed, PostgreSQL";
pub const DECIDE_POSTGRES: &str = "one decision on a grant, PostgreSQL";
pub const NOTIFIED: &str = "UPDATE + NOTIFY → row read again";
pub const RELEASED: &str = "answer on one node → call released on another";
pub const SMALL: &str = "a decision beside 100 grants, session in memory";
pub const LARGE: &str = "a decision beside many grants, session in memory";
pub const SMALL_COLD: &str = "a decision beside 100 grants, session on disk";
pub const LARGE_COLD: &str = "a decision beside many grants, session on disk";
pub const START: &str = "start-up beside many grants and entries";
pub const SECOND: &str = "one second";
pub const HASHES: &str = "bare SHA-256 of an entry's bytes";
pub const VERIFY: &str = "an entry read from SQLite and verified";
pub const NANOS_1250: &str = "1,250 ns: 800,000 a second";
pub const SORTED: &str = "a call as sorted JSON";
pub const DIGESTS: &str = "its digests";

/// What a process with many grants and entries beside it may hold.
pub const MOST_MEMORY: u64 = 64 << 20;

/// One of the things that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Figure {
    Decision,
    Callers,
    Postgres,
    Answer,
    Growth,
    Start,
    Verify,
    Digest,
}

impl runs::Figure for Figure {
    const SUITE: &'static str = SUITE;

    fn plan(&self) -> ((usize, usize), Vec<Goal>) {
        let at_most = |over, under, bound| Goal { over, under, bound: Bound::AtMost(bound) };
        match self {
            Self::Decision => {
                let goals = vec![at_most(GRANTED, APPEND, 2.0), at_most(AUTONOMOUS, APPEND, 2.0)];
                ((100, 30), goals)
            }
            // A quarter of the rate is four times the time.
            Self::Callers => ((3, 1), vec![at_most(DECIDE_64, APPEND_64, 4.0)]),
            Self::Postgres => ((60, 20), vec![at_most(DECIDE_POSTGRES, ROW, 3.0)]),
            Self::Answer => ((30, 10), vec![at_most(RELEASED, NOTIFIED, 3.0)]),
            Self::Growth => {
                let goals = vec![at_most(LARGE, SMALL, 1.5), at_most(LARGE_COLD, SMALL_COLD, 1.5)];
                ((40, 10), goals)
            }
            Self::Start => ((1, 1), vec![at_most(START, SECOND, 1.0)]),
            Self::Verify => ((1, 1), vec![at_most(VERIFY, NANOS_1250, 1.0)]),
            Self::Digest => ((20, 10), vec![at_most(DIGESTS, SORTED, 3.0)]),
        }
    }
}

/// Builds the benchmark and runs it; a figure that is missed is a failure.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    let options: BenchOptions<Figure> = parse_options(words)?;
    if options.figures().iter().any(|figure| matches!(figure, Figure::Postgres | Figure::Answer)) {
        installed::ensure_package("postgresql", countersign_scratch::is_postgres_installed)?;
    }
    let build = ["run", "--quiet", "--profile", "bench", "--package", "xtask"];
    let mut command = cargo(root, &build);
    run(command.args(["--example", "store-bench", "--"]).args(words))?;
    Ok(Done::new("measured, and nothing was missed; what was inconclusive says so above"))
}

#[cfg(test)]
mod tests {
    use super::runs::Figure as _;
    use super::*;

    #[test]
    fn every_figure_has_a_goal() {
        assert!(Figure::value_variants().iter().all(|figure| !figure.plan().1.is_empty()));
    }
}

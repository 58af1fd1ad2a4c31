//! The suite `decide`: what is compared with what, and the bounds.
//!
//! The variants live in an example of this crate, because they need what the checks do not: the
//! crates of the product and, behind a feature, Cedar. `cargo xtask bench decide` builds and runs
//! it with the profile of the benchmarks.

use super::goals::{Bound, Goal, QUIET_ROUNDS};
use super::rounds::Plan;
use super::runs::{Extent, ExtentOption};
use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use std::path::Path;

pub const SUITE: &str = "decide";

/// A round of all variants takes about half a second, most of it for the large graph.
pub fn plan(extent: Extent) -> Plan {
    match extent {
        Extent::Full => Plan { operations: 5, quiet_rounds: QUIET_ROUNDS + 2, max_rounds: 60 },
        Extent::Quick => Plan { operations: 1, quiet_rounds: 1, max_rounds: 1 },
    }
}

pub const LOOKUP: &str = "bare hash-map lookup";
pub const AUTONOMOUS: &str = "ours: autonomous";
pub const BY_ACTION: &str = "ours: granted by an action";
pub const BY_CATEGORY: &str = "ours: granted by a category";
pub const ASK: &str = "ours: ask, no grant";
pub const CEDAR: &str = "Cedar, 3 policies over action groups";
pub const SMALL: &str = "ours: all four, 10 × 12 actions";
pub const LARGE: &str = "ours: all four, 1,000 × 100 actions";
pub const DIGEST: &str = "digest of a call of 400 bytes";
pub const RESOLVE: &str = "draft → call, with its two digests";
pub const COMMAND: &str = "command analysis";
pub const PARSE_SMALL: &str = "parse the JSON of 10 × 12";
pub const LOAD_SMALL: &str = "load 10 × 12";
pub const PARSE_LARGE: &str = "parse the JSON of 1,000 × 100";
pub const LOAD_LARGE: &str = "load 1,000 × 100";

const OURS: [&str; 4] = [AUTONOMOUS, BY_ACTION, BY_CATEGORY, ASK];

pub fn goals() -> Vec<Goal> {
    let goal = |over, under, bound| Goal { over, under, bound };
    let near_the_lookup = OURS.map(|ours| goal(ours, LOOKUP, Bound::AtMost(25.0)));
    let beyond_cedar = OURS.map(|ours| goal(CEDAR, ours, Bound::AtLeast(10.0)));
    let rest = [
        goal(LOAD_SMALL, PARSE_SMALL, Bound::AtMost(20.0)),
        goal(LOAD_LARGE, PARSE_LARGE, Bound::AtMost(20.0)),
        goal(LARGE, SMALL, Bound::AtMost(1.5)),
    ];
    near_the_lookup.into_iter().chain(beyond_cedar).chain(rest).collect()
}

/// Builds the benchmark with its peers and runs it.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    parse_options::<ExtentOption>(words)?;
    let build = ["run", "--quiet", "--profile", "bench", "--package", "xtask"];
    let mut command = cargo(root, &build);
    command.args(["--features", "peers", "--example", "decide-bench", "--"]);
    run(command.args(words))?;
    Ok(Done::new("measured; a goal that is missed or inconclusive says so above"))
}

//! The suite `rules`: command rules beside a plain lexer, policies beside bare Cedar, and whether
//! any input costs more than its length.

use super::goals::{Bound, Goal, QUIET_ROUNDS};
use super::rounds::Plan;
use super::runs::{Extent, ExtentOption};
use crate::callgrind;
use crate::failure::{CiResult, judge};
use crate::options::parse_options;
use crate::process::{cargo, run};
use std::path::Path;

pub const SUITE: &str = "rules";

pub fn plan(extent: Extent) -> Plan {
    match extent {
        Extent::Full => Plan { operations: 5, quiet_rounds: QUIET_ROUNDS + 2, max_rounds: 60 },
        Extent::Quick => Plan { operations: 1, quiet_rounds: 1, max_rounds: 1 },
    }
}

pub const LEXER: &str = "a plain lexer, 9,000 characters";
pub const MATCHED: &str = "60 segments, 500 rules, matched by the last";
pub const DENIED: &str = "60 segments, 500 rules, the last segment denied by the last";

pub const EVALUATIONS: &str = "5 policies, Cedar alone, both evaluations";
pub const RULED: &str = "5 policies, from facts to a tier and its reasons";

/// What is counted: an example of this crate, run as `<binary> <family> <characters>`.
const PROBE: &str = "rules-probe";
const SHORT: u32 = 4_000;
const LONG: u32 = 8_000;
/// Twice the text may cost twice the work, and a little for what grows by doubling.
const GROWTH: f64 = 2.3;

pub fn goals() -> Vec<Goal> {
    let goal = |over| Goal { over, under: LEXER, bound: Bound::AtMost(20.0) };
    let policies = Goal { over: RULED, under: EVALUATIONS, bound: Bound::AtMost(3.0) };
    vec![goal(MATCHED), goal(DENIED), policies]
}

/// Measures the ratios, then counts every family at both lengths.
pub fn step(root: &Path, words: &[&str]) -> CiResult {
    parse_options::<ExtentOption>(words)?;
    let build = ["run", "--quiet", "--profile", "bench", "--package", "xtask"];
    let mut command = cargo(root, &build);
    command.args(["--features", "peers", "--example", "rules-bench", "--"]);
    run(command.args(words))?;
    let counts = callgrind::family_counts(root, PROBE, [SHORT, LONG])?;
    println!("| family | {SHORT} | {LONG} | growth |\n|---|---:|---:|---:|");
    let mut found = Vec::new();
    for (family, [short, long]) in &counts {
        let growth = *long as f64 / (*short).max(1) as f64;
        println!("| {family} | {short} | {long} | {growth:.2} |");
        if growth > GROWTH {
            found.push(format!("`{family}` grows {growth:.2} times when its text doubles"));
        }
    }
    judge(
        &found,
        format!("{} families grow with their length, at most {GROWTH} times", counts.len()),
    )
}

//! `compare SEED CASES`: the program that `cargo xtask compare` runs.

use countersign_reference::compare::{ComparisonReport, compare_implementations};
use std::process::ExitCode;

/// Number of cases between two progress lines.
const PROGRESS_INTERVAL: u64 = 1_000_000;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(seed)), Some(Ok(cases)), None) = (numbers.next(), numbers.next(), numbers.next())
    else {
        eprintln!("usage: compare SEED CASES");
        return ExitCode::FAILURE;
    };
    let mut next = PROGRESS_INTERVAL;
    let report = compare_implementations(seed, cases, |so_far: &ComparisonReport| {
        if so_far.cases >= next {
            eprintln!("{} cases, {} kinds of difference", so_far.cases, so_far.differences.len());
            next += PROGRESS_INTERVAL;
        }
    });
    println!("{report}");
    if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! `compare SEED CASES`: what `cargo xtask compare` runs.

use countersign_reference::compare::{Report, compare};
use std::process::ExitCode;

/// Cases between two lines of progress.
const PROGRESS: u64 = 1_000_000;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(seed)), Some(Ok(cases)), None) = (numbers.next(), numbers.next(), numbers.next())
    else {
        eprintln!("usage: compare SEED CASES");
        return ExitCode::FAILURE;
    };
    let mut next = PROGRESS;
    let report = compare(seed, cases, |so_far: &Report| {
        if so_far.cases >= next {
            eprintln!("{} cases, {} kinds of difference", so_far.cases, so_far.differences.len());
            next += PROGRESS;
        }
    });
    println!("{report}");
    if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! `fuzz_terminal COUNT SEED`: what `cargo xtask fuzz-terminal` runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the search should stop if its own terminal does not work"
)]
#![allow(dead_code, unused_imports, reason = "the tests use the rest of these modules")]

#[path = "../tests/it/cards.rs"]
mod cards;
#[path = "../tests/it/fuzz/mod.rs"]
mod fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [count, seed] = numbers.as_slice() else {
        eprintln!("usage: fuzz_terminal COUNT SEED");
        return ExitCode::FAILURE;
    };
    match fuzz::run_trials(*seed, *count, None, fuzz::Lines::default, fuzz::check_lines) {
        Ok(counts) => {
            println!("{counts:?}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

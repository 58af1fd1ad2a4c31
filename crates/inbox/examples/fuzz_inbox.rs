//! `fuzz_inbox COUNT SEED`: what `cargo xtask fuzz-terminal` runs on a full screen.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the search should stop if its own terminal does not work"
)]
#![allow(dead_code, unused_imports, reason = "the tests use the rest of these modules")]

#[path = "../../terminal/tests/it/cards.rs"]
mod cards;
#[path = "../tests/it/display.rs"]
mod display;
#[path = "../tests/it/emulator.rs"]
mod emulator;
#[path = "../../terminal/tests/it/fuzz/mod.rs"]
mod fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [count, seed] = numbers.as_slice() else {
        eprintln!("usage: fuzz_inbox COUNT SEED");
        return ExitCode::FAILURE;
    };
    match fuzz::run_trials(*seed, *count, None, display::Screens::default, |_| Ok(())) {
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

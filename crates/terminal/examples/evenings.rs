//! `evenings MANY SEED`: what `cargo xtask fuzz-terminal` runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a search whose own terminal cannot be used should fall over"
)]
#![allow(dead_code, unused_imports, reason = "the tests use the rest of it")]

#[path = "../tests/it/cards.rs"]
mod cards;
#[path = "../tests/it/fuzz/mod.rs"]
mod fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [many, seed] = numbers.as_slice() else {
        eprintln!("usage: evenings MANY SEED");
        return ExitCode::FAILURE;
    };
    match fuzz::evenings(*seed, *many, None) {
        Ok(tally) => {
            println!("{tally:?}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

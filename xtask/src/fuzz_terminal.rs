//! `fuzz-terminal`: random trials in which an operator types, pastes and looks away at a real
//! pseudo-terminal while cards open. No card may be answered by accident.
//!
//! The trials are examples of `countersign-terminal`, for lines, and of `countersign-inbox`, for the full
//! screen, so that xtask compiles without these crates. Their tests run fewer of the same trials.

use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::Parser;
use std::path::Path;

#[derive(Debug, Parser, PartialEq, Eq)]
struct TrialOptions {
    #[arg(long, default_value_t = 10_000)]
    trials: u64,
    /// Of the first trial.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let TrialOptions { trials, seed } = parse_options(words)?;
    // The kernel takes most of the time, so that nothing is gained by a faster build.
    let numbers = [trials.to_string(), seed.to_string()];
    for (package, example) in
        [("countersign-terminal", "fuzz_terminal"), ("countersign-inbox", "fuzz_inbox")]
    {
        let words = ["run", "--quiet", "--package", package, "--example", example, "--"];
        run(cargo(root, &words).args(&numbers))?;
    }
    Ok(Done::new("no accidental answer"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn numbers(words: &[&str]) -> Result<(u64, u64), Failure> {
        parse_options(words).map(|TrialOptions { trials, seed }| (trials, seed))
    }

    #[test]
    fn trials_and_seed_are_optional_and_come_in_any_order() {
        assert_eq!(numbers(&[]), Ok((10_000, 1)));
        assert_eq!(numbers(&["--seed", "7", "--trials", "20"]), Ok((20, 7)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for words in [&["--trials"][..], &["--trials", "many"], &["--trial", "2"]] {
            assert!(numbers(words).is_err(), "{words:?}");
        }
    }
}

//! `fuzz-terminal`: random trials in which an operator types, pastes and looks away at a real
//! pseudo-terminal while cards open. No card may be answered by accident.
//!
//! The trials are an example of `countersign-terminal`, so that xtask compiles without that crate.
//! The tests of that crate run fewer of the same trials.

use crate::failure::{CiResult, Done, Failure};
use crate::process::{cargo, run};
use std::path::Path;

const TRIALS: u64 = 10_000;
const SEED: u64 = 1;

pub fn run_with_options(root: &Path, options: &[&str]) -> CiResult {
    let (trials, seed) = numbers(options)?;
    // The kernel takes most of the time, so that nothing is gained by a faster build.
    let words = ["run", "--quiet", "--package", "countersign-terminal"];
    let numbers = [trials.to_string(), seed.to_string()];
    run(cargo(root, &words).args(["--example", "fuzz_terminal", "--"]).args(numbers))?;
    Ok(Done::new("no accidental answer"))
}

/// The number of trials and the seed of the first one.
fn numbers(words: &[&str]) -> Result<(u64, u64), Failure> {
    let (mut trials, mut seed) = (TRIALS, SEED);
    let mut words = words.iter();
    while let Some(option) = words.next() {
        let number = words.next().and_then(|word| word.parse().ok());
        match (*option, number) {
            ("--trials", Some(number)) => trials = number,
            ("--seed", Some(number)) => seed = number,
            _ => {
                let help = "`fuzz-terminal` takes `--trials N` and `--seed S`, two numbers";
                return Err(Failure::new(help));
            }
        }
    }
    Ok((trials, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_and_seed_are_optional_and_come_in_any_order() {
        assert_eq!(numbers(&[]), Ok((TRIALS, SEED)));
        assert_eq!(numbers(&["--seed", "7", "--trials", "20"]), Ok((20, 7)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for words in [&["--trials"][..], &["--trials", "many"], &["--trial", "2"]] {
            assert!(numbers(words).is_err(), "{words:?}");
        }
    }
}

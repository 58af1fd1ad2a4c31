//! `fuzz-terminal`: somebody types, pastes and looks away at a real pseudo-terminal while cards
//! come, ten thousand evenings long: nothing is answered by accident.
//!
//! The search is an example of the crate that is tested, so that the checks here compile without
//! it. The same evenings, fewer of them, are a test of that crate.

use crate::failure::{Done, Failure, StepResult};
use crate::process::{cargo, run};
use std::path::Path;

const EVENINGS: u64 = 10_000;
const SEED: u64 = 1;

pub fn run_with_options(root: &Path, options: &[&str]) -> StepResult {
    let (evenings, seed) = numbers(options)?;
    // The kernel takes most of the time, so that nothing is gained by a faster build.
    let words = ["run", "--quiet", "--package", "countersign-terminal"];
    let numbers = [evenings.to_string(), seed.to_string()];
    run(cargo(root, &words).args(["--example", "evenings", "--"]).args(numbers))?;
    Ok(Done::new("no accidental answer"))
}

/// How many evenings, and the seed of the first.
fn numbers(words: &[&str]) -> Result<(u64, u64), Failure> {
    let (mut evenings, mut seed) = (EVENINGS, SEED);
    let mut words = words.iter();
    while let Some(option) = words.next() {
        let number = words.next().and_then(|word| word.parse().ok());
        match (*option, number) {
            ("--evenings", Some(number)) => evenings = number,
            ("--seed", Some(number)) => seed = number,
            _ => {
                let help = "`fuzz-terminal` takes `--evenings N` and `--seed S`, two numbers";
                return Err(Failure::new(help));
            }
        }
    }
    Ok((evenings, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenings_and_seed_come_in_any_order_or_not_at_all() {
        assert_eq!(numbers(&[]), Ok((EVENINGS, SEED)));
        assert_eq!(numbers(&["--seed", "7", "--evenings", "20"]), Ok((20, 7)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for words in [&["--evenings"][..], &["--evenings", "many"], &["--evening", "2"]] {
            assert!(numbers(words).is_err(), "{words:?}");
        }
    }
}

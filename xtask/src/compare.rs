//! `compare`: both implementations of the decision, on as many random cases as one likes.
//!
//! The comparison is an example of the crate that holds the second implementation, so that the
//! checks here compile without it. Released code, because ten million cases take a while.

use crate::failure::{CiResult, Done, Failure};
use crate::process::{cargo, run};
use std::path::Path;

const CASES: u64 = 100_000;
const SEED: u64 = 1;

pub fn run_with_options(root: &Path, options: &[&str]) -> CiResult {
    let (seed, cases) = parse_options(options)?;
    let words = ["run", "--quiet", "--release", "--package", "countersign-reference"];
    let numbers = [seed.to_string(), cases.to_string()];
    run(cargo(root, &words).args(["--example", "compare", "--"]).args(numbers))?;
    Ok(Done::new("no difference"))
}

/// The seed and the number of cases.
fn parse_options(words: &[&str]) -> Result<(u64, u64), Failure> {
    let (mut seed, mut cases) = (SEED, CASES);
    let mut words = words.iter();
    while let Some(option) = words.next() {
        let number = words.next().and_then(|word| word.parse().ok());
        match (*option, number) {
            ("--cases", Some(number)) => cases = number,
            ("--seed", Some(number)) => seed = number,
            _ => {
                let help = "`compare` takes `--cases N` and `--seed S`, two numbers";
                return Err(Failure::new(help));
            }
        }
    }
    Ok((seed, cases))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_and_seed_come_in_any_order_or_not_at_all() {
        assert_eq!(parse_options(&[]), Ok((SEED, CASES)));
        assert_eq!(parse_options(&["--seed", "7", "--cases", "20"]), Ok((7, 20)));
        assert_eq!(parse_options(&["--cases", "20"]), Ok((SEED, 20)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for words in [&["--cases"][..], &["--cases", "many"], &["--case", "2"]] {
            assert!(parse_options(words).is_err(), "{words:?}");
        }
    }
}

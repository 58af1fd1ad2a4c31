//! `compare`: both implementations of the decision, on as many random cases as one likes.
//!
//! The comparison is an example of the crate that holds the second implementation, so that the
//! checks here compile without it. Released code, because ten million cases take a while.

use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::Parser;
use std::path::Path;

#[derive(Debug, Parser, PartialEq, Eq)]
struct CompareOptions {
    #[arg(long, default_value_t = 100_000)]
    cases: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let CompareOptions { cases, seed } = parse_options(words)?;
    let words = ["run", "--quiet", "--release", "--package", "countersign-reference"];
    let numbers = [seed.to_string(), cases.to_string()];
    run(cargo(root, &words).args(["--example", "compare", "--"]).args(numbers))?;
    Ok(Done::new("no difference"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_and_seed_come_in_any_order_or_not_at_all() {
        let parsed = |words: &[&str]| {
            let options: CompareOptions = parse_options(words).unwrap();
            (options.seed, options.cases)
        };
        assert_eq!(parsed(&[]), (1, 100_000));
        assert_eq!(parsed(&["--seed", "7", "--cases", "20"]), (7, 20));
        assert_eq!(parsed(&["--cases", "20"]), (1, 20));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for words in [&["--cases"][..], &["--cases", "many"], &["--case", "2"]] {
            assert!(parse_options::<CompareOptions>(words).is_err(), "{words:?}");
        }
    }
}

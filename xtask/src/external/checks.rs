//! One line for each check, and what happens after one that failed.

use super::options::SuiteOptions;
use crate::failure::{CiResult, Failure, judge};
use std::fmt::Debug;

pub struct Checks {
    keeps_going: bool,
    passed: usize,
    differences: Vec<String>,
}

impl Checks {
    pub fn new(options: &SuiteOptions) -> Self {
        Self { keeps_going: options.keeps_going, passed: 0, differences: Vec::new() }
    }

    /// Prints the check. A difference ends the run, unless it is to go on.
    pub fn note(&mut self, name: &str, result: Result<(), String>) -> Result<(), Failure> {
        match result {
            Ok(()) => {
                println!("ok    {name}");
                self.passed += 1;
                Ok(())
            }
            Err(why) => {
                println!("DIFF  {name}: {why}");
                let difference = format!("{name}: {why}");
                if !self.keeps_going {
                    return Err(Failure::new(difference));
                }
                self.differences.push(difference);
                Ok(())
            }
        }
    }

    pub fn equal<T: Debug + PartialEq>(
        &mut self,
        name: &str,
        found: &T,
        expected: &T,
    ) -> Result<(), Failure> {
        let result = match found == expected {
            true => Ok(()),
            false => Err(format!("{found:?}\n      instead of {expected:?}")),
        };
        self.note(name, result)
    }

    /// Runs a group of checks. One that could not be finished is a difference.
    pub fn group(
        &mut self,
        name: &str,
        play: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match play(self) {
            Err(failure) if self.keeps_going => self.note(name, Err(failure.message)),
            played => played,
        }
    }

    pub fn finish(self) -> CiResult {
        if self.passed == 0 && self.differences.is_empty() {
            return Err(Failure::new("nothing was checked"));
        }
        judge(&self.differences, format!("{} checks with programs of others", self.passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::parse_options;

    fn checks(words: &[&str]) -> Checks {
        Checks::new(&parse_options(words).unwrap())
    }

    #[test]
    fn a_difference_ends_the_run_or_is_kept_for_its_end() {
        assert!(checks(&[]).equal("a", &1, &2).is_err());
        let mut checks = checks(&["--keep-going"]);
        checks.equal("a", &1, &2).unwrap();
        checks.group("b", |_| Err(Failure::new("no answer"))).unwrap();
        checks.equal("c", &1, &1).unwrap();
        let failure = checks.finish().unwrap_err();
        assert!(failure.message.starts_with("2 findings"), "{failure}");
    }

    #[test]
    fn no_check_at_all_is_a_failure() {
        assert!(checks(&["--keep-going"]).finish().is_err());
    }
}

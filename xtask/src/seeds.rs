//! `seeds`: what the five earlier systems describe, played on a running daemon by an agent, an adapter
//! and an operator at its sockets.
//!
//! The scenarios are an example of this crate, because they need what the checks do not: a client of
//! the daemon. They stand in `examples/seeds`, a file or folder for each seed.

use crate::failure::{CiResult, Done, Failure};
use crate::process::{cargo, run};
use std::path::{Path, PathBuf};

const HELP: &str = "usage: cargo xtask seeds [--only WORDS] [--keep-going] [--program PATH]";

/// Fewer scenarios than this are a failure: somebody has lost some.
pub const MIN_SCENARIOS: usize = 60;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only scenarios whose seed or sentence contains this.
    pub only: Option<String>,
    pub after_difference: AfterDifference,
    /// Instead of the one that is built.
    pub program: Option<PathBuf>,
}

/// What happens after a scenario that came back differently.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum AfterDifference {
    #[default]
    End,
    /// The others are played too, for somebody who changes many at once.
    KeepGoing,
}

impl Options {
    pub fn matches(&self, seed: &str, sentence: &str) -> bool {
        let is_in = |words: &String| seed == words || sentence.contains(words.as_str());
        self.only.as_ref().is_none_or(is_in)
    }
}

pub fn parse_options(words: &[&str]) -> Result<Options, Failure> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = || Failure::new(format!("`{word}` needs a value; {HELP}"));
        match *word {
            "--only" => options.only = Some((*words.next().ok_or_else(value)?).to_owned()),
            "--keep-going" => options.after_difference = AfterDifference::KeepGoing,
            "--program" => {
                let path = words.next().ok_or_else(value)?;
                let found = std::fs::canonicalize(path);
                let found = found.map_err(|error| Failure::new(format!("{path}: {error}")))?;
                options.program = Some(found);
            }
            other => return Err(Failure::new(format!("`{other}` is no option; {HELP}"))),
        }
    }
    Ok(options)
}

/// The step of `ci`.
pub fn step(root: &Path) -> CiResult {
    run_with_options(root, &[])
}

/// Builds the program and the scenarios, unless a program is named, and plays them.
pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    if parse_options(words)?.program.is_none() {
        run(&mut cargo(root, &["build", "--quiet", "--bin", "countersign"]))?;
    }
    let mut command = cargo(root, &["run", "--quiet", "--package", "xtask"]);
    run(command.args(["--example", "seeds-play", "--"]).args(words))?;
    Ok(Done::new("every scenario came back as the seeds describe it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_chosen_by_its_seed_or_by_words_of_its_sentence() {
        let options = parse_options(&["--only", "004"]).unwrap();
        assert!(options.matches("004", "a stop clears"));
        assert!(!options.matches("003", "a stop clears"));
        assert!(parse_options(&["--only", "stop"]).unwrap().matches("003", "a stop clears"));
        assert!(parse_options(&[]).unwrap().matches("000", "anything"));
    }

    #[test]
    fn an_option_without_its_value_is_refused() {
        assert!(parse_options(&["--only"]).is_err());
        assert!(parse_options(&["--all"]).is_err());
    }
}

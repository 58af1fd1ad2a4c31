//! `scenarios`: what the five earlier systems describe, played on a running daemon by an agent, an adapter
//! and an operator at its sockets.
//!
//! The scenarios are an example of this crate, because they need what the checks do not: a client of
//! the daemon. They stand in `examples/scenarios`, a group for each system.

use crate::built::{SCENARIOS, build_example};
use crate::external::options::SuiteOptions;
use crate::failure::{CiResult, Done};
use crate::options::parse_options;
use crate::process::run;
use std::path::Path;
use std::process::Command;

/// Fewer scenarios than this are a failure: somebody has lost some.
pub const MIN_SCENARIOS: usize = 60;

/// Whether a scenario is among those that were asked for: by its group, or by words of its sentence.
pub fn is_chosen(options: &SuiteOptions, group: &str, sentence: &str) -> bool {
    let is_in = |words: &String| group == words || sentence.contains(words.as_str());
    options.only.as_ref().is_none_or(is_in)
}

/// The step of `ci`.
pub fn step(root: &Path) -> CiResult {
    run_with_options(root, &[])
}

/// Builds the program and the scenarios, and plays them.
pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    parse_options::<SuiteOptions>(words)?;
    let player = build_example(root, SCENARIOS)?;
    run(Command::new(player).current_dir(root).args(words))?;
    Ok(Done::new("every scenario came back as the earlier systems describe it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_chosen_by_its_group_or_by_words_of_its_sentence() {
        let chosen =
            |only: &[&str], group| is_chosen(&parse_options(only).unwrap(), group, "a stop clears");
        assert!(chosen(&["--only", "conversation"], "conversation"));
        assert!(!chosen(&["--only", "conversation"], "consent-graph"));
        assert!(chosen(&["--only", "stop"], "consent-graph"));
        assert!(chosen(&[], "gated-functions"));
    }
}

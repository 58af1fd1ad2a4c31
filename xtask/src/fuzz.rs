//! `fuzz`: what comes from outside, mutated, a minute for each target.
//!
//! The search is an example of the crate that holds the targets, so that the checks here compile
//! without it. It runs as a process of its own: a stack that runs out takes only that one along.

use crate::failure::{CiResult, Done, Failure};
use crate::options::parse_options;
use crate::process::{cargo, run};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};

/// The targets, as `crates/fuzz` names them and the folders of their seeds are called.
pub const TARGETS: &[&str] = &["graph", "policy", "case", "call", "command", "entry", "grants"];

/// What was asked for.
#[derive(Debug, Parser, PartialEq, Eq)]
struct FuzzOptions {
    #[arg(value_name = "TARGET", value_parser = PossibleValuesParser::new(TARGETS), default_values = TARGETS)]
    targets: Vec<String>,
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tried alone, for one target.
    #[arg(long)]
    input: Option<PathBuf>,
}

pub fn run_with_options(root: &Path, options: &[&str]) -> CiResult {
    let wanted: FuzzOptions = parse_options(options)?;
    let folder = root.join("target/findings");
    if let Some(input) = &wanted.input {
        let [target] = wanted.targets.as_slice() else {
            return Err(Failure::new("`--input` needs the one target it is for"));
        };
        // Relative to where it was typed, not to the root.
        let file = std::path::absolute(input)
            .map_err(|error| Failure::new(format!("`{}`: {error}", input.display())))?;
        run(search_command(root).args([target.as_str(), "--input"]).arg(file))?;
        return Ok(Done::new("it holds"));
    }
    let mut broken = Vec::new();
    for target in &wanted.targets {
        let numbers = [wanted.seconds.to_string(), wanted.seed.to_string()];
        if run(search_command(root).arg(target).args(numbers).arg(&folder)).is_err() {
            broken.push(repair_advice(target, &folder));
        }
    }
    crate::failure::judge(&broken, format!("{} targets hold", wanted.targets.len()))
}

fn search_command(root: &Path) -> std::process::Command {
    let words = ["run", "--quiet", "--profile", "fuzz", "--package", "countersign-fuzz"];
    let mut command = cargo(root, &words);
    command.args(["--example", "fuzz", "--"]);
    command
}

/// A process that was taken along leaves its last input behind.
fn repair_advice(target: &str, folder: &Path) -> String {
    let current = folder.join(format!("{target}.current"));
    let last = match current.is_file() {
        true => format!("; the last input is `{}`", current.display()),
        false => String::new(),
    };
    format!(
        "`{target}` is broken{last}; `cargo xtask fuzz {target} --input FILE` repeats one input; \
         once it is mended, keep it below `crates/fuzz/seeds/{target}`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_words_every_target_gets_a_minute() {
        let all = TARGETS.iter().map(|name| (*name).to_owned()).collect();
        let expected = FuzzOptions { targets: all, seconds: 60, seed: 1, input: None };
        assert_eq!(parse_options(&[]), Ok(expected));
    }

    #[test]
    fn every_target_has_a_folder_of_seeds() {
        let folders = std::fs::read_dir(crate::steps::root().join("crates/fuzz/seeds")).unwrap();
        let mut names: Vec<String> =
            folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let mut targets = TARGETS.to_vec();
        targets.sort_unstable();
        assert_eq!(names, targets);
    }

    #[test]
    fn a_target_and_its_time_come_in_any_order() {
        let expected =
            FuzzOptions { targets: vec!["call".into()], seconds: 5, seed: 7, input: None };
        assert_eq!(parse_options(&["--seconds", "5", "call", "--seed", "7"]), Ok(expected));
    }

    #[test]
    fn what_is_no_target_or_no_number_is_refused() {
        for words in [&["grap"][..], &["--seconds"], &["--seconds", "x"], &["--input"]] {
            assert!(parse_options::<FuzzOptions>(words).is_err(), "{words:?}");
        }
    }
}

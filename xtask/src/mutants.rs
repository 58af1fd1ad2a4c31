//! Mutants: one thing changed in the functions that decide, and a test that has to notice.
//!
//! `mutants.toml` says what is changed. Tests look at a mutant in turn, the cheapest first, and the
//! next only at what got past the ones before. What was noticed is remembered under
//! `target/mutants` until the mutants themselves change, so a run goes on where it stopped, and
//! shards add up.
//! No step of `ci`: it needs a tool that is not part of this repository.

use crate::failure::{CiResult, Failure, judge};
use crate::options::parse_options;
use crate::process::{can_run, capture, cargo, display_command};
use clap::Parser;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// More than this is not run through before the code has moved on.
const MAX_MUTANTS: usize = 300;
/// Worlds per property, of 256: a mutant is held against few.
const WORLDS: &str = "48";
/// Longer than tests without a mutant take, and short enough to notice a loop without end.
const SECONDS: &str = "120";

/// One part of the mutants, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    at: usize,
    of: usize,
}

#[derive(Debug, Parser)]
struct MutantOptions {
    #[arg(long, value_name = "K/N", value_parser = parse_shard, default_value = "0/1")]
    shard: Shard,
}

/// Tests that look at a mutant together.
struct TestRound {
    package: &'static str,
    target: &'static [&'static str],
    tests: &'static str,
}

const ROUNDS: [TestRound; 4] = [
    TestRound {
        package: "countersign-stories",
        target: &["--test", "it"],
        // In memory: what a store does to a story is not what is mutated.
        tests: "test(shards::on_memory) | test(matrix::)",
    },
    TestRound { package: "countersign-core", target: &["--lib"], tests: "all()" },
    TestRound {
        package: "countersign-engine",
        target: &["--test", "it"],
        // Two count what worlds reach, and need all of them; one is about stores.
        tests: "not (test(properties::reach) | test(properties::differing) | test(properties::same_on_stores))",
    },
    TestRound {
        package: "countersign-reference",
        target: &["--test", "it"],
        tests: "test(agreement::both)",
    },
];

pub fn run_with_options(root: &Path, options: &[&str]) -> CiResult {
    let MutantOptions { shard } = parse_options(options)?;
    for (tool, package) in [("mutants", "cargo-mutants"), ("nextest", "cargo-nextest")] {
        if !can_run(&mut cargo(root, &[tool, "--version"])) {
            let help =
                format!("there is no `cargo {tool}`; `cargo install --locked {package}` builds it");
            return Err(Failure::new(help));
        }
    }
    let list = capture(&mut cargo(root, &["mutants", "--config", "mutants.toml", "--list"]))?;
    let all: Vec<&str> = list.lines().collect();
    if all.len() > MAX_MUTANTS {
        let says = format!("{} mutants, {MAX_MUTANTS} at most: narrow `mutants.toml`", all.len());
        return Err(Failure::new(says));
    }
    let kept = prepare_results_folder(&root.join("target/mutants"), &list)?;
    let part = part(&all, shard);
    let survivors = run(root, &kept, &part)?;
    let survivors: Vec<_> = survivors.iter().map(|name| format!("survives: {name}")).collect();
    judge(&survivors, format!("no survivor among {} of {} mutants", part.len(), all.len()))
}

fn part(all: &[&str], shard: Shard) -> Vec<String> {
    all.iter().skip(shard.at).step_by(shard.of).map(|name| (*name).to_owned()).collect()
}

fn parse_shard(text: &str) -> Result<Shard, &'static str> {
    let parts =
        text.split_once('/').and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((at, of)) if at < of => Ok(Shard { at, of }),
        _ => Err("of ten, write 0/10, 1/10 and so on"),
    }
}

/// The folder of what was noticed, emptied if the mutants are others than they were.
fn prepare_results_folder(folder: &Path, list: &str) -> Result<PathBuf, Failure> {
    let known = folder.join("list.txt");
    if fs::read_to_string(&known).is_ok_and(|before| before == list) {
        return Ok(folder.to_path_buf());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    fs::write(&known, list).map_err(|error| unwritable(&known, &error))?;
    Ok(folder.to_path_buf())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`: {error}", path.display()))
}

/// Shows these mutants to one round of tests after the other, and names those that survive all.
fn run(root: &Path, kept: &Path, part: &[String]) -> Result<Vec<String>, Failure> {
    // What an interrupted run had noticed.
    let mut noticed = collect(kept)?;
    for round in &ROUNDS {
        let left = remove_noticed(part, &noticed);
        if left.is_empty() {
            break;
        }
        println!("{} mutants for {}", left.len(), round.package);
        look(&mut command(root, kept, round, &left))?;
        noticed = collect(kept)?;
    }
    Ok(remove_noticed(part, &noticed))
}

fn remove_noticed(part: &[String], noticed: &BTreeSet<String>) -> Vec<String> {
    part.iter().filter(|name| !noticed.contains(*name)).cloned().collect()
}

fn command(root: &Path, kept: &Path, round: &TestRound, names: &[String]) -> Command {
    // The names say all that the configuration could.
    let mut command = cargo(root, &["mutants", "--no-config", "--no-shuffle", "--jobs", "1"]);
    for name in names {
        command.args(["--re", &pattern(name)]);
    }
    // `delete field` is let in whatever the pattern says.
    for file in names.iter().filter_map(|name| name.split(':').next()).collect::<BTreeSet<_>>() {
        command.args(["--file", file]);
    }
    command.args(["--test-tool", "nextest", "--profile", "mutants"]);
    command.args(["--minimum-test-timeout", SECONDS, "--test-package", round.package]);
    // Once more for the run without a mutant, which would try only the tests of the changed crate.
    for word in ["--package", round.package].iter().chain(round.target) {
        command.arg(format!("--cargo-arg={word}"));
    }
    for word in ["--fail-fast", "-E", round.tests] {
        command.arg(format!("--cargo-test-arg={word}"));
    }
    command.arg("--output").arg(kept);
    // Dependencies are built once and not for every copy of the workspace.
    command.env("CARGO_TARGET_DIR", root.join("target/mutants-build"));
    command.env("PROPTEST_CASES", WORLDS);
    command
}

/// A pattern for exactly this name.
fn pattern(name: &str) -> String {
    let mut pattern = String::from("^");
    for c in name.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('$');
    pattern
}

fn look(command: &mut Command) -> Result<(), Failure> {
    let says = |what: String| Failure::new(format!("`cargo mutants` {what}"));
    let status = command.status().map_err(|e| says(format!("could not be run: {e}")))?;
    match status.code() {
        // All noticed, some missed, some in a loop without end.
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(says(format!("ended with {status}; it was `{}`", display_command(command)))),
    }
}

/// Everything noticed so far; what `cargo mutants` wrote last is taken over first. A loop without
/// end is noticed, and what does not compile cannot survive.
fn collect(kept: &Path) -> Result<BTreeSet<String>, Failure> {
    let (known, output) = (kept.join("noticed.txt"), kept.join("mutants.out"));
    let lists = ["caught.txt", "timeout.txt", "unviable.txt"].map(|list| output.join(list));
    let noticed: BTreeSet<String> = std::iter::once(&known)
        .chain(&lists)
        .filter_map(|list| fs::read_to_string(list).ok())
        .flat_map(|list| list.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let text: String = noticed.iter().map(|name| format!("{name}\n")).collect();
    fs::write(&known, text).map_err(|error| unwritable(&known, &error))?;
    Ok(noticed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_a_number() {
        assert_eq!(parse_shard("0/10"), Ok(Shard { at: 0, of: 10 }));
        for text in ["10/10", "1", "a/b", "-1/3", "1/0", ""] {
            assert!(parse_shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_a_word_all_mutants_are_run() {
        let parsed =
            |words: &[&str]| parse_options::<MutantOptions>(words).map(|found| found.shard);
        assert_eq!(parsed(&[]).unwrap(), Shard { at: 0, of: 1 });
        assert_eq!(parsed(&["--shard", "2/4"]).unwrap(), Shard { at: 2, of: 4 });
        assert!(parsed(&["--shards"]).is_err());
    }

    #[test]
    fn shards_share_all_mutants_among_them() {
        let all = ["a", "b", "c", "d", "e"];
        assert_eq!(part(&all, Shard { at: 0, of: 2 }), ["a", "c", "e"]);
        assert_eq!(part(&all, Shard { at: 1, of: 2 }), ["b", "d"]);
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("xtask-mutants-{name}-{}", std::process::id()))
    }

    #[test]
    fn what_was_noticed_is_remembered_until_the_mutants_change() {
        let folder = folder("list");
        let kept = prepare_results_folder(&folder, "a\n").unwrap();
        fs::write(kept.join("noticed.txt"), "a\n").unwrap();
        assert!(prepare_results_folder(&folder, "a\n").unwrap().join("noticed.txt").exists());
        assert!(!prepare_results_folder(&folder, "b\n").unwrap().join("noticed.txt").exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_was_missed_is_left_for_the_next_round() {
        let folder = folder("left");
        let output = folder.join("mutants.out");
        fs::create_dir_all(&output).unwrap();
        fs::write(output.join("caught.txt"), "a\n").unwrap();
        fs::write(output.join("timeout.txt"), "b\n").unwrap();
        fs::write(output.join("missed.txt"), "c\n").unwrap();
        collect(&folder).unwrap();
        fs::remove_dir_all(&output).unwrap();
        let part = ["a", "b", "c", "d"].map(str::to_owned);
        assert_eq!(remove_noticed(&part, &collect(&folder).unwrap()), ["c", "d"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_name_stands_for_itself_in_a_pattern() {
        assert_eq!(
            pattern("a.rs:1:2: replace || with && in b<'c>"),
            r"^a\.rs:1:2: replace \|\| with && in b<'c>$"
        );
    }
}

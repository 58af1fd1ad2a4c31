//! The tests of the whole workspace, with `cargo nextest` where it is installed.
//!
//! The counts come from the runner's own closing lines. A run in which no test passed is a
//! failure: a harness that finds nothing has found nothing out.

use crate::failure::{CiResult, Done, Failure, Tally};
use crate::installed;
use crate::process::{can_run, cargo, display_command, run_and_capture};
use countersign_scratch::{ADDRESS_VARIABLE, Fsync, PostgresServer};
use std::path::Path;
use std::process::Command;

pub fn step(root: &Path) -> CiResult {
    // The proofs of the tests are made by it.
    installed::ensure_program("cvc5")?;
    installed::ensure_package("postgresql", countersign_scratch::is_postgres_installed)?;
    installed::ensure_package("pgbouncer", countersign_scratch::is_pooler_installed)?;
    // One server for all tests, each of which has tables of its own; it ends with this function.
    let server = PostgresServer::start(Fsync::Off).map_err(Failure::new)?;
    let address = server.address();
    let cargo = |root: &Path, words: &[&str]| {
        let mut command = cargo(root, words);
        command.env(ADDRESS_VARIABLE, &address);
        command
    };
    let tally = if can_run(&mut cargo(root, &["nextest", "--version"])) {
        let words = ["nextest", "run", "--workspace", "--no-fail-fast"];
        // nextest runs no examples in docs; `tidy` refuses them.
        count(&mut cargo(root, &words), nextest_tally)?
    } else {
        let words = ["test", "--workspace", "--no-fail-fast"];
        count(&mut cargo(root, &words), libtest_tally)?
    };
    verdict(tally)
}

fn verdict(tally: Tally) -> CiResult {
    if tally.passed == 0 {
        let sentence = "no test passed: the runner found none, or its closing line changed";
        return Err(Failure { message: sentence.to_owned(), tally: Some(tally) });
    }
    Ok(Done { message: "all tests passed".to_owned(), tally: Some(tally) })
}

fn count(command: &mut Command, read: fn(&str) -> Tally) -> Result<Tally, Failure> {
    let (status, printed) = run_and_capture(command)?;
    let tally = read(&printed);
    if status.success() && tally.failed == 0 {
        return Ok(tally);
    }
    let sentence = format!("`{}` ended with {status}", display_command(command));
    Err(Failure { message: sentence, tally: Some(tally) })
}

/// From nextest's `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 failed, 0 skipped`.
fn nextest_tally(printed: &str) -> Tally {
    let closing = printed.lines().filter(|line| line.trim_start().starts_with("Summary ["));
    closing.map(numbers).fold(Tally::NONE, Tally::plus)
}

/// From the `test result: ok. 3 passed; 0 failed; …` of every test binary.
fn libtest_tally(printed: &str) -> Tally {
    let closing = printed.lines().filter(|line| line.starts_with("test result: "));
    closing.map(numbers).fold(Tally::NONE, Tally::plus)
}

/// A number counts for the word behind it; nextest also has `1 exec failed` and `1 timed out`.
fn numbers(line: &str) -> Tally {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut tally = Tally::NONE;
    for (number, word) in words.iter().zip(words.iter().skip(1)) {
        let Ok(number) = number.trim_start_matches('(').parse::<u64>() else { continue };
        match word.trim_end_matches([',', ';', ')']) {
            "passed" => tally.passed += number,
            "failed" | "exec" | "timed" => tally.failed += number,
            _ => {}
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_nextest_is_read() {
        let printed = "    PASS [ 0.0s] a b\n     Summary [   0.031s] 16 tests run: 12 passed (1 slow, 1 leaky), 1 failed, 2 timed out, 1 exec failed, 3 skipped\n";
        assert_eq!(nextest_tally(printed), Tally { passed: 12, failed: 4 });
    }

    #[test]
    fn the_closing_lines_of_all_test_binaries_are_added_up() {
        let one = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let two = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let printed = format!("running 3 tests\n{one}\nrunning 3 tests\n{two}\n");
        assert_eq!(libtest_tally(&printed), Tally { passed: 4, failed: 2 });
    }

    #[test]
    fn a_test_that_prints_numbers_is_not_counted() {
        let printed = "I saw 5 passed and 9 failed\n";
        assert_eq!(nextest_tally(printed), Tally::NONE);
        assert_eq!(libtest_tally(printed), Tally::NONE);
    }

    #[test]
    fn a_run_without_tests_is_a_failure() {
        let failure = verdict(Tally::NONE).unwrap_err();
        assert_eq!(failure.tally, Some(Tally::NONE));
    }
}

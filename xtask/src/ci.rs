//! Runs all steps in order, each with its time, and stops at the first failure.
//!
//! The last line is the test runner's own count, so that it shows whether tests ran.

use crate::clock::{Stopwatch, children_cpu_time, seconds};
use crate::failure::{CiResult, Failure, Tally};
use crate::steps::CiStep;
use std::path::Path;
use std::time::Duration;

struct FinishedStep {
    name: &'static str,
    took: Duration,
    /// On all processors together.
    cpu: Duration,
    result: CiResult,
}

pub fn run(steps: &[CiStep], root: &Path) -> Result<(), Failure> {
    let whole = Stopwatch::start();
    let mut lines = Vec::new();
    for step in steps {
        let line = run_step(step, root);
        let stop = line.result.is_err();
        lines.push(line);
        if stop {
            break;
        }
    }
    println!("\n{}", render_summary(&lines, steps.len(), whole.elapsed()));
    match lines.iter().find_map(|line| line.result.as_ref().err().map(|_| line.name)) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!("stopped at `{name}`"))),
    }
}

fn run_step(step: &CiStep, root: &Path) -> FinishedStep {
    println!("\n== {}: {}", step.name, step.what);
    let (watch, cpu_before) = (Stopwatch::start(), children_cpu_time());
    let ended = (step.run)(root);
    let (took, cpu) = (watch.elapsed(), children_cpu_time().saturating_sub(cpu_before));
    match &ended {
        Ok(done) => println!("-- {}: {} ({})", step.name, done.message, seconds(took)),
        Err(failure) => println!("-- {} failed: {failure} ({})", step.name, seconds(took)),
    }
    FinishedStep { name: step.name, took, cpu, result: ended }
}

fn render_summary(lines: &[FinishedStep], planned: usize, whole: Duration) -> String {
    let mut text = String::from("== summary\n");
    for line in lines {
        let word = if line.result.is_ok() { "ok" } else { "failed" };
        let (took, cpu) = (seconds(line.took), seconds(line.cpu));
        text.push_str(&format!("{:<15} {took:>9}  CPU {cpu:>9}  {word}\n", line.name));
    }
    let (whole, cpu) = (seconds(whole), seconds(lines.iter().map(|line| line.cpu).sum()));
    text.push_str(&format!("{} of {planned} steps in {whole}, CPU {cpu}\n", lines.len()));
    if let Some((line, failure)) = find_failure(lines) {
        let name = line.name;
        text.push_str(&format!("failed at `{name}`: {failure}\n"));
        text.push_str(&format!("`cargo xtask {name}` repeats this step alone\n"));
    }
    match lines.iter().find_map(find_tally) {
        Some(tally) => text.push_str(&tally.to_string()),
        None => text.push_str("no test was run"),
    }
    text
}

fn find_failure(lines: &[FinishedStep]) -> Option<(&FinishedStep, &Failure)> {
    lines.iter().find_map(|line| line.result.as_ref().err().map(|failure| (line, failure)))
}

fn find_tally(line: &FinishedStep) -> Option<Tally> {
    match &line.result {
        Ok(done) => done.tally,
        Err(failure) => failure.tally,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Done;

    fn fine(_: &Path) -> CiResult {
        let tally = Some(Tally { passed: 12, failed: 0 });
        Ok(Done { message: "all well".into(), tally })
    }

    fn broken(_: &Path) -> CiResult {
        Err(Failure::new("it broke"))
    }

    fn never(_: &Path) -> CiResult {
        panic!("a step after a failure was run")
    }

    const FINE: CiStep = CiStep { name: "fine", what: "", run: fine };
    const BROKEN: CiStep = CiStep { name: "broken", what: "", run: broken };
    const NEVER: CiStep = CiStep { name: "never", what: "", run: never };

    #[test]
    fn the_first_failure_ends_the_run_and_is_named() {
        let failure = run(&[FINE, BROKEN, NEVER], Path::new(".")).unwrap_err();
        assert_eq!(failure.message, "stopped at `broken`");
    }

    #[test]
    fn the_last_line_is_the_count_of_the_test_runner() {
        let lines = [run_step(&FINE, Path::new("."))];
        let text = render_summary(&lines, 1, Duration::ZERO);
        assert_eq!(text.lines().last(), Some("12 passed, 0 failed"));
    }

    #[test]
    fn a_failure_before_the_tests_claims_no_count() {
        let lines = [run_step(&BROKEN, Path::new("."))];
        let text = render_summary(&lines, 3, Duration::ZERO);
        assert!(text.contains("1 of 3 steps"), "{text}");
        assert!(text.contains("failed at `broken`: it broke"), "{text}");
        assert_eq!(text.lines().last(), Some("no test was run"));
    }
}

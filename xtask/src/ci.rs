//! All steps in a row, each with its time; the first failure ends it.
//!
//! The last line is the test runner's own count, so that whoever reads only that line still
//! learns whether tests ran.

use crate::clock::{Stopwatch, seconds};
use crate::failure::{Ended, Failure, Tally};
use crate::steps::Step;
use std::path::Path;
use std::time::Duration;

struct Line {
    name: &'static str,
    took: Duration,
    ended: Ended,
}

pub fn run(steps: &[Step], root: &Path) -> Result<(), Failure> {
    let whole = Stopwatch::start();
    let mut lines = Vec::new();
    for step in steps {
        let line = one(step, root);
        let stop = line.ended.is_err();
        lines.push(line);
        if stop {
            break;
        }
    }
    println!("\n{}", summary(&lines, steps.len(), whole.elapsed()));
    match lines.iter().find_map(|line| line.ended.as_ref().err().map(|_| line.name)) {
        None => Ok(()),
        Some(name) => Err(Failure::saying(format!("stopped at `{name}`"))),
    }
}

fn one(step: &Step, root: &Path) -> Line {
    println!("\n== {}: {}", step.name, step.what);
    let watch = Stopwatch::start();
    let ended = (step.run)(root);
    let took = watch.elapsed();
    match &ended {
        Ok(done) => println!("-- {}: {} ({})", step.name, done.sentence, seconds(took)),
        Err(failure) => println!("-- {} failed: {failure} ({})", step.name, seconds(took)),
    }
    Line { name: step.name, took, ended }
}

fn summary(lines: &[Line], planned: usize, whole: Duration) -> String {
    let mut text = String::from("== summary\n");
    for line in lines {
        let word = if line.ended.is_ok() { "ok" } else { "failed" };
        text.push_str(&format!("{:<11} {:>9}  {word}\n", line.name, seconds(line.took)));
    }
    text.push_str(&format!("{} of {planned} steps in {}\n", lines.len(), seconds(whole)));
    if let Some((line, failure)) = failed(lines) {
        let name = line.name;
        text.push_str(&format!("failed at `{name}`: {failure}\n"));
        text.push_str(&format!("`cargo xtask {name}` repeats this step alone\n"));
    }
    match lines.iter().find_map(tally) {
        Some(tally) => text.push_str(&tally.to_string()),
        None => text.push_str("no test was run"),
    }
    text
}

fn failed(lines: &[Line]) -> Option<(&Line, &Failure)> {
    lines.iter().find_map(|line| line.ended.as_ref().err().map(|failure| (line, failure)))
}

fn tally(line: &Line) -> Option<Tally> {
    match &line.ended {
        Ok(done) => done.tally,
        Err(failure) => failure.tally,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Done;

    fn fine(_: &Path) -> Ended {
        let tally = Some(Tally { passed: 12, failed: 0 });
        Ok(Done { sentence: "all well".into(), tally })
    }

    fn broken(_: &Path) -> Ended {
        Err(Failure::saying("it broke"))
    }

    fn never(_: &Path) -> Ended {
        panic!("a step after a failure was run")
    }

    const FINE: Step = Step { name: "fine", what: "", run: fine };
    const BROKEN: Step = Step { name: "broken", what: "", run: broken };
    const NEVER: Step = Step { name: "never", what: "", run: never };

    #[test]
    fn the_first_failure_ends_the_run_and_is_named() {
        let failure = run(&[FINE, BROKEN, NEVER], Path::new(".")).unwrap_err();
        assert_eq!(failure.sentence, "stopped at `broken`");
    }

    #[test]
    fn the_last_line_is_the_count_of_the_test_runner() {
        let lines = [one(&FINE, Path::new("."))];
        let text = summary(&lines, 1, Duration::ZERO);
        assert_eq!(text.lines().last(), Some("12 passed, 0 failed"));
    }

    #[test]
    fn a_failure_before_the_tests_claims_no_count() {
        let lines = [one(&BROKEN, Path::new("."))];
        let text = summary(&lines, 3, Duration::ZERO);
        assert!(text.contains("1 of 3 steps"), "{text}");
        assert!(text.contains("failed at `broken`: it broke"), "{text}");
        assert_eq!(text.lines().last(), Some("no test was run"));
    }
}

//! What came of a case, so that a failure can be acted on: place, expected, got, reasons.

use countersign_graph::Problems;
use serde_json::{Value, json};

/// One case file and what came of it.
#[derive(Debug)]
pub struct CaseReport {
    pub file: String,
    pub story: String,
    pub verdict: Verdict,
}

#[derive(Debug)]
pub enum Verdict {
    Passed,
    Failed(Vec<Failure>),
    /// The file could not be read as a case, so nothing of it was run.
    Unreadable(Problems),
}

/// One expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub step: usize,
    pub line: usize,
    pub expected: String,
    pub got: String,
    /// The decision's own reasons, one line per action.
    pub reasons: Vec<String>,
}

impl CaseReport {
    pub fn passed(&self) -> bool {
        matches!(self.verdict, Verdict::Passed)
    }

    /// The lines that a person reads; none for a case that passed.
    pub fn lines(&self) -> Vec<String> {
        match &self.verdict {
            Verdict::Passed => Vec::new(),
            Verdict::Failed(failures) => {
                failures.iter().flat_map(|failure| failure.lines(&self.file)).collect()
            }
            Verdict::Unreadable(problems) => {
                let helps = problems.list().iter().map(|problem| problem.help.as_str());
                problems
                    .lines()
                    .zip(helps)
                    .flat_map(|(line, help)| [line, format!("  help: {help}")])
                    .collect()
            }
        }
    }

    pub fn json(&self) -> Value {
        let (verdict, failures, problems) = match &self.verdict {
            Verdict::Passed => ("passed", Vec::new(), Vec::new()),
            Verdict::Failed(failures) => {
                ("failed", failures.iter().map(Failure::json).collect(), Vec::new())
            }
            Verdict::Unreadable(problems) => {
                ("unreadable", Vec::new(), problems.lines().collect::<Vec<_>>())
            }
        };
        json!({
            "file": self.file,
            "story": self.story,
            "verdict": verdict,
            "failures": failures,
            "problems": problems,
        })
    }
}

impl Failure {
    fn lines(&self, file: &str) -> Vec<String> {
        let mut lines = vec![
            format!("{file}:{}: step {}", self.line, self.step),
            format!("  expected  {}", self.expected),
            format!("  got       {}", self.got),
        ];
        lines.extend(self.reasons.iter().map(|reason| format!("  because   {reason}")));
        lines
    }

    fn json(&self) -> Value {
        json!({
            "step": self.step,
            "line": self.line,
            "expected": self.expected,
            "got": self.got,
            "reasons": self.reasons,
        })
    }
}

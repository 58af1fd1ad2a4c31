//! The report of a case: for each failure the position, expected and actual result, and reasons.

use countersign_graph::Problems;
use serde_json::{Value, json};

/// One case file and its outcome.
#[derive(Debug)]
pub struct CaseReport {
    pub file: String,
    pub story: String,
    pub outcome: CaseOutcome,
}

#[derive(Debug)]
pub enum CaseOutcome {
    Passed,
    Failed(Vec<CaseFailure>),
    /// The file is not a valid case, so none of its steps ran.
    Unreadable(Problems),
}

/// One expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFailure {
    pub step: usize,
    pub line: usize,
    pub expected: String,
    pub got: String,
    /// The decision's own reasons, one line per action.
    pub reasons: Vec<String>,
}

impl CaseReport {
    pub fn has_passed(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Passed)
    }

    /// The report for people; no lines for a case that passed.
    pub fn render_lines(&self) -> Vec<String> {
        match &self.outcome {
            CaseOutcome::Passed => Vec::new(),
            CaseOutcome::Failed(failures) => {
                failures.iter().flat_map(|failure| failure.render_lines(&self.file)).collect()
            }
            CaseOutcome::Unreadable(problems) => {
                let helps = problems.list().iter().map(|problem| problem.help.as_str());
                problems
                    .lines()
                    .zip(helps)
                    .flat_map(|(line, help)| [line, format!("  help: {help}")])
                    .collect()
            }
        }
    }

    pub fn to_json(&self) -> Value {
        let (outcome, failures, problems) = match &self.outcome {
            CaseOutcome::Passed => ("passed", Vec::new(), Vec::new()),
            CaseOutcome::Failed(failures) => {
                ("failed", failures.iter().map(CaseFailure::to_json).collect(), Vec::new())
            }
            CaseOutcome::Unreadable(problems) => {
                ("unreadable", Vec::new(), problems.lines().collect::<Vec<_>>())
            }
        };
        json!({
            "file": self.file,
            "story": self.story,
            "verdict": outcome,
            "failures": failures,
            "problems": problems,
        })
    }
}

impl CaseFailure {
    fn render_lines(&self, file: &str) -> Vec<String> {
        let mut lines = vec![
            format!("{file}:{}: step {}", self.line, self.step),
            format!("  expected  {}", self.expected),
            format!("  got       {}", self.got),
        ];
        lines.extend(self.reasons.iter().map(|reason| format!("  because   {reason}")));
        lines
    }

    fn to_json(&self) -> Value {
        json!({
            "step": self.step,
            "line": self.line,
            "expected": self.expected,
            "got": self.got,
            "reasons": self.reasons,
        })
    }
}

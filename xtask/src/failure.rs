//! How a step ends: done with one sentence, or stopped with one.
//!
//! Everything here is read by a person at a terminal, so a failure is text. No caller decides
//! anything from its kind.

use std::fmt;

/// What a step has to say when it ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub sentence: String,
    pub tally: Option<Tally>,
}

/// The test runner's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

/// Why a step stopped, and the runner's numbers if it got that far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub sentence: String,
    pub tally: Option<Tally>,
}

pub type Ended = Result<Done, Failure>;

impl Done {
    pub fn saying(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), tally: None }
    }
}

impl Failure {
    pub fn saying(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), tally: None }
    }
}

impl Tally {
    pub const NONE: Self = Self { passed: 0, failed: 0 };

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

/// No finding is a success with the given sentence; any finding is a failure that lists them all.
pub fn judge(findings: &[String], fine: impl Into<String>) -> Ended {
    match findings {
        [] => Ok(Done::saying(fine)),
        [one] => Err(Failure::saying(one.clone())),
        many => {
            let list = many.join("\n  ");
            Err(Failure::saying(format!("{} findings:\n  {list}", many.len())))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl std::error::Error for Failure {}

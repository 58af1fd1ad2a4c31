//! The result of a step: a message for success, or one for failure.
//!
//! A person reads it at a terminal, so a failure is text. No caller distinguishes kinds of
//! failures.

use std::fmt;

/// A step that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub message: String,
    pub tally: Option<Tally>,
}

/// The test runner's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

/// Why a step failed, and the test runner's numbers if it got that far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    pub tally: Option<Tally>,
}

pub type CiResult = Result<Done, Failure>;

impl Done {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { message: sentence.into(), tally: None }
    }
}

impl Failure {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { message: sentence.into(), tally: None }
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
pub fn judge(findings: &[String], fine: impl Into<String>) -> CiResult {
    match findings {
        [] => Ok(Done::new(fine)),
        [one] => Err(Failure::new(one.clone())),
        many => {
            let list = many.join("\n  ");
            Err(Failure::new(format!("{} findings:\n  {list}", many.len())))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl std::error::Error for Failure {}

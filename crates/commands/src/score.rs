//! Compares a verdict with the expected one.

use crate::judge::CommandVerdict;

/// The verdict that a row of the corpus expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedVerdict {
    Match,
    Ask,
    Deny,
}

/// How a verdict differs from the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// Matched where a question or a denial was expected: a security bug.
    Hard,
    /// A question where a denial was expected.
    Soft,
    /// A denial where a question was expected.
    Harsh,
    /// No match where one was expected.
    Friction,
}

impl ExpectedVerdict {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "match" => Some(Self::Match),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    pub fn find_miss(self, verdict: &CommandVerdict) -> Option<Miss> {
        match (self, verdict) {
            (Self::Match, CommandVerdict::Match { .. })
            | (Self::Ask, CommandVerdict::Ask { .. })
            | (Self::Deny, CommandVerdict::Deny { .. }) => None,
            (Self::Ask | Self::Deny, CommandVerdict::Match { .. }) => Some(Miss::Hard),
            (Self::Deny, CommandVerdict::Ask { .. }) => Some(Miss::Soft),
            (Self::Ask, CommandVerdict::Deny { .. }) => Some(Miss::Harsh),
            (Self::Match, CommandVerdict::Ask { .. } | CommandVerdict::Deny { .. }) => {
                Some(Miss::Friction)
            }
        }
    }
}

impl Miss {
    pub const ALL: [Self; 4] = [Self::Hard, Self::Soft, Self::Harsh, Self::Friction];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
            Self::Harsh => "harsh",
            Self::Friction => "friction",
        }
    }
}

impl CommandVerdict {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Match { .. } => "match",
            Self::Ask { .. } => "ask",
            Self::Deny { .. } => "deny",
        }
    }
}

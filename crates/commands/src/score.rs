//! Compares a verdict with the expected one.

use crate::judge::CommandVerdict;
use countersign_core::word_enum;

/// The verdict that a row of the corpus expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedVerdict {
    Match,
    Ask,
    Deny,
}

word_enum! {
    /// How a verdict differs from the expected one.
    pub enum Miss {
        /// Matched where a question or a denial was expected: a security bug.
        Hard = "hard",
        /// A question where a denial was expected.
        Soft = "soft",
        /// A denial where a question was expected.
        Harsh = "harsh",
        /// No match where one was expected.
        Friction = "friction",
    }
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

impl CommandVerdict {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Match { .. } => "match",
            Self::Ask { .. } => "ask",
            Self::Deny { .. } => "deny",
        }
    }
}

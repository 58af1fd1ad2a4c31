//! How far a verdict is from the one expected of it.

use crate::judge::Verdict;

/// What somebody expects of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Match,
    Ask,
    Deny,
}

/// In which way a verdict missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// Matched where somebody should have been asked, or nobody: a security bug.
    Hard,
    /// A question where a refusal was expected.
    Soft,
    /// A refusal where a question was expected.
    Harsh,
    /// No match where one was expected.
    Friction,
}

impl Expected {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "match" => Some(Self::Match),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    pub fn missed_by(self, verdict: &Verdict) -> Option<Miss> {
        match (self, verdict) {
            (Self::Match, Verdict::Match { .. })
            | (Self::Ask, Verdict::Ask { .. })
            | (Self::Deny, Verdict::Deny { .. }) => None,
            (Self::Ask | Self::Deny, Verdict::Match { .. }) => Some(Miss::Hard),
            (Self::Deny, Verdict::Ask { .. }) => Some(Miss::Soft),
            (Self::Ask, Verdict::Deny { .. }) => Some(Miss::Harsh),
            (Self::Match, Verdict::Ask { .. } | Verdict::Deny { .. }) => Some(Miss::Friction),
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

impl Verdict {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Match { .. } => "match",
            Self::Ask { .. } => "ask",
            Self::Deny { .. } => "deny",
        }
    }
}

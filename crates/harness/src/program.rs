//! The coding agents whose hooks this crate knows.

use std::fmt;

/// A coding agent with hooks. `countersign hook NAME` takes its word, which is also the name of the
/// agent in the record: installed configurations contain it, so it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    ClaudeCode,
    Codex,
}

impl Program {
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    pub const fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.word() == word)
    }

    /// The name that its makers use.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

//! The coding agents whose hooks this crate knows.

use countersign_core::model::names::SessionName;
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

    /// The folder in which the program keeps the temporary files of one session, below the system's
    /// folder for them; `None` if it has none of its own.
    pub fn scratch_folder(
        self,
        (temporary, user): (&str, u32),
        (project, session): (&str, &SessionName),
    ) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        match self {
            Self::ClaudeCode if session.as_str().chars().all(is_plain) => {
                let name = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
                let project: String = project.chars().map(name).collect();
                Some(format!("{temporary}/claude-{user}/{project}/{session}"))
            }
            Self::ClaudeCode | Self::Codex => None,
        }
    }

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

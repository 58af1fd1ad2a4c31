//! Narrowed calls: the form in which a call runs, where that is less than what its agent sent.
//!
//! The digest and what an operator approves stay those of the call as sent. Here is only what is added,
//! so that the record needs no second copy of the call.
//!
//! See docs/decisions/0118-narrowed-calls.md.

use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What a narrowed form leaves out.
    NarrowingKind {
        /// Git runs no programs that its configuration names.
        GitPrograms = "git_programs",
        /// A search leaves out secret files.
        SecretFiles = "secret_files",
    }
}

impl NarrowingKind {
    /// What a user is told when a session is narrowed for the first time.
    pub const fn announcement(self) -> &'static str {
        match self {
            Self::GitPrograms => {
                "Countersign runs git's reading commands without programs that its configuration \
                 names (from now on without saying so)"
            }
            Self::SecretFiles => {
                "Countersign leaves secret files out of searches (from now on without saying so)"
            }
        }
    }
}

/// The narrower form of a call: what is added to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NarrowedCall {
    pub kind: NarrowingKind,
    pub parts: Vec<NarrowedPart>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NarrowedPart {
    /// Words that are inserted into a command of the line.
    Words {
        /// The simple command, counted from 0.
        command: usize,
        /// Its word behind which they stand, counted from 0.
        after: usize,
        words: Vec<String>,
    },
    /// An argument of the tool that gets another value.
    Argument { name: String, value: String },
}

/// Whether the one who executes a call runs the narrowed form that a reply names.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NarrowingSupport {
    /// It runs the call as it was sent.
    #[default]
    None,
    Accepted,
}

impl NarrowingSupport {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl NarrowedCall {
    /// The added words, for people.
    pub fn describe(&self) -> String {
        let part = |part: &NarrowedPart| match part {
            NarrowedPart::Words { words, .. } => words.join(" "),
            NarrowedPart::Argument { name, value } => format!("{name}: {value}"),
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(" … ")
    }
}

//! A program by its content, so that a yes to it ends with a change.

use serde::{Deserialize, Serialize};

/// A program that the agent could replace, by its content.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedProgram {
    /// With every link followed. The name alone if no such program was found.
    pub path: String,
    /// SHA-256 of the content, in hexadecimal digits. Empty if nobody can read it: then no pin
    /// holds. `absent` if there is no such program.
    pub hash: String,
}

/// Stands in place of a hash for a program that does not exist.
const ABSENT: &str = "absent";

impl PinnedProgram {
    /// A program of which nothing was found. A pin holds until something has this name.
    pub fn absent(name: &str) -> Self {
        Self { path: name.to_owned(), hash: ABSENT.to_owned() }
    }

    pub fn is_absent(&self) -> bool {
        self.hash == ABSENT
    }

    /// The first and last six digits of the hash, as a card shows them.
    pub fn short_hash(&self) -> String {
        let end = self.hash.len().saturating_sub(6);
        match (self.hash.get(..6), self.hash.get(end..)) {
            (Some(first), Some(last)) if end >= 6 => format!("{first}…{last}"),
            _ => self.hash.clone(),
        }
    }
}

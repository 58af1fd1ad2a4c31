//! A command line as the core sees it: analysed, or not plain.
//!
//! The core never splits text. The crate `commands` does, and hands in one of these.

use crate::words::Detector;
use serde::{Deserialize, Serialize};

/// One command line, with the working directory it would run in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// One simple command of literal words.
    Plain { argv: Vec<String>, cwd: Option<String> },
    /// Everything else: kept as it was written, and never covered by a command grant.
    NotPlain { text: String, cwd: Option<String> },
}

/// What the analysis of a command line yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysed {
    pub command: Command,
    pub detectors: Vec<Detector>,
}

impl Command {
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Plain { .. })
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain { argv, .. } => f.write_str(&argv.join(" ")),
            Self::NotPlain { text, .. } => f.write_str(text),
        }
    }
}

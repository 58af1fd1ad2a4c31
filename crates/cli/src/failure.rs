//! What keeps a command from doing its work, and what to do about it.
//!
//! A denial is no failure; it is an answer with an exit code of its own.

use crate::exit::Exit;
use crate::page::{BOLD, Page, RED};
use crate::problems;
use countersign_core::ledger::LedgerError;
use countersign_engine::{EngineError, StoreError};
use countersign_graph::Problems;
use countersign_import::ImportError;
use std::path::Path;

#[derive(Debug)]
pub(crate) enum Failure {
    Said {
        exit: Exit,
        message: String,
        help: String,
    },
    /// Files that were read, but not understood.
    Problems(Vec<Problems>),
    /// Whoever read our output went away; there is nobody left to tell.
    Unheard,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Said { exit: Exit::Failure, message: message.into(), help: help.into() }
    }

    /// The command line is wrong, not what it points at.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Said { exit: Exit::Usage, message: message.into(), help: help.into() }
    }

    /// Nobody can be asked.
    pub(crate) fn no_operator(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Said { exit: Exit::NoOperator, message: message.into(), help: help.into() }
    }

    pub(crate) fn file(
        (verb, path): (&str, &Path),
        error: &std::io::Error,
        help: impl Into<String>,
    ) -> Self {
        Self::new(format!("cannot {verb} `{}`: {}", path.display(), why(error)), help)
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Said { exit, .. } => *exit,
            Self::Problems(_) | Self::Unheard => Exit::Failure,
        }
    }

    /// What is wrong and what to do, in one line.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Said { message, help, .. } => format!("{message}; {help}"),
            Self::Problems(_) | Self::Unheard => "that was not done".to_owned(),
        }
    }

    pub(crate) fn page(&self) -> Page {
        let mut page = Page::new();
        match self {
            Self::Said { message, help, .. } => {
                page.styled(RED.bold(), "error").text(": ").text(message).end();
                page.text("  ").styled(BOLD, "help").text(": ").text(help).end();
            }
            Self::Problems(files) => {
                files.iter().for_each(|file| problems::errors(&mut page, file))
            }
            Self::Unheard => {}
        }
        page
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(vec![problems])
    }
}

impl From<Vec<Problems>> for Failure {
    fn from(problems: Vec<Problems>) -> Self {
        Self::Problems(problems)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::new(error.to_string(), "treat this as no, and try again")
    }
}

impl From<ImportError> for Failure {
    fn from(corrupt: ImportError) -> Self {
        Self::new(corrupt.to_string(), corrupt.help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unusable { what, remedy } | StoreError::Absent { what, remedy } => {
                Self::new(what, remedy)
            }
            error @ StoreError::Damaged { .. } => Self::new(
                error.to_string(),
                "keep a copy of the record as it is before anything else is done to it",
            ),
            error => Self::new(error.to_string(), "treat this as no, and try again"),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::new(error.to_string(), "`countersign ledger verify` says how far it can be relied on")
    }
}

/// The system's own words without its numbers.
fn why(error: &std::io::Error) -> String {
    let text = error.to_string();
    let said = text.split(" (os error").next().unwrap_or_default();
    said.to_lowercase()
}

//! Why a command failed, and what to do about it.
//!
//! A denial is not a failure: it is an answer with its own exit code.

use crate::exit::Exit;
use crate::page::{BOLD, Page, RED};
use crate::problems;
use countersign_client::ClientError;
use countersign_engine::{EngineError, StoreError};
use countersign_graph::Problems;
use countersign_ledger::LedgerError;
use std::path::Path;

#[derive(Debug)]
pub enum Failure {
    Message {
        exit: Exit,
        message: String,
        help: String,
    },
    /// Files with mistakes.
    Problems(Vec<Problems>),
    /// The reader of our output is gone, so there is nobody to report to.
    OutputClosed,
}

impl Failure {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Message { exit: Exit::Failure, message: message.into(), help: help.into() }
    }

    /// The command line is wrong, not the files that it names.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Message { exit: Exit::Usage, message: message.into(), help: help.into() }
    }

    pub fn no_operator(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Message { exit: Exit::NoOperator, message: message.into(), help: help.into() }
    }

    pub fn file(verb: &str, path: &Path, error: &std::io::Error, help: impl Into<String>) -> Self {
        Self::new(format!("cannot {verb} `{}`: {}", path.display(), describe_io_error(error)), help)
    }

    pub fn exit(&self) -> Exit {
        match self {
            Self::Message { exit, .. } => *exit,
            Self::Problems(_) | Self::OutputClosed => Exit::Failure,
        }
    }

    /// Message and help in one line.
    pub fn line(&self) -> String {
        match self {
            Self::Message { message, help, .. } => format!("{message}; {help}"),
            Self::Problems(files) => {
                let mut lines = files.iter().flat_map(Problems::lines);
                let first = lines.next().unwrap_or_else(|| "it has mistakes".to_owned());
                match lines.count() {
                    0 => first,
                    more => format!("{first} (and {more} more)"),
                }
            }
            Self::OutputClosed => "it failed".to_owned(),
        }
    }

    pub fn page(&self) -> Page {
        let mut page = Page::new();
        match self {
            Self::Message { message, help, .. } => {
                page.styled(RED.bold(), "error").text(": ").text(message).end();
                page.text("  ").styled(BOLD, "help").text(": ").text(help).end();
            }
            Self::Problems(files) => {
                files.iter().for_each(|file| problems::draw_errors(&mut page, file))
            }
            Self::OutputClosed => {}
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

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (exit, message) = (Exit::from_client_error(&error), error.to_string());
        Self::Message { exit, message, help: error.help().to_owned() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unusable { what, remedy } | StoreError::Absent { what, remedy } => {
                Self::new(what, remedy)
            }
            error @ StoreError::Damaged { .. } => {
                Self::new(error.to_string(), "copy the record before you do anything else with it")
            }
            error => Self::new(error.to_string(), "treat this as no, and try again"),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::new(
            error.to_string(),
            "`countersign ledger verify` shows up to which entry it is intact",
        )
    }
}

/// The system's message without its error number.
pub fn describe_io_error(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

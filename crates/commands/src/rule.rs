//! The rule language: `allow TOK…`, `deny TOK…`, `deny path P`, `none`, separated by `; `.
//!
//! Tokens are quoted as in a shell. A final `*` matches further words, and `<path:ws>` one path in
//! the workspace; in quotes both are literal. Nothing is expanded.
//!
//! See docs/decisions/0007-command-rule-grammar.md.

mod parse;
mod tokens;

pub use parse::{parse_body, parse_rules};

use countersign_core::word_enum;
use std::fmt;

/// An error in the text of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// In bytes from the start of the text.
    pub offset: usize,
    pub message: String,
    pub help: &'static str,
}

impl RuleError {
    fn new(at: usize, message: impl Into<String>, help: &'static str) -> Self {
        Self { offset: at, message: message.into(), help }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RuleError {}

/// One rule: its text and its parsed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRule {
    pub text: String,
    pub effect: RuleEffect,
    pub body: RuleBody,
}

word_enum! {
    pub enum RuleEffect {
        Allow = "allow",
        Deny = "deny",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleBody {
    Command {
        tokens: Vec<RuleToken>,
        end: RuleEnd,
    },
    /// A path and everything below it, as an operand of any command. Only for `deny`.
    Path(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleToken {
    Word(String),
    /// `<path:ws>`: one operand that resolves inside the workspace.
    InWorkspace,
    /// `<unlisted-task>`: the name of a task that no file of the project defines.
    UnlistedTask,
}

/// Whether further words may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEnd {
    Exact,
    /// A final `*`.
    Open,
}

impl CommandRule {
    /// The words of a rule without placeholders.
    pub(crate) fn literal_words(&self) -> Option<Vec<String>> {
        match &self.body {
            RuleBody::Command { tokens, .. } => tokens
                .iter()
                .map(|token| match token {
                    RuleToken::Word(word) => Some(word.clone()),
                    RuleToken::InWorkspace | RuleToken::UnlistedTask => None,
                })
                .collect(),
            RuleBody::Path(_) => None,
        }
    }

    pub(crate) fn program(&self) -> Option<&str> {
        match &self.body {
            RuleBody::Command { tokens, .. } => match tokens.first() {
                Some(RuleToken::Word(word)) => Some(word),
                Some(RuleToken::InWorkspace | RuleToken::UnlistedTask) | None => None,
            },
            RuleBody::Path(_) => None,
        }
    }
}

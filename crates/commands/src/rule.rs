//! The rule language: `allow TOK…`, `deny TOK…`, `deny path P`, `none`, separated by `; `.
//!
//! Tokens are quoted as in a shell. A final `*` stands for further words, `<path:ws>` for one
//! operand in the workspace; in quotes both stand for themselves. Nothing is expanded.

mod parse;
mod tokens;

pub use parse::{RuleError, body, rules};

/// One rule, as it was written and as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub text: String,
    pub effect: Effect,
    pub body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Allow,
    Deny,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Command {
        tokens: Vec<Token>,
        end: End,
    },
    /// A path and everything below it, as an operand of any command. Only for `deny`.
    Path(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    Word(String),
    /// `<path:ws>`: one operand that resolves inside the workspace.
    InWorkspace,
}

/// Whether further words may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exact,
    /// A final `*`.
    Open,
}

impl Effect {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

impl Rule {
    /// The words of a rule without placeholders.
    pub(crate) fn words(&self) -> Option<Vec<String>> {
        match &self.body {
            Body::Command { tokens, .. } => tokens
                .iter()
                .map(|token| match token {
                    Token::Word(word) => Some(word.clone()),
                    Token::InWorkspace => None,
                })
                .collect(),
            Body::Path(_) => None,
        }
    }

    pub(crate) fn program(&self) -> Option<&str> {
        match &self.body {
            Body::Command { tokens, .. } => match tokens.first() {
                Some(Token::Word(word)) => Some(word),
                Some(Token::InWorkspace) | None => None,
            },
            Body::Path(_) => None,
        }
    }
}

//! A command line as the core sees it: plain, or not plain.
//!
//! The core never splits text. The crate `commands` analyses command lines and passes the result in.

use crate::model::words::Detector;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One command line, with the working directory it would run in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// One simple command of literal words.
    Plain { argv: Vec<String>, cwd: Option<String> },
    /// Everything else, as it was written. No command grant covers it.
    NotPlain { text: String, cwd: Option<String> },
}

/// The result of analysing a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandAnalysis {
    pub command: Command,
    pub detectors: Vec<Detector>,
}

impl Command {
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Plain { .. })
    }

    /// Sets the working directory, unless it is already set.
    pub fn place(&mut self, folder: Option<&str>) {
        let (Self::Plain { cwd, .. } | Self::NotPlain { cwd, .. }) = self;
        if cwd.is_none() {
            *cwd = folder.map(str::to_owned);
        }
    }

    /// The working directory.
    pub fn cwd(&self) -> Option<&str> {
        match self {
            Self::Plain { cwd, .. } | Self::NotPlain { cwd, .. } => cwd.as_deref(),
        }
    }
}

/// Joins an argv into one line that splits into the same words. Words that are not plain are quoted.
pub fn render_argv(argv: &[String]) -> String {
    let words: Vec<_> = argv.iter().map(|word| quote(word)).collect();
    words.join(" ")
}

fn quote(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&b);
    // `<name>` is an open argument of a standing command; no plain command contains one.
    // In some shells, a word that starts with `=` is expanded.
    let is_plain = !word.is_empty() && !word.starts_with('=') && word.bytes().all(plain);
    if is_open_argument(word) || is_plain {
        return Cow::Borrowed(word);
    }
    match word.contains('\'') {
        false => Cow::Owned(format!("'{word}'")),
        // Double quotes, because the command reader refuses `'\''` as a way to hide a word's end.
        true => Cow::Owned(format!("'{}'", word.replace('\'', "'\"'\"'"))),
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain { argv, .. } => f.write_str(&render_argv(argv)),
            Self::NotPlain { text, .. } => f.write_str(text),
        }
    }
}

/// Whether a word of a standing command is an open argument, written `<name>`: one whole argument.
pub fn is_open_argument(word: &str) -> bool {
    let name = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}

/// Whether an argv matches the granted one, with open arguments filled by plain words. An option, a
/// word with `+` in front (force) and a word with `:` (another place, to git) do not fill one.
pub fn is_granted_argv(granted: &[String], argv: &[String]) -> bool {
    granted.len() == argv.len()
        && granted.iter().zip(argv).all(|(granted, word)| {
            granted == word || (is_open_argument(granted) && fills_open_argument(word))
        })
}

fn fills_open_argument(word: &str) -> bool {
    !word.is_empty() && !word.starts_with(['-', '+']) && !word.contains(':')
}

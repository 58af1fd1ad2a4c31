//! One place pattern: its text, and the names that it stands for.
//!
//! What other tools read as more than a name (`**`, `[…]`, `{…}`, `\`) is refused. Taken literally it
//! would match nothing, and the operator would not notice.

use super::name_glob::NameGlob;
use crate::limits;
use countersign_core::encoding::unicode::is_invisible;

/// A place pattern that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacePattern {
    text: String,
    effect: PatternEffect,
    anchor: PatternAnchor,
    pub(super) names: Vec<NameGlob>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternEffect {
    Includes,
    /// `!…`: what it matches does not count.
    Excepts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternAnchor {
    Anywhere,
    Home,
    Root,
    Workspace,
}

/// How many names lead to each folder from which a pattern may start; none if the path is not below
/// it.
pub(super) struct AnchorDepths {
    pub(super) home: Option<usize>,
    pub(super) workspace: Option<usize>,
}

/// Why a text is not a place pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct PlacePatternError {
    pub fault: PatternFault,
    /// Where in the text, in bytes.
    pub offset: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    #[error("it names no file")]
    Empty,
    #[error("it matches every path")]
    Everything,
    #[error("it is longer than {} bytes", limits::MAX_PLACE_PATTERN_BYTES)]
    TooLong,
    #[error("it begins or ends with a blank")]
    Blank,
    #[error("it contains a control or invisible character")]
    ControlCharacter,
    #[error("one of its names is empty")]
    EmptyName,
    #[error("`.` and `..` are not names")]
    DotName,
    #[error("`**` has no meaning here")]
    DoubleStar,
    #[error("`~` stands for the home folder only in front, as `~/`")]
    Tilde,
    #[error("`[`, `]`, `{{`, `}}` and `\\` have no meaning here")]
    ForeignSyntax,
}

impl PatternFault {
    pub fn help(self) -> &'static str {
        match self {
            Self::Empty => "write a name such as `.env`, or remove the entry",
            Self::Everything => "name what you mean, for example `*.pem`",
            Self::TooLong => "shorten it, for example to the last names of the path",
            Self::Blank => "remove the blank",
            Self::ControlCharacter => "remove the character, or write `?` in its place",
            Self::EmptyName => "write one `/` between two names, and none at the end",
            Self::DotName => "write the path without them; `./` in front is the workspace",
            Self::DoubleStar => "leave it out: a pattern covers everything below what it names",
            Self::Tilde => "write `~/` and the path, or `?` for a `~` in a name",
            Self::ForeignSyntax => "write one pattern for each name, or `?` for the character",
        }
    }
}

impl PlacePattern {
    pub const EXCEPTION_MARK: char = '!';

    pub fn parse(text: &str) -> Result<Self, PlacePatternError> {
        check_characters(text)?;
        let (effect, body) = match text.strip_prefix(Self::EXCEPTION_MARK) {
            Some(body) => (PatternEffect::Excepts, body),
            None => (PatternEffect::Includes, text),
        };
        let (anchor, path) = split_anchor(body);
        let start = text.len() - path.len();
        let names = read_names(path, start)?;
        if names.iter().all(NameGlob::is_universal) {
            return Err(PlacePatternError { fault: PatternFault::Everything, offset: start });
        }
        Ok(Self { text: text.to_owned(), effect, anchor, names })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn effect(&self) -> PatternEffect {
        self.effect
    }

    /// Whether the pattern's names are the last ones of these, which are in lower case.
    pub(super) fn matches_end(&self, names: &[&str], depths: &AnchorDepths) -> bool {
        let Some(start) = names.len().checked_sub(self.names.len()) else { return false };
        let is_at_anchor = match self.anchor {
            PatternAnchor::Anywhere => true,
            PatternAnchor::Root => start == 0,
            PatternAnchor::Home => depths.home == Some(start),
            PatternAnchor::Workspace => depths.workspace == Some(start),
        };
        let mut pairs = self.names.iter().rev().zip(names.iter().rev());
        is_at_anchor && pairs.all(|(glob, name)| glob.matches(name))
    }
}

fn check_characters(text: &str) -> Result<(), PlacePatternError> {
    let fail = |fault, offset| Err(PlacePatternError { fault, offset });
    if text.len() > limits::MAX_PLACE_PATTERN_BYTES {
        return fail(PatternFault::TooLong, 0);
    }
    if text.trim() != text {
        let offset = if text.starts_with(char::is_whitespace) { 0 } else { text.trim_end().len() };
        return fail(PatternFault::Blank, offset);
    }
    if let Some(offset) = text.find(|c: char| c.is_control() || is_invisible(c)) {
        return fail(PatternFault::ControlCharacter, offset);
    }
    if let Some(offset) = text.find("**") {
        return fail(PatternFault::DoubleStar, offset);
    }
    match text.find(['[', ']', '{', '}', '\\']) {
        Some(offset) => fail(PatternFault::ForeignSyntax, offset),
        None => Ok(()),
    }
}

fn split_anchor(body: &str) -> (PatternAnchor, &str) {
    let anchors =
        [("~/", PatternAnchor::Home), ("./", PatternAnchor::Workspace), ("/", PatternAnchor::Root)];
    let found =
        anchors.iter().find_map(|(start, anchor)| Some((*anchor, body.strip_prefix(start)?)));
    found.unwrap_or((PatternAnchor::Anywhere, body))
}

/// The names between slashes. `start` is the offset of `path` in the whole text.
fn read_names(path: &str, start: usize) -> Result<Vec<NameGlob>, PlacePatternError> {
    let fail = |fault, offset| Err(PlacePatternError { fault, offset });
    if path.is_empty() {
        return fail(PatternFault::Empty, 0);
    }
    let mut names = Vec::new();
    for (at, name) in split_names(path, start) {
        match name {
            "" => return fail(PatternFault::EmptyName, at),
            "." | ".." => return fail(PatternFault::DotName, at),
            name if name.starts_with('~') => return fail(PatternFault::Tilde, at),
            name => names.push(NameGlob::new(name.to_ascii_lowercase())),
        }
    }
    Ok(names)
}

/// Each name with its offset.
fn split_names(path: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut next_offset = start;
    path.split('/').map(move |name| {
        let offset = next_offset;
        next_offset += name.len() + 1;
        (offset, name)
    })
}

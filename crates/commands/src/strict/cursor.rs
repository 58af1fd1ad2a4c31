//! A position in the text, and the operators and redirections between words.

use super::ParseRefusal;

pub(super) struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

/// Longest first, so that `&&` is not parsed as two `&`.
const OPERATORS: &[&str] = &[";;", "&&", "&>", "||", "|&", ";&", "\n", ";", "|", "&"];

/// Accepted spellings with their canonical form.
const REDIRECTIONS: &[(&str, &str)] = &[
    ("2>&1", "2>&1"),
    (">/dev/null", ">/dev/null"),
    ("> /dev/null", ">/dev/null"),
    ("2>/dev/null", "2>/dev/null"),
    ("2> /dev/null", "2>/dev/null"),
];

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    pub(super) const fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) const fn offset(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    pub(super) const fn refuse(&self, why: &'static str) -> ParseRefusal {
        ParseRefusal { offset: self.offset(), why }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    /// Takes the leading ASCII bytes that satisfy `is`.
    pub(super) fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let end = self.rest.bytes().position(|b| !b.is_ascii() || !is(b));
        let (taken, rest) = match end.and_then(|end| self.rest.split_at_checked(end)) {
            Some(parts) => parts,
            None => (self.rest, ""),
        };
        self.rest = rest;
        taken
    }

    /// Takes everything up to one of the given ASCII bytes, or returns `None` if there is none.
    pub(super) fn take_until(&mut self, ends: &[u8]) -> Option<&'a str> {
        let end = self.rest.bytes().position(|b| ends.contains(&b))?;
        let (taken, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    pub(super) fn skip_lines(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    pub(super) fn is_at_join(&self) -> bool {
        self.rest.starts_with([';', '&', '|', '\n'])
    }

    pub(super) fn take_operator(&mut self) -> Option<&'static str> {
        let (operator, rest) =
            OPERATORS.iter().find_map(|op| self.rest.strip_prefix(op).map(|rest| (*op, rest)))?;
        self.rest = rest;
        Some(operator)
    }

    /// Takes one of the redirections that touch no file, if the word ends after it.
    pub(super) fn take_redirection(&mut self) -> Option<&'static str> {
        let (canonical, rest) = REDIRECTIONS.iter().find_map(|(text, canonical)| {
            self.rest.strip_prefix(text).map(|rest| (*canonical, rest))
        })?;
        let ends = rest.is_empty()
            || rest.starts_with([' ', '\t', '\n', ';', '|'])
            || rest.starts_with("&&");
        ends.then(|| {
            self.rest = rest;
            canonical
        })
    }
}

//! A place in the text, and the few things that may stand between words.

use super::Refusal;

pub(super) struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

/// Longest first, so that `&&` is not taken for two `&`.
const OPERATORS: &[&str] = &[";;", "&&", "&>", "||", "|&", ";&", "\n", ";", "|", "&"];

/// As they may be written, and as they are shown.
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

    pub(super) const fn place(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    pub(super) const fn refuse(&self, why: &'static str) -> Refusal {
        Refusal { at: self.place(), why }
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

    /// Takes the bytes at the front that satisfy `is`; they are ASCII.
    pub(super) fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let end = self.rest.bytes().position(|b| !b.is_ascii() || !is(b));
        let (taken, rest) = match end.and_then(|end| self.rest.split_at_checked(end)) {
            Some(parts) => parts,
            None => (self.rest, ""),
        };
        self.rest = rest;
        taken
    }

    /// Takes everything up to one of the given ASCII bytes, or nothing if none follows.
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

    pub(super) fn at_join(&self) -> bool {
        self.rest.starts_with([';', '&', '|', '\n'])
    }

    pub(super) fn operator(&mut self) -> Option<&'static str> {
        let (operator, rest) =
            OPERATORS.iter().find_map(|op| self.rest.strip_prefix(op).map(|rest| (*op, rest)))?;
        self.rest = rest;
        Some(operator)
    }

    /// One of the redirections that neither open nor write a file, with an end behind it.
    pub(super) fn redirection(&mut self) -> Option<&'static str> {
        let (shown, rest) = REDIRECTIONS
            .iter()
            .find_map(|(text, shown)| self.rest.strip_prefix(text).map(|rest| (*shown, rest)))?;
        let ends = rest.is_empty()
            || rest.starts_with([' ', '\t', '\n', ';', '|'])
            || rest.starts_with("&&");
        ends.then(|| {
            self.rest = rest;
            shown
        })
    }
}

//! A position in the text, and the operators and redirections between words.

use super::ParseRefusal;
use super::segment::{FolderName, Redirection, Stream, WriteMode};
use super::variables::Variable;

pub(super) struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
    /// The variables that the line has set before.
    pub(super) variables: Vec<Variable>,
    /// In how many subshells it is; their end is the end of a word, too.
    pub(super) subshells: usize,
    /// How many `cd` there were before.
    pub(super) changes: usize,
    /// Whether git was asked for the folder of its repository since somebody looked.
    pub(super) asks_git: bool,
}

/// Substitutions that print a folder, and which one. Git runs for the last ones.
const NAMED_FOLDERS: &[(&str, FolderName)] = &[
    ("$(pwd)", FolderName::Current),
    ("$(git rev-parse --show-toplevel)", FolderName::Repository),
    ("$(git rev-parse --show-toplevel 2>/dev/null)", FolderName::Repository),
];

/// Longest first, so that `&&` is not parsed as two `&`.
const OPERATORS: &[&str] = &[";;", "&&", "&>", "||", "|&", ";&", "\n", ";", "|", "&"];

/// Redirections that touch no file, in their accepted spellings.
const HARMLESS_REDIRECTIONS: &[(&str, Redirection)] = &[
    ("2>&1", Redirection::ErrorsToOutput),
    (">/dev/null", Redirection::DiscardOutput),
    ("> /dev/null", Redirection::DiscardOutput),
    ("2>/dev/null", Redirection::DiscardErrors),
    ("2> /dev/null", Redirection::DiscardErrors),
];

/// Longest first.
const WRITE_OPERATORS: &[(&str, Stream, WriteMode)] = &[
    ("2>>", Stream::Errors, WriteMode::Append),
    ("2>", Stream::Errors, WriteMode::Replace),
    (">>", Stream::Output, WriteMode::Append),
    (">", Stream::Output, WriteMode::Replace),
];

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, rest: text, variables: Vec::new(), subshells: 0, changes: 0, asks_git: false }
    }

    /// What follows, to which `go_back` can return.
    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) const fn go_back(&mut self, rest: &'a str) {
        self.rest = rest;
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

    /// Skips what separates two words: blanks and continued lines.
    pub(super) fn skip_gap(&mut self) {
        self.skip_blanks();
        while self.take_continuation() {
            self.skip_blanks();
        }
    }

    /// Takes a backslash at the end of a line, if anything follows: otherwise it would continue with
    /// whatever is appended to the text. Shells remove both, in and between words.
    pub(super) fn take_continuation(&mut self) -> bool {
        let rest = self.rest.strip_prefix("\\\n");
        let rest = rest.filter(|rest| !rest.trim_start_matches([' ', '\t', '\n']).is_empty());
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Whether a line ended since this offset.
    pub(super) fn has_line_end_since(&self, offset: usize) -> bool {
        self.text.get(offset..self.offset()).is_none_or(|text| text.contains('\n'))
    }

    /// Takes a character that is a whole word. A `!` must have a blank behind it, or some shells
    /// expand their history.
    pub(super) fn take_whole_word(&mut self, wanted: char) -> bool {
        let is_end = |rest: &&str| match wanted {
            '!' => rest.starts_with([' ', '\t']),
            _ => self.is_word_end(rest),
        };
        let rest = self.rest.strip_prefix(wanted).filter(is_end);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a word of the shell's grammar, if it is a whole word.
    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        // Most commands begin with no letter of a keyword.
        if self.rest.as_bytes().first() != keyword.as_bytes().first() {
            return false;
        }
        let rest = self.rest.strip_prefix(keyword).filter(|rest| self.is_word_end(rest));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the start of a subshell. Two of them may begin a calculation.
    pub(super) fn take_subshell(&mut self) -> bool {
        let rest = self.rest.strip_prefix('(').filter(|rest| !rest.starts_with('('));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a substitution that prints a folder.
    pub(super) fn take_named_folder(&mut self) -> Option<FolderName> {
        let (text, folder) = NAMED_FOLDERS.iter().find(|(text, _)| self.rest.starts_with(text))?;
        self.rest = self.rest.strip_prefix(text)?;
        self.asks_git |= *folder == FolderName::Repository;
        Some(*folder)
    }

    /// Takes `$NAME` or `${NAME}` of a variable that the line sets, or that names a folder. In front of `[`, and of `:` with a
    /// letter, other shells read more than the name.
    pub(super) fn take_variable(&mut self) -> Option<Variable> {
        let after = self.rest.strip_prefix('$')?;
        let (inner, is_braced) = match after.strip_prefix('{') {
            Some(inner) => (inner, true),
            None => (after, false),
        };
        let end = inner.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'_');
        let (name, rest) = inner.split_at_checked(end.unwrap_or(inner.len()))?;
        let rest = if is_braced { rest.strip_prefix('}')? } else { rest };
        let modifier = rest.strip_prefix(':');
        let is_modified = modifier.is_some_and(|after| !after.starts_with([' ', '"']));
        // A continued line puts the next one behind the name.
        if is_modified || rest.starts_with('[') || rest.starts_with("\\\n") {
            return None;
        }
        let set = self.variables.iter().rev().find(|variable| variable.name == name).cloned();
        let found = match (set, name) {
            (Some(set), _) => set,
            (None, "HOME") => Variable::named_folder(name, FolderName::Home, self.changes),
            (None, "PWD") => Variable::named_folder(name, FolderName::Current, self.changes),
            (None, _) => return None,
        };
        found.is_known(self.changes).then(|| {
            self.rest = rest;
            found
        })
    }

    /// Whether a `$` inside double quotes begins no expansion in any shell: the end of a pattern.
    pub(super) fn is_at_literal_dollar(&self) -> bool {
        let rest = self.rest.strip_prefix('$');
        let ends = ['"', ' ', '|', ')', '/', '\n', '\\', ',', ';', ']'];
        // A continued line puts the next one behind the `$`.
        rest.is_some_and(|rest| rest.starts_with(ends) && !rest.starts_with("\\\n"))
    }

    /// Whether a `$` outside quotes is the end of its word: `-run=^$`.
    pub(super) fn is_at_last_dollar(&self) -> bool {
        self.rest.strip_prefix('$').is_some_and(|rest| self.is_word_end(rest))
    }

    /// Takes the `^` of `^NAME`: a revision that git leaves out.
    pub(super) fn take_excluding(&mut self) -> bool {
        let is_name = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        let rest = self.rest.strip_prefix('^').filter(is_name);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(super) fn is_at_word_end(&self) -> bool {
        self.is_word_end(self.rest)
    }

    /// Blanks and line ends.
    pub(super) fn skip_line_ends(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    /// Skips a comment up to the end of its line. Only for the start of a word.
    pub(super) fn skip_comment(&mut self) {
        if self.rest.starts_with('#') {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = self.rest.split_at_checked(end).map_or("", |(_, rest)| rest);
        }
    }

    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a line and its end. The second value says that it had no end.
    pub(super) fn take_line(&mut self) -> (&'a str, bool) {
        let (line, rest, is_last) = match self.rest.split_once('\n') {
            Some((line, rest)) => (line, rest, false),
            None => (self.rest, "", true),
        };
        self.rest = rest;
        (line, is_last)
    }

    /// Takes `NAME=` in front of a command.
    pub(super) fn take_assigned_name(&mut self) -> Option<&'a str> {
        let (name, rest) = self.rest.split_once('=')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| {
            self.rest = rest;
            name
        })
    }

    pub(super) fn is_at_redirection(&self) -> bool {
        self.rest.starts_with(['<', '>']) || self.rest.starts_with("2>")
    }

    pub(super) fn is_at_join(&self) -> bool {
        self.rest.starts_with([';', '&', '|', '\n']) || self.is_at_subshell_end()
    }

    pub(super) fn is_at_subshell_end(&self) -> bool {
        self.subshells > 0 && self.rest.starts_with(')')
    }

    fn is_word_end(&self, rest: &str) -> bool {
        let is_subshell_end = self.subshells > 0 && rest.starts_with(')');
        rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '|', '&']) || is_subshell_end
    }

    pub(super) fn take_operator(&mut self) -> Option<&'static str> {
        let (operator, rest) =
            OPERATORS.iter().find_map(|op| self.rest.strip_prefix(op).map(|rest| (*op, rest)))?;
        self.rest = rest;
        Some(operator)
    }

    /// Takes one of the redirections that touch no file, if the word ends after it.
    pub(super) fn take_harmless_redirection(&mut self) -> Option<Redirection> {
        let (found, rest) = HARMLESS_REDIRECTIONS
            .iter()
            .find_map(|(text, found)| self.rest.strip_prefix(text).map(|rest| (found, rest)))?;
        let is_end = self.is_word_end(rest) && (!rest.starts_with('&') || rest.starts_with("&&"));
        is_end.then(|| {
            self.rest = rest;
            found.clone()
        })
    }

    /// Takes `>`, `>>`, `2>` or `2>>`, unless it is a part of another operator.
    pub(super) fn take_write_operator(&mut self) -> Option<(Stream, WriteMode)> {
        let (stream, mode, rest) = WRITE_OPERATORS.iter().find_map(|(text, stream, mode)| {
            self.rest.strip_prefix(text).map(|rest| (*stream, *mode, rest))
        })?;
        (!rest.starts_with(['&', '|', '<', '>', '('])).then(|| {
            self.rest = rest;
            (stream, mode)
        })
    }
}

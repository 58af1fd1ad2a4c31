//! Finds the parts of a text that look like secrets.

use crate::cloud_keys::find_cloud_key;
use crate::codes::find_codes;
use crate::numbers::find_numbers;
use crate::numbers::is_path_prefix;
use crate::services::{find_key_with_dots, find_webhook, looks_like_key};
use crate::words::{
    has_secret_form, is_literal, is_path, is_reference, is_secret_name, is_word_char,
};
use std::ops::Range;

/// What a text is redacted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The record: better too much than too little.
    Record,
    /// The card of an open question: a literal value with the form of a secret, and nothing that a
    /// shell could act on. Somebody is about to approve what it shows.
    Card,
}

const BEGIN: &str = "-----BEGIN ";
/// With or without `BLOCK`, which PGP adds.
const PRIVATE: &str = "PRIVATE KEY";
const END: &str = "-----END ";

/// The spans of secrets, in order and without overlaps.
pub(super) fn find_secrets(text: &str, view: View) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_private_keys(text, view, &mut found);
    find_in_words(text, view, &mut found);
    find_url_passwords(text, view, &mut found);
    find_numbers(text, &mut found);
    find_codes(text, &mut found);
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                let both = last.start..last.end.max(span.end);
                // Two literal values that overlap can be more than one word together.
                if view == View::Record || text.get(both.clone()).is_some_and(is_literal) {
                    *last = both;
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}

fn find_private_keys(text: &str, view: View, found: &mut Vec<Range<usize>>) {
    if !text.as_bytes().contains(&b'-') {
        return;
    }
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(BEGIN)).map(|at| from + at) {
        let rest = text.get(start..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        // In a JSON string that was escaped again, there are no line ends.
        let head: String = line.chars().take(64).collect();
        if !head.contains(PRIVATE) {
            from = start + BEGIN.len();
            continue;
        }
        let end = rest.find(END).and_then(|at| {
            let tail = rest.get(at + END.len()..)?;
            tail.find("-----").map(|dashes| at + END.len() + dashes + "-----".len())
        });
        let end = start + end.unwrap_or(rest.len());
        match view {
            View::Record => found.push(start..end),
            View::Card => find_key_lines(text, start..end, found),
        }
        from = end;
    }
}

/// A line of a private key is at least so long, but for the last one.
const MIN_KEY_LINE: usize = 40;

/// The long base64 lines of a private key. What stands between them stays: outside of quotes a line
/// end begins a command.
fn find_key_lines(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut at = block.start;
    for piece in text.get(block).unwrap_or_default().split_inclusive(|c| !is_base64(c)) {
        let line = piece.trim_end_matches(|c| !is_base64(c));
        // In a JSON string that was escaped again, the `n` of a line end stands before the line.
        if line.len() >= MIN_KEY_LINE && has_secret_form("", line) {
            found.push(at..at + line.len());
        }
        at += piece.len();
    }
}

/// The same for a byte. Bytes of a multi-byte character are never word bytes.
fn is_word_byte(byte: &u8) -> bool {
    is_word_char(char::from(*byte))
}

/// Runs of letters, digits, `_` and `-`, each with its start.
fn word_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.as_bytes().get(from..)?.iter().position(is_word_byte)?;
        let rest = text.as_bytes().get(start..)?;
        let length = rest.iter().position(|byte| !is_word_byte(byte)).unwrap_or(rest.len());
        from = start + length;
        Some((start, text.get(start..from)?))
    })
}

fn find_in_words(text: &str, view: View, found: &mut Vec<Range<usize>>) {
    for (start, word) in word_runs(text) {
        let end = start + word.len();
        if looks_like_key(word) {
            // A card names each file that a command runs or touches.
            let is_file =
                view == View::Card && is_path_prefix(text.get(..start).unwrap_or_default());
            found.extend((!is_file).then_some(start..end));
        } else if let Some(key) = find_cloud_key(text, start) {
            found.push(key);
        } else if let Some(token) = find_web_token(text, start, word)
            .or_else(|| find_key_with_dots(text, start, word))
            .or_else(|| find_webhook(text, start, word))
        {
            found.push(token);
        } else if is_scheme(word) {
            let value = value_after(text, end, &[" "]).filter(|span| span.len() >= 8);
            found.extend(value.filter(|span| is_hidden(text, (word, span), view)));
        } else {
            let separators =
                if word.starts_with("--") { &OPTION_SEPARATORS[..] } else { &NAME_SEPARATORS[..] };
            let next = text.as_bytes().get(end);
            // This check comes first, because most words have no value after them.
            let has_value = separators.iter().any(|with| with.as_bytes().first() == next);
            let is_secret = |name: &str| is_secret_name(name) || is_signature(text, start, name);
            let name = word.trim_start_matches('-');
            if has_value && is_secret(name) {
                let value = secret_after_name(text, end, separators);
                found.extend(value.filter(|span| is_hidden(text, (name, span), view)));
            }
        }
    }
}

/// Whether a value that its name or its place marks as a secret is hidden.
fn is_hidden(text: &str, (name, span): (&str, &Range<usize>), view: View) -> bool {
    match view {
        View::Record => true,
        View::Card => {
            text.get(span.clone()).is_some_and(|value| has_secret_form(name, value))
                && !goes_on(text, span.end)
        }
    }
}

/// Whether the word goes on after a value, so that the value is only a part of it: behind a
/// backslash, or behind a quote that does not end it.
fn goes_on(text: &str, end: usize) -> bool {
    let mut after = text.get(end..).unwrap_or_default().chars();
    match after.next() {
        Some('\\') => !matches!(after.next(), Some('"' | 'n' | 'r' | 't')),
        Some('"' | '\'') => {
            after.next().is_some_and(|c| c.is_alphanumeric() || c == '$' || c == '`')
        }
        Some(_) | None => false,
    }
}

/// A JSON Web Token: three base64 parts, of which the first is an object.
fn find_web_token(text: &str, start: usize, word: &str) -> Option<Range<usize>> {
    let rest = word.strip_prefix("eyJ").and_then(|_| text.get(start..))?;
    let length = rest.find(|c| !is_word_char(c) && c != '.').unwrap_or(rest.len());
    let token = rest.get(..length)?;
    let mut parts = token.split('.').filter(|part| part.len() >= 8);
    (parts.by_ref().count() >= 3).then_some(start..start + length)
}

/// Whether a name is the signature in a web address that gives access to whoever has the address.
fn is_signature(text: &str, start: usize, name: &str) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
    matches!(before, Some(b'?' | b'&')) && matches!(name, "sig" | "X-Amz-Signature")
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// What separates a name from its value. After an option this may be a blank.
const NAME_SEPARATORS: [&str; 5] = ["=", "\\\":", "\":", "':", ":"];
const OPTION_SEPARATORS: [&str; 2] = ["=", " "];

/// The secret after a name, unless it is a scheme, a path or a reference.
fn secret_after_name(text: &str, end: usize, separators: &[&str]) -> Option<Range<usize>> {
    let span = value_after(text, end, separators)?;
    let value = text.get(span.clone())?;
    let other = is_scheme(value) || is_path(value) || is_reference(value);
    (!other && !value.starts_with('-')).then_some(span)
}

/// The word after one of the separators, without blanks and quotes around it.
fn value_after(text: &str, end: usize, separators: &[&str]) -> Option<Range<usize>> {
    let rest = text.get(end..)?;
    let after = separators.iter().find_map(|separator| rest.strip_prefix(separator))?;
    // `NAME= word` and `NAME="" word` set nothing: there the word is a command.
    let takes_blanks = rest.starts_with(['"', '\'', '\\', ':', ' ']);
    let value = if takes_blanks { after.trim_start_matches(' ') } else { after };
    let value = value.strip_prefix('\\').unwrap_or(value);
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    let start = end + (rest.len() - value.len());
    let length = value
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '&' | ',' | ';' | '\\' | ')' | '}')
        })
        .unwrap_or(value.len());
    (length > 0).then_some(start..start + length)
}

/// Passwords in URLs: `scheme://name:password@host`.
fn find_url_passwords(text: &str, view: View, found: &mut Vec<Range<usize>>) {
    if !text.as_bytes().contains(&b':') {
        return;
    }
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")) {
        let start = from + at + "://".len();
        from = start;
        let Some(rest) = text.get(start..) else { return };
        let authority =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\''));
        let authority = rest.get(..authority.unwrap_or(rest.len())).unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        let Some((name, password)) = user.split_once(':') else { continue };
        if !password.is_empty() && !is_reference(password) {
            let begin = start + name.len() + 1;
            let span = begin..begin + password.len();
            found.extend(is_hidden(text, ("", &span), view).then_some(span));
        }
    }
}

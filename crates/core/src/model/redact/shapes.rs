//! Finds the parts of a text that look like secrets.

use super::{MARK, is_path, is_reference, is_secret_name};
use std::ops::Range;

/// Prefixes of keys of known services, with the minimum length of what follows.
const PREFIXES: [(&str, usize); 25] = [
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("sk-ant-", 20),
    ("sk-proj-", 16),
    ("sk-", 32),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxa-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 32),
    ("npm_", 30),
    ("pypi-", 32),
    ("hf_", 30),
    ("cs_agent_", 32),
    ("cs_adapter_", 32),
    ("cs_operator_", 32),
];

const BEGIN: &str = "-----BEGIN ";
const PRIVATE: &str = "PRIVATE KEY-----";
const END: &str = "-----END ";

/// The spans of secrets, in order and without overlaps.
pub(super) fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_private_keys(text, &mut found);
    find_in_words(text, &mut found);
    find_url_passwords(text, &mut found);
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn find_private_keys(text: &str, found: &mut Vec<Range<usize>>) {
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
        found.push(start..end);
        from = end;
    }
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
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

fn find_in_words(text: &str, found: &mut Vec<Range<usize>>) {
    for (start, word) in word_runs(text) {
        let end = start + word.len();
        if looks_like_key(word) {
            found.push(start..end);
        } else if let Some(token) = find_web_token(text, start, word) {
            found.push(token);
        } else if is_scheme(word) {
            found.extend(value_after(text, end, &[" "]).filter(|span| span.len() >= 8));
        } else {
            let separators =
                if word.starts_with("--") { &OPTION_SEPARATORS[..] } else { &NAME_SEPARATORS[..] };
            let next = text.as_bytes().get(end);
            // This check comes first, because most words have no value after them.
            let has_value = separators.iter().any(|with| with.as_bytes().first() == next);
            if has_value && is_secret_name(word.trim_start_matches('-')) {
                found.extend(secret_after_name(text, end, separators));
            }
        }
    }
}

/// The length of the shortest key: prefix and minimum rest.
const MIN_KEY_LENGTH: usize = 20;

fn looks_like_key(word: &str) -> bool {
    if word.starts_with(MARK) {
        return true;
    }
    word.len() >= MIN_KEY_LENGTH
        && PREFIXES.iter().any(|(prefix, min_rest)| {
            word.strip_prefix(prefix).is_some_and(|rest| {
                rest.len() >= *min_rest
                    && rest.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
                    || rest.len() >= *min_rest && !rest.contains('-') && !rest.contains('_')
            })
        })
}

/// A JSON Web Token: three base64 parts, of which the first is an object.
fn find_web_token(text: &str, start: usize, word: &str) -> Option<Range<usize>> {
    let rest = word.strip_prefix("eyJ").and_then(|_| text.get(start..))?;
    let length = rest.find(|c| !is_word_char(c) && c != '.').unwrap_or(rest.len());
    let token = rest.get(..length)?;
    let mut parts = token.split('.').filter(|part| part.len() >= 8);
    (parts.by_ref().count() >= 3).then_some(start..start + length)
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
    let value = after.trim_start_matches([' ', '"', '\'', '\\']);
    let start = end + (rest.len() - value.len());
    let length = value
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '&' | ',' | ';' | '\\' | ')' | '}')
        })
        .unwrap_or(value.len());
    (length > 0).then_some(start..start + length)
}

/// Passwords in URLs: `scheme://name:password@host`.
fn find_url_passwords(text: &str, found: &mut Vec<Range<usize>>) {
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
            found.push(begin..begin + password.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_length_is_that_of_the_shortest_key() {
        let shortest = PREFIXES.iter().map(|(prefix, min_rest)| prefix.len() + min_rest).min();
        assert_eq!(shortest, Some(MIN_KEY_LENGTH));
    }
}

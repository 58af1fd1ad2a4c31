//! Finds payment card numbers and IBANs.
//!
//! Both carry a checksum, so most order numbers, timestamps and ids stay as they are. A number that
//! is part of a path, a file name or a host stays too: the operator has to see what a call touches.
//!
//! See docs/decisions/0068-card-numbers-and-ibans.md.

mod card;
mod iban;

use std::ops::Range;

/// What kind of number a text is, and its last four characters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub kind: &'static str,
    pub last_four: String,
}

impl Account {
    /// Reads a text that is one number and nothing else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let kind = if card::find_end(text, 0) == Some(text.len()) {
            "card"
        } else if iban::find_end(text, 0) == Some(text.len()) {
            "iban"
        } else {
            return None;
        };
        let compact: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let last_four = compact.iter().skip(compact.len().saturating_sub(4));
        Some(Self { kind, last_four: last_four.map(char::to_ascii_uppercase).collect() })
    }
}

/// Adds the spans of the numbers in a text.
pub(super) fn find_numbers(text: &str, found: &mut Vec<Range<usize>>) {
    if !has_two_digits(text.as_bytes()) {
        return;
    }
    let mut from = 0;
    while let Some(start) = next_run(text.as_bytes(), from) {
        let end = card::find_end(text, start).or_else(|| iban::find_end(text, start));
        match end {
            Some(end) if !is_part_of_name(text, start..end) => {
                found.push(start..end);
                from = end;
            }
            Some(_) | None => from = start + 1,
        }
    }
}

/// Whether two digits stand side by side, as in every card number and IBAN. Of two neighbours one
/// has an odd index, so looking at every second byte is enough to find a first digit.
fn has_two_digits(bytes: &[u8]) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).step_by(2).any(|at| is_digit(at) && (is_digit(at - 1) || is_digit(at + 1)))
}

/// The next place, from here on, where letters or digits begin.
fn next_run(bytes: &[u8], from: usize) -> Option<usize> {
    let is_start =
        |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_alphanumeric) && begins(bytes, *at);
    (from..bytes.len()).find(is_start)
}

/// Whether no letter or digit stands directly before. The letter of an escape such as `\n` counts
/// as a line end: JSON inside of JSON has those.
pub(crate) fn begins(bytes: &[u8], at: usize) -> bool {
    let before = |by: usize| at.checked_sub(by).and_then(|at| bytes.get(at)).copied();
    match before(1) {
        Some(b'n' | b'r' | b't') => before(2) == Some(b'\\'),
        Some(byte) => !byte.is_ascii_alphanumeric(),
        None => true,
    }
}

/// Whether no letter or digit follows.
pub(crate) fn ends(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// The length of the separator between two groups of a number, if there is one.
fn separator_at(text: &str, at: usize) -> Option<(char, usize)> {
    let next = text.get(at..)?.chars().next()?;
    matches!(next, ' ' | '-' | '.' | '\u{a0}' | '\u{2009}' | '\u{202f}')
        .then_some((next, next.len_utf8()))
}

/// Whether a number is part of a path, of a file name or of a host.
fn is_part_of_name(text: &str, span: Range<usize>) -> bool {
    let (before, after) = (text.get(..span.start), text.get(span.end..));
    let mut after = after.unwrap_or_default().chars();
    let has_suffix =
        after.next() == Some('.') && after.next().is_some_and(|c| c.is_ascii_lowercase());
    has_suffix || is_path_prefix(before.unwrap_or_default())
}

/// Whether a text ends in the beginning of a path. The path of a web address is none, because it can
/// hold anything; neither is a date such as `12/27/`.
pub(crate) fn is_path_prefix(text: &str) -> bool {
    let is_boundary = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ',' | ';' | '(' | '[' | '{' | '<')
    };
    let word = text.rsplit(is_boundary).next().unwrap_or_default();
    let Some((folders, _)) = word.rsplit_once('/') else { return false };
    match folders.split_once("://") {
        Some((scheme, _)) => scheme == "file",
        None => folders.is_empty() || folders.chars().any(|c| !c.is_ascii_digit() && c != '/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find_numbers(text, &mut found);
        found.into_iter().map(|span| text.get(span).unwrap()).collect()
    }

    #[test]
    fn numbers_are_found_between_other_words() {
        let text = "4111 1111 1111 1111 12/27 123 and DE89 3704 0044 0532 0130 00, 378282246310005";
        let expected = ["4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "378282246310005"];
        assert_eq!(find(text), expected);
        assert_eq!(find("{\\\"card\\\":\\n4242424242424242}"), ["4242424242424242"]);
        assert_eq!(find("https://pay.example/c/4242424242424242?x"), ["4242424242424242"]);
        assert_eq!(find("12/27/4242424242424242/123"), ["4242424242424242"]);
    }

    #[test]
    fn paths_file_names_and_hosts_stay() {
        for text in [
            "cat /data/4242424242424242",
            "data/4242424242424242/x",
            "4242424242424242.csv",
            "https://4242424242424242.example.com/",
            "file:///srv/DE89370400440532013000",
            "~/x/DE89370400440532013000.pdf",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
        assert_eq!(find("4242424242424242.Then"), ["4242424242424242"]);
    }

    #[test]
    fn only_the_last_four_characters_are_read_from_a_number() {
        let last_four = |text| Account::parse(text).map(|account| account.last_four);
        assert_eq!(last_four("4242-4242-4242-4242").as_deref(), Some("4242"));
        assert_eq!(last_four("fr14 2004 1010 0505 0001 3m02 606").as_deref(), Some("2606"));
        assert_eq!(last_four("4242424242424242 "), None);
        assert_eq!(last_four(""), None);
    }

    #[test]
    fn characters_of_several_bytes_are_no_trap() {
        let odd = "é4242424242424242\u{a0}ü DE\u{a0}89 \u{202f}4242\u{a0}4242\u{a0}4242\u{a0}4242€";
        for (at, _) in odd.char_indices() {
            find(odd.get(at..).unwrap());
            find(odd.get(..at).unwrap());
        }
        assert_eq!(find(odd).len(), 2);
    }
}

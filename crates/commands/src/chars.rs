//! Checks the size and the characters of a line before it is parsed.
//!
//! Refuses characters that a person does not see as a shell does. Quotes are tracked only to
//! distinguish quoted data from the rest.

use crate::limits;
use countersign_core::encoding::unicode::is_invisible;

/// The result of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharacterCheck {
    Clean,
    /// Never matches an allow rule.
    Unmatched(&'static str),
    /// Never matches an allow rule, and is denied if there are deny rules.
    Suspicious(&'static str),
    Refused(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteState {
    None,
    Single,
    Double,
    /// After a backslash outside quotes.
    Escaped,
    /// After a backslash inside double quotes.
    EscapedInDouble,
}

pub(crate) fn check_text(text: &str) -> CharacterCheck {
    if text.len() > limits::MAX_COMMAND_BYTES {
        return CharacterCheck::Refused("it is longer than 64 KiB");
    }
    if text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|')) {
        return CharacterCheck::Refused("there is no command in it");
    }
    match check_characters(text) {
        CharacterCheck::Clean
            if text.len() > limits::MAX_MATCHABLE_CHARS
                && text.chars().nth(limits::MAX_MATCHABLE_CHARS).is_some() =>
        {
            CharacterCheck::Suspicious("it is longer than 10,000 characters")
        }
        result => result,
    }
}

fn check_characters(text: &str) -> CharacterCheck {
    // Fast path: most lines are printable ASCII.
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n')) {
        return CharacterCheck::Clean;
    }
    let (mut quote, mut result) = (QuoteState::None, CharacterCheck::Clean);
    for c in text.chars() {
        if c == ESCAPE && matches!(quote, QuoteState::Single | QuoteState::Double) {
            if result == CharacterCheck::Clean {
                result = CharacterCheck::Unmatched("a quoted word contains an escape character");
            }
            continue;
        }
        if is_forbidden(c) {
            return CharacterCheck::Refused(
                "it contains a character that controls or reorders the display",
            );
        }
        if is_invisible(c) || is_non_ascii_blank(c) {
            match quote {
                QuoteState::None | QuoteState::Escaped => {
                    return CharacterCheck::Refused(
                        "it contains an invisible character or a non-ASCII space",
                    );
                }
                QuoteState::Single | QuoteState::Double | QuoteState::EscapedInDouble
                    if is_invisible(c) =>
                {
                    result =
                        CharacterCheck::Suspicious("a quoted word contains an invisible character");
                }
                QuoteState::Single | QuoteState::Double | QuoteState::EscapedInDouble => {}
            }
        }
        quote = next_quote_state(quote, c);
    }
    result
}

/// Patterns of `sed` and `grep` that remove colours contain it. Cards show it as a mark.
const ESCAPE: char = '\u{1b}';

fn next_quote_state(quote: QuoteState, c: char) -> QuoteState {
    match (quote, c) {
        (QuoteState::None, '\\') => QuoteState::Escaped,
        (QuoteState::Double, '\\') => QuoteState::EscapedInDouble,
        (QuoteState::None, '\'') => QuoteState::Single,
        (QuoteState::None, '"') | (QuoteState::EscapedInDouble, _) => QuoteState::Double,
        (QuoteState::Single, '\'') | (QuoteState::Double, '"') | (QuoteState::Escaped, _) => {
            QuoteState::None
        }
        (quote, _) => quote,
    }
}

/// Controls, bidirectional controls, line separators and tag characters.
fn is_forbidden(c: char) -> bool {
    (c.is_control() && c != '\t' && c != '\n')
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

fn is_non_ascii_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_displayed_faithfully_is_refused() {
        for text in [
            "",
            " \t\n",
            ";",
            " & \n|",
            "a\0b",
            "a\r\nb",
            "a\u{1b}[1m",
            "'a'\u{1b}[1m",
            "\"a\\\u{1b}\"",
            "a\u{7f}",
            "a\u{9b}",
            "'a\u{202e}b'",
            "a\u{e0069}",
            "a\u{200b}b",
            "a\u{a0}b",
            "a\u{2028}b",
            "a\\\u{200b}",
            "\"a\\\"\"\u{200b}",
        ] {
            assert!(matches!(check_text(text), CharacterCheck::Refused(_)), "{text:?}");
        }
        assert!(matches!(
            check_text(&"x".repeat(limits::MAX_COMMAND_BYTES + 1)),
            CharacterCheck::Refused(_)
        ));
    }

    #[test]
    fn quoted_invisible_characters_and_long_lines_are_only_suspicious() {
        let long = "x".repeat(limits::MAX_MATCHABLE_CHARS + 1);
        for text in ["echo 'a\u{200d}b'", "echo \"a\\\"\u{200d}b\"", &long] {
            assert!(matches!(check_text(text), CharacterCheck::Suspicious(_)), "{text:?}");
        }
        for text in ["sed 's/\u{1b}\\[1m//'", "grep \"\u{1b}\" a"] {
            assert!(matches!(check_text(text), CharacterCheck::Unmatched(_)), "{text:?}");
        }
        for text in
            ["echo 'größe 日本　語'", "git status\n", &"x".repeat(limits::MAX_MATCHABLE_CHARS)]
        {
            assert_eq!(check_text(text), CharacterCheck::Clean, "{text:?}");
        }
    }
}

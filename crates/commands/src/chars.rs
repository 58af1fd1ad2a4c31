//! Intake: what may not even be looked at, because a reader and a shell would see two things.
//!
//! Only sizes and characters are judged here, before anything is parsed; quotes are followed just
//! far enough to tell data from the rest.

use crate::limits;

/// What the characters of a line allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intake {
    Fine,
    /// Never matched; denied as soon as any deny rule exists.
    Doubtful(&'static str),
    Refused(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
    /// Behind a backslash outside quotes, and inside double ones.
    Escaped,
    EscapedInDouble,
}

pub(crate) fn intake(text: &str) -> Intake {
    if text.len() > limits::BYTES {
        return Intake::Refused("it is longer than 64 KiB");
    }
    if text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|')) {
        return Intake::Refused("there is no command in it");
    }
    match characters(text) {
        Intake::Fine
            if text.len() > limits::CHARACTERS
                && text.chars().nth(limits::CHARACTERS).is_some() =>
        {
            Intake::Doubtful("it is longer than 10,000 characters")
        }
        found => found,
    }
}

fn characters(text: &str) -> Intake {
    // Most lines hold nothing to look at.
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n')) {
        return Intake::Fine;
    }
    let (mut quote, mut found) = (Quote::None, Intake::Fine);
    for c in text.chars() {
        if is_forbidden(c) {
            return Intake::Refused("it holds a character that controls or reorders what is shown");
        }
        if is_hidden(c) || is_foreign_blank(c) {
            match quote {
                Quote::None | Quote::Escaped => {
                    return Intake::Refused("it holds an invisible character or a foreign blank");
                }
                Quote::Single | Quote::Double | Quote::EscapedInDouble if is_hidden(c) => {
                    found = Intake::Doubtful("a quoted word holds an invisible character");
                }
                Quote::Single | Quote::Double | Quote::EscapedInDouble => {}
            }
        }
        quote = next(quote, c);
    }
    found
}

fn next(quote: Quote, c: char) -> Quote {
    match (quote, c) {
        (Quote::None, '\\') => Quote::Escaped,
        (Quote::Double, '\\') => Quote::EscapedInDouble,
        (Quote::None, '\'') => Quote::Single,
        (Quote::None, '"') | (Quote::EscapedInDouble, _) => Quote::Double,
        (Quote::Single, '\'') | (Quote::Double, '"') | (Quote::Escaped, _) => Quote::None,
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

/// Characters that are drawn as nothing.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}')
}

fn is_foreign_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_honestly_is_refused() {
        for text in [
            "",
            " \t\n",
            ";",
            " & \n|",
            "a\0b",
            "a\r\nb",
            "a\u{1b}[1m",
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
            assert!(matches!(intake(text), Intake::Refused(_)), "{text:?}");
        }
        assert!(matches!(intake(&"x".repeat(limits::BYTES + 1)), Intake::Refused(_)));
    }

    #[test]
    fn what_is_only_doubtful_stays_a_question() {
        let long = "x".repeat(limits::CHARACTERS + 1);
        for text in ["echo 'a\u{200d}b'", "echo \"a\\\"\u{200d}b\"", &long] {
            assert!(matches!(intake(text), Intake::Doubtful(_)), "{text:?}");
        }
        for text in ["echo 'größe 日本　語'", "git status\n", &"x".repeat(limits::CHARACTERS)]
        {
            assert_eq!(intake(text), Intake::Fine, "{text:?}");
        }
    }
}

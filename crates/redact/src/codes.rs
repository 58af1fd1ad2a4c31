//! One-time codes: short numbers that a text calls a code.

use crate::numbers::{begins, ends};
use std::ops::Range;

/// How many digits a code has.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// How far from its number the words that call it a code may stand.
const MAX_DISTANCE: usize = 24;

/// What people and services call a one-time code.
const PHRASES: [&str; 21] = [
    "verification code",
    "one-time code",
    "one time code",
    "one-time password",
    "one time password",
    "one-time passcode",
    "one-time pin",
    "single-use code",
    "passcode",
    "otp",
    "totp",
    "2fa code",
    "mfa code",
    "two-factor code",
    "authentication code",
    "authenticator code",
    "security code",
    "login code",
    "sign-in code",
    "confirmation code",
    "access code",
];

/// What stands between a number and the words after it: `123456 is your login code`.
const LINKS: [&str; 4] = [" is your ", " is the ", " as your ", " as the "];

/// Adds the spans of the codes in a text.
pub(super) fn find_codes(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    // Most texts have no phrase, and looking for one is cheaper than looking at each number.
    let lower = text.to_ascii_lowercase();
    if !PHRASES.iter().any(|phrase| lower.contains(phrase)) {
        return;
    }
    let mut from = 0;
    while let Some(start) =
        bytes.get(from..).and_then(|rest| rest.iter().position(u8::is_ascii_digit))
    {
        let start = from + start;
        let end = number_end(bytes, start);
        from = end;
        let digits = text.get(start..end).unwrap_or_default().bytes().filter(u8::is_ascii_digit);
        let is_number = begins(bytes, start) && ends(text, end) && DIGITS.contains(&digits.count());
        if is_number && (follows_phrase(&lower, start) || precedes_phrase(&lower, end)) {
            found.push(start..end);
        }
    }
}

/// The end of a number. Codes of six digits are also written in two halves with a hyphen.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let run = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
    };
    let first = run(start);
    let is_halved = first == 3 && bytes.get(start + 3) == Some(&b'-') && run(start + 4) == 3;
    if is_halved { start + 7 } else { start + first }
}

/// Whether a phrase stands before a number, with no other number and no end of a sentence between.
fn follows_phrase(lower: &str, start: usize) -> bool {
    let before = lower.get(..start).unwrap_or_default();
    PHRASES.iter().any(|phrase| {
        let Some(at) = before.rfind(phrase) else { return false };
        let between = before.get(at + phrase.len()..).unwrap_or_default();
        let is_word =
            !before.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric());
        let is_other = |c: char| c.is_ascii_digit() || matches!(c, '.' | '!' | '?' | '\n' | '/');
        is_word
            && between.len() <= MAX_DISTANCE
            && !between.contains(is_other)
            && !between.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
    })
}

/// Whether the words after a number call it a code.
fn precedes_phrase(lower: &str, end: usize) -> bool {
    let after = lower.get(end..).unwrap_or_default();
    let Some(rest) = LINKS.iter().find_map(|link| after.strip_prefix(link)) else { return false };
    PHRASES.iter().any(|phrase| rest.find(phrase).is_some_and(|at| at <= MAX_DISTANCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find_codes(text, &mut found);
        found.into_iter().map(|span| text.get(span).unwrap()).collect()
    }

    #[test]
    fn a_number_that_a_text_calls_a_code_is_found() {
        for (text, code) in [
            ("Your verification code is 482913.", "482913"),
            ("482913 is your Example verification code", "482913"),
            ("OTP: 4829", "4829"),
            ("otp=482913", "482913"),
            ("use 482-913 as your login code", "482-913"),
            ("one-time password for ann: 48291377", "48291377"),
        ] {
            assert_eq!(find(text), [code], "{text}");
        }
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "exit code 4829",
            "error code: 482913",
            "the zip code 90210",
            "port 48291",
            "verification code sent. Order 482913",
            "otp-2027/482913",
            "the adoption of 482913",
            "a verification code of 12 digits",
        ] {
            assert!(find(text).is_empty(), "{text}: {:?}", find(text));
        }
    }
}

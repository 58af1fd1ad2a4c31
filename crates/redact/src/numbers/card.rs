//! Payment card numbers: the prefix and length of an issuer, and the checksum of Luhn.

use super::{begins, ends, separator_at};
use std::ops::{Range, RangeInclusive};

const MIN_DIGITS: usize = 13;
const MAX_DIGITS: usize = 19;
/// The longest telephone number, by E.164.
const PHONE_DIGITS: usize = 15;

/// How people write the digits in groups. Without separators there is one group.
const GROUPINGS: [&[usize]; 8] = [
    &[4, 4, 4, 4],
    &[4, 4, 4, 4, 3],
    &[4, 4, 4, 4, 2],
    &[4, 4, 4, 4, 1],
    &[4, 6, 5],
    &[4, 6, 4],
    &[4, 3, 3, 3],
    &[6, 13],
];

/// First digits of issuers, from and to, with the lengths of their numbers.
const ISSUERS: [(u32, u32, RangeInclusive<usize>); 31] = [
    (4, 4, 13..=13),
    (4, 4, 16..=16),
    (4, 4, 19..=19),
    (51, 55, 16..=16),
    (2221, 2720, 16..=16),
    (34, 34, 15..=15),
    (37, 37, 15..=15),
    (300, 305, 14..=19),
    (3095, 3095, 14..=19),
    (36, 36, 14..=19),
    (38, 39, 14..=19),
    (3528, 3589, 16..=19),
    (6011, 6011, 16..=19),
    (644, 649, 16..=19),
    (65, 65, 16..=19),
    (62, 62, 16..=19),
    (60, 60, 16..=16),
    (81, 82, 16..=16),
    (508, 508, 16..=16),
    (5018, 5018, 13..=19),
    (5020, 5020, 13..=19),
    (5038, 5038, 13..=19),
    (5893, 5893, 13..=19),
    (6304, 6304, 13..=19),
    (6759, 6759, 13..=19),
    (6761, 6763, 13..=19),
    (6362, 6363, 16..=16),
    (6370, 6370, 16..=16),
    (2200, 2204, 16..=19),
    (5060, 5061, 16..=19),
    (9792, 9792, 16..=16),
];

/// The end of the card number that starts here, if one does.
pub(super) fn find_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.get(start)?.is_ascii_digit() || !begins(bytes, start) {
        return None;
    }
    let mut groups = Groups::default();
    let (mut at, mut longest) = (start, None);
    loop {
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        if length == 0 || !groups.push(rest.get(..length)?) {
            return longest;
        }
        at += length;
        if ends(text, at) && groups.are_card() && !is_other_number(text, start..at, &groups) {
            longest = Some(at);
        }
        match separator_at(text, at) {
            Some((separator, width)) if groups.accept_separator(separator) => at += width,
            Some(_) | None => return longest,
        }
    }
}

/// Whether the digits are a telephone number, or part of a decimal number or of a longer series of
/// groups. After a blank other digits may follow: the date, or the security code.
fn is_other_number(text: &str, span: Range<usize>, groups: &Groups) -> bool {
    let mut before = text.get(..span.start).unwrap_or_default().chars().rev();
    let mut after = text.get(span.end..).unwrap_or_default().chars();
    let (previous, next) = (before.next(), after.next());
    let joins = |separator: Option<char>| match separator {
        Some('.') => true,
        Some('-') => groups.separator == Some('-'),
        Some(_) | None => false,
    };
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    previous == Some('+') && groups.digits.len() <= PHONE_DIGITS
        || joins(previous) && is_digit(before.next())
        || joins(next) && is_digit(after.next())
}

/// The groups of digits that were read so far.
#[derive(Default)]
struct Groups {
    digits: Vec<u8>,
    lengths: Vec<usize>,
    separator: Option<char>,
}

impl Groups {
    /// Whether the group was added: a card number has only so many digits.
    fn push(&mut self, group: &[u8]) -> bool {
        let fits = self.digits.len() + group.len() <= MAX_DIGITS;
        if fits {
            self.digits.extend(group.iter().map(|byte| byte - b'0'));
            self.lengths.push(group.len());
        }
        fits
    }

    /// All groups of a number have the same separator between them.
    fn accept_separator(&mut self, separator: char) -> bool {
        *self.separator.get_or_insert(separator) == separator
    }

    fn are_card(&self) -> bool {
        let grouped = self.lengths.len() == 1 || GROUPINGS.contains(&self.lengths.as_slice());
        let length = self.digits.len();
        grouped
            && (MIN_DIGITS..=MAX_DIGITS).contains(&length)
            && self.has_issuer()
            && has_luhn_digit(&self.digits)
            && !(length == 13 && has_ean_digit(&self.digits))
    }

    fn has_issuer(&self) -> bool {
        let prefix = |like: u32| {
            let width = like.to_string().len();
            self.digits.iter().take(width).fold(0, |sum, digit| sum * 10 + u32::from(*digit))
        };
        ISSUERS.iter().any(|(from, to, lengths)| {
            lengths.contains(&self.digits.len()) && (*from..=*to).contains(&prefix(*from))
        })
    }
}

/// The checksum of card numbers: from the right, every second digit is doubled.
fn has_luhn_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) => digit * 2 - if digit > 4 { 9 } else { 0 },
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The checksum of article numbers, which have 13 digits as some old card numbers do.
fn has_ean_digit(digits: &[u8]) -> bool {
    let weigh = |(at, digit): (usize, &u8)| u32::from(*digit) * if at % 2 == 0 { 1 } else { 3 };
    digits.iter().enumerate().map(weigh).sum::<u32>().is_multiple_of(10)
}

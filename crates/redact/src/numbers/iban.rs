//! IBANs: the length of their country, and a remainder of 1 modulo 97.

use super::{begins, ends, separator_at};

/// The IBAN registry: country and number of characters, in alphabetical order.
#[rustfmt::skip]
const COUNTRIES: [(&[u8; 2], usize); 89] = [
    (b"AD", 24), (b"AE", 23), (b"AL", 28), (b"AT", 20), (b"AZ", 28), (b"BA", 20), (b"BE", 16),
    (b"BG", 22), (b"BH", 22), (b"BI", 27), (b"BR", 29), (b"BY", 28), (b"CH", 21), (b"CR", 22),
    (b"CY", 28), (b"CZ", 24), (b"DE", 22), (b"DJ", 27), (b"DK", 18), (b"DO", 28), (b"EE", 20),
    (b"EG", 29), (b"ES", 24), (b"FI", 18), (b"FK", 18), (b"FO", 18), (b"FR", 27), (b"GB", 22),
    (b"GE", 22), (b"GI", 23), (b"GL", 18), (b"GR", 27), (b"GT", 28), (b"HN", 28), (b"HR", 21),
    (b"HU", 28), (b"IE", 22), (b"IL", 23), (b"IQ", 23), (b"IS", 26), (b"IT", 27), (b"JO", 30),
    (b"KW", 30), (b"KZ", 20), (b"LB", 28), (b"LC", 32), (b"LI", 21), (b"LT", 20), (b"LU", 20),
    (b"LV", 21), (b"LY", 25), (b"MC", 27), (b"MD", 24), (b"ME", 22), (b"MK", 19), (b"MN", 20),
    (b"MR", 27), (b"MT", 31), (b"MU", 30), (b"NI", 28), (b"NL", 18), (b"NO", 15), (b"OM", 23),
    (b"PK", 24), (b"PL", 28), (b"PS", 29), (b"PT", 25), (b"QA", 29), (b"RO", 24), (b"RS", 22),
    (b"RU", 33), (b"SA", 24), (b"SC", 31), (b"SD", 18), (b"SE", 24), (b"SI", 19), (b"SK", 24),
    (b"SM", 27), (b"SO", 23), (b"ST", 25), (b"SV", 28), (b"TL", 23), (b"TN", 24), (b"TR", 26),
    (b"UA", 29), (b"VA", 22), (b"VG", 24), (b"XK", 20), (b"YE", 30),
];

/// How many characters stand between two separators.
const GROUP: usize = 4;

/// The end of the IBAN that starts here, if one does.
pub(super) fn find_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let head = bytes.get(start..start + GROUP)?;
    let has_head = matches!(head, [a, b, c, d] if a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit());
    if !has_head || !begins(bytes, start) {
        return None;
    }
    let length = country_length(head)?;
    let mut characters = Vec::with_capacity(length);
    let mut at = start;
    while characters.len() < length {
        if !characters.is_empty() && characters.len().is_multiple_of(GROUP) {
            at += separator_at(text, at).filter(|(c, _)| *c != '.').map_or(0, |(_, width)| width);
        }
        characters.push(*bytes.get(at).filter(|byte| byte.is_ascii_alphanumeric())?);
        at += 1;
    }
    (ends(text, at) && has_one_case(&characters) && has_check_digits(&characters)).then_some(at)
}

fn country_length(head: &[u8]) -> Option<usize> {
    let country = [head.first()?.to_ascii_uppercase(), head.get(1)?.to_ascii_uppercase()];
    let known = COUNTRIES.iter().find(|(code, _)| **code == country);
    known.map(|(_, length)| *length)
}

/// Base64 mixes upper and lower case; people do not.
fn has_one_case(characters: &[u8]) -> bool {
    !(characters.iter().any(u8::is_ascii_lowercase)
        && characters.iter().any(u8::is_ascii_uppercase))
}

/// ISO 7064: with the first four characters at the end and letters as 10 to 35, the rest is 1.
fn has_check_digits(characters: &[u8]) -> bool {
    let (head, tail) = characters.split_at(GROUP.min(characters.len()));
    let rest = tail.iter().chain(head).fold(0_u32, |rest, byte| match byte.is_ascii_digit() {
        true => (rest * 10 + u32::from(byte - b'0')) % 97,
        false => (rest * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_countries_are_in_order_and_have_plausible_lengths() {
        assert!(COUNTRIES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(COUNTRIES.iter().all(|(_, length)| (15..=34).contains(length)));
    }

    #[test]
    fn one_wrong_digit_is_no_iban() {
        let right = "GB29NWBK60161331926819";
        assert_eq!(find_end(right, 0), Some(right.len()));
        assert_eq!(find_end("GB28NWBK60161331926819", 0), None);
        assert_eq!(find_end("GB29NWBK60161331926818", 0), None);
        assert_eq!(find_end("GB29NWBK601613319268190", 0), None);
        assert_eq!(find_end("GB29NWBK6016133192681", 0), None);
    }
}

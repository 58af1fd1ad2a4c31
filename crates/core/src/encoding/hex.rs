//! Lower-case hexadecimal without `std::fmt`.
//!
//! Every row and entry contains ids and digests, and formatting them with `{:02x}` costs more than
//! the rest of the text.

use std::fmt;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes at most 32 bytes.
pub(crate) fn write(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0; 64];
    f.write_str(encode_into(bytes, &mut text))
}

/// Appends at most 32 bytes to a string.
#[inline]
pub(crate) fn push(bytes: &[u8], text: &mut String) {
    text.push_str(encode_into(bytes, &mut [0; 64]));
}

/// Writes at most 32 bytes into the caller's buffer.
#[inline]
pub(crate) fn encode_into<'a>(bytes: &[u8], text: &'a mut [u8; 64]) -> &'a str {
    encode_with_prefix("", bytes, text)
}

/// Writes a short prefix and the bytes into the caller's buffer.
#[inline]
pub(crate) fn encode_with_prefix<'a>(
    prefix: &str,
    bytes: &[u8],
    text: &'a mut [u8; 64],
) -> &'a str {
    let (begin, rest) = text.split_at_mut(prefix.len().min(64));
    begin.copy_from_slice(prefix.as_bytes().get(..begin.len()).unwrap_or_default());
    for (pair, byte) in rest.chunks_exact_mut(2).zip(bytes) {
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'?');
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    let written = text.get(..prefix.len() + bytes.len() * 2).unwrap_or_default();
    std::str::from_utf8(written).unwrap_or_default()
}

/// The value of one digit. Upper-case digits are not accepted.
pub(crate) const fn parse_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::encoding::digest::Digest;

    #[test]
    fn bytes_become_lower_case_digits_in_order() {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&[0x00, 0x0f, 0xa0, 0xff]);
        let expected = format!("000fa0ff{}", "0".repeat(56));
        assert_eq!(Digest::from_bytes(bytes).to_string(), expected);
        assert_eq!(Digest::parse(&expected), Some(Digest::from_bytes(bytes)));
    }

    #[test]
    fn a_digest_has_exactly_64_lower_case_digits() {
        let digits = "0123456789abcdef".repeat(4);
        assert!(Digest::parse(&digits).is_some());
        for other in
            [digits.trim_start_matches('0'), &format!("{digits}0"), &digits.to_uppercase(), ""]
        {
            assert_eq!(Digest::parse(other), None, "{other}");
        }
        assert_eq!(Digest::parse(&digits.replace('f', "g")), None);
    }
}

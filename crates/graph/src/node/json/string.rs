//! JSON strings: quotes, escapes, surrogate pairs.
//!
//! A string without escapes is copied in one piece.

use super::{HELP, JsonReader};
use crate::problem::{Problem, TextSpan};

impl JsonReader<'_> {
    pub(super) fn read_string(&mut self) -> Result<String, Problem> {
        let start = self.position;
        self.position += 1;
        let mut out = String::new();
        let mut plain_start = self.position;
        loop {
            match self.current_byte() {
                Some(b'"') => {
                    out.push_str(self.text.get(plain_start..self.position).unwrap_or_default());
                    self.position += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(self.text.get(plain_start..self.position).unwrap_or_default());
                    out.push(self.read_escape()?);
                    plain_start = self.position;
                }
                Some(0..0x20) => return Err(self.control_character()),
                Some(_) => self.position += 1,
                None => {
                    let message = "this string is not closed";
                    return Err(Problem::new(TextSpan::new(start, start + 1), message, HELP));
                }
            }
        }
    }

    fn control_character(&self) -> Problem {
        let message = "a string may not contain a line break or another control character";
        let help = "write `\\n` for a line break, `\\t` for a tab, `\\u0000` for the others";
        Problem::new(TextSpan::new(self.position, self.position + 1), message, help)
    }

    fn read_escape(&mut self) -> Result<char, Problem> {
        let start = self.position;
        self.position += 1;
        let letter = self.current_byte();
        self.position += 1;
        let found = match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => Some(char::from(c)),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => self.read_unicode_escape(),
            _ => None,
        };
        found.ok_or_else(|| {
            let message = "this is not a valid JSON escape";
            let help =
                "write `\\\\` for a backslash; a character beyond U+FFFF is a pair of escapes";
            Problem::new(TextSpan::new(start, start + 1), message, help)
        })
    }

    /// The character of `\uXXXX`, or of the surrogate pair that starts there.
    fn read_unicode_escape(&mut self) -> Option<char> {
        let first = self.read_four_hex_digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let pair = self.text.get(self.position..self.position + 2)?;
        self.position += 2;
        let second = (pair == "\\u").then(|| self.read_four_hex_digits()).flatten()?;
        (0xdc00..0xe000)
            .contains(&second)
            .then(|| char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)))
            .flatten()
    }

    fn read_four_hex_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.position..self.position + 4)?;
        self.position += 4;
        // `from_str_radix` alone would accept `+123`.
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
        u32::from_str_radix(digits, 16).ok()
    }
}

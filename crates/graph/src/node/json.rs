//! JSON (RFC 8259), read strictly and with places.
//!
//! Written here because the readers at hand keep no places, and YAML's takes far longer over a
//! large graph. No extensions: no comments, no trailing commas, no NaN.

mod string;

use super::{Entry, Key, Kind, Node, beyond_range, integer, keys, too_deep};
use crate::limits;
use crate::problem::{Problem, Span};

const HELP: &str = "JSON has objects, lists, texts in double quotes, numbers, `true`, `false` and \
                    `null`; it has no comments and no comma after the last entry";

pub(super) fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at, duplicates: Vec::new() };
    match reader.document() {
        Ok(node) if reader.duplicates.is_empty() => Ok(node),
        Ok(_) => Err(reader.duplicates),
        Err(problem) => {
            reader.duplicates.push(problem);
            Err(reader.duplicates)
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// A key that occurs twice does not end the reading.
    duplicates: Vec<Problem>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Node, Problem> {
        let node = self.value(0)?;
        match self.peek() {
            None => Ok(node),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                other => return other,
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        match self.peek() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let start = self.at;
                let text = self.string()?;
                Ok(Node { span: self.span_from(start), value: Kind::String(text) })
            }
            Some(b't') => self.literal("true", Kind::Bool(true)),
            Some(b'f') => self.literal("false", Kind::Bool(false)),
            Some(b'n') => self.literal("null", Kind::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn deeper(&self, depth: usize) -> Result<usize, Problem> {
        if depth == limits::DEPTH {
            return Err(too_deep(Span::new(self.at, self.at + 1)));
        }
        Ok(depth + 1)
    }

    fn list(&mut self, depth: usize) -> Result<Node, Problem> {
        let depth = self.deeper(depth)?;
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        if !self.take(b']') {
            loop {
                items.push(self.value(depth)?);
                if self.take(b']') {
                    break;
                }
                if !self.take(b',') {
                    return Err(self.unexpected("`,` or `]`"));
                }
            }
        }
        Ok(Node { span: self.span_from(start), value: Kind::List(items) })
    }

    fn map(&mut self, depth: usize) -> Result<Node, Problem> {
        let depth = self.deeper(depth)?;
        let start = self.at;
        self.at += 1;
        let mut entries = Vec::new();
        if !self.take(b'}') {
            loop {
                entries.push(self.entry(depth)?);
                if self.take(b'}') {
                    break;
                }
                if !self.take(b',') {
                    return Err(self.unexpected("`,` or `}`"));
                }
            }
        }
        keys::refuse_duplicates(&entries, &mut self.duplicates);
        Ok(Node { span: self.span_from(start), value: Kind::Map(entries) })
    }

    fn entry(&mut self, depth: usize) -> Result<Entry, Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let start = self.at;
        let name = self.string()?;
        let key = Key { span: self.span_from(start), name };
        if !self.take(b':') {
            return Err(self.unexpected("`:`"));
        }
        Ok(Entry { key, value: self.value(depth)? })
    }

    fn literal(&mut self, word: &str, value: Kind) -> Result<Node, Problem> {
        let start = self.at;
        if !self.text.get(start..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(Node { span: self.span_from(start), value })
    }

    /// Skips digits; says how many there were.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Node, Problem> {
        let start = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let leading_zero = self.byte() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            return Err(self.unreadable_number(start));
        }
        let mut whole = true;
        if self.byte() == Some(b'.') {
            whole = false;
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.unreadable_number(start));
            }
        }
        if let Some(b'e' | b'E') = self.byte() {
            whole = false;
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(self.unreadable_number(start));
            }
        }
        let span = self.span_from(start);
        let written = span.of(self.text).unwrap_or_default();
        let float = || written.parse().ok().filter(|n: &f64| n.is_finite()).map(Kind::Float);
        let value = if whole { integer(written, 10) } else { float() };
        value.map(|value| Node { span, value }).ok_or_else(|| beyond_range(span, written))
    }

    fn unreadable_number(&self, start: usize) -> Problem {
        Problem::new(Span::new(start, self.at), "this is not a number that JSON knows", HELP)
    }

    fn unexpected(&self, what: &str) -> Problem {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => {
                let message = format!("expected {what}, found `{}`", c.escape_debug());
                Problem::new(Span::new(self.at, self.at + c.len_utf8()), message, HELP)
            }
            None => {
                let message = format!("the file ends where {what} should stand");
                Problem::new(Span::at(self.text.len()), message, HELP)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::encoding::json::canonical;
    use proptest::prelude::*;

    fn strict(text: &str) -> Option<serde_json::Value> {
        parse(text).ok().map(|node| node.to_json())
    }

    #[test]
    fn what_json_allows_is_read_as_the_common_reader_does() {
        for text in [
            "{}",
            " [ ] ",
            r#"{"a": [1, -2, 3.5, 1e3, -0.25E-2, true, false, null, "x"], "b": {"c": ""}}"#,
            r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀""#,
            "18446744073709551615",
            "-9223372036854775808",
            "0",
            "\n\t\"\u{7f}\"\r",
        ] {
            assert_eq!(strict(text), serde_json::from_str(text).ok(), "{text}");
            assert!(strict(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_json_does_not_allow_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "[1,]",
            "[1 2]",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" 1}",
            "{\"a\":}",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "NaN",
            "tru",
            "nulls",
            "1 2",
            "// c\n1",
            "\"a",
            "\"\n\"",
            r#""\x""#,
            r#""\u12""#,
            r#""\u+123""#,
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\udc00""#,
            "\"\\",
            "1e999",
            "18446744073709551616",
            "-9223372036854775809",
            "'a'",
            "[\u{a0}1]",
        ] {
            assert_eq!(strict(text), None, "{text}");
        }
    }

    #[test]
    fn every_value_and_key_knows_its_place() {
        let text = "{\"ä\": [10, \"x\"]}";
        let node = parse(text).unwrap();
        let entry = &node.entries().unwrap()[0];
        let Kind::List(items) = &entry.value.value else { panic!("{entry:?}") };
        let spans = [node.span, entry.key.span, entry.value.span, items[0].span, items[1].span];
        let found = spans.map(|span| span.of(text).unwrap());
        assert_eq!(found, [text, "\"ä\"", "[10, \"x\"]", "10", "\"x\""]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_as_by_the_common_reader(text in r#"[\[\]{}",:0-9eE+.\\ntrufalse \-]{0,24}"#) {
            let theirs: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            match parse(&text) {
                // Canonically, because the other reader keeps the sign of `-0`.
                Ok(node) => {
                    prop_assert!(theirs.is_some());
                    prop_assert_eq!(canonical(&node.to_json()).ok(), theirs.and_then(|v| canonical(&v).ok()));
                }
                Err(problems) => {
                    let stricter = ["occurs twice", "too large"];
                    let expected = problems.iter().any(|p| stricter.iter().any(|s| p.message.contains(s)));
                    prop_assert!(theirs.is_none() || expected, "{text}: {problems:?}");
                }
            }
        }
    }
}

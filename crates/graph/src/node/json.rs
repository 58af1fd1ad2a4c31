//! A strict JSON parser (RFC 8259) that keeps spans.
//!
//! The JSON parsers among our dependencies keep no spans, and the YAML parser is far slower on a
//! large graph. No extensions: no comments, no trailing commas, no NaN.

mod string;

use super::{
    DocumentNode, MapEntry, MapKey, NodeValue, duplicate_keys, nested_too_deep,
    number_out_of_range, parse_integer,
};
use crate::limits;
use crate::problem::{Problem, TextSpan};

const HELP: &str = "JSON has objects, lists, strings in double quotes, numbers, `true`, `false` and \
                    `null`; it has no comments and no comma after the last entry";

pub(super) fn parse(text: &str) -> Result<DocumentNode, Vec<Problem>> {
    let position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = JsonReader { text, position, duplicates: Vec::new() };
    match reader.read_document() {
        Ok(node) if reader.duplicates.is_empty() => Ok(node),
        Ok(_) => Err(reader.duplicates),
        Err(problem) => {
            reader.duplicates.push(problem);
            Err(reader.duplicates)
        }
    }
}

struct JsonReader<'t> {
    text: &'t str,
    position: usize,
    /// Duplicate keys are collected; parsing continues after them.
    duplicates: Vec<Problem>,
}

impl JsonReader<'_> {
    fn read_document(&mut self) -> Result<DocumentNode, Problem> {
        let node = self.read_value(0)?;
        match self.peek_non_blank() {
            None => Ok(node),
            Some(_) => Err(self.unexpected_token("the end of the file")),
        }
    }

    /// Skips whitespace and returns the next byte.
    fn peek_non_blank(&mut self) -> Option<u8> {
        loop {
            match self.current_byte() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.position += 1,
                other => return other,
            }
        }
    }

    fn current_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn take_byte(&mut self, byte: u8) -> bool {
        let found = self.peek_non_blank() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn span_from(&self, start: usize) -> TextSpan {
        TextSpan::new(start, self.position)
    }

    fn read_value(&mut self, depth: usize) -> Result<DocumentNode, Problem> {
        match self.peek_non_blank() {
            Some(b'{') => self.read_map(depth),
            Some(b'[') => self.read_list(depth),
            Some(b'"') => {
                let start = self.position;
                let text = self.read_string()?;
                Ok(DocumentNode { span: self.span_from(start), value: NodeValue::String(text) })
            }
            Some(b't') => self.read_literal("true", NodeValue::Bool(true)),
            Some(b'f') => self.read_literal("false", NodeValue::Bool(false)),
            Some(b'n') => self.read_literal("null", NodeValue::Null),
            Some(b'-' | b'0'..=b'9') => self.read_number(),
            _ => Err(self.unexpected_token("a value")),
        }
    }

    fn increase_depth(&self, depth: usize) -> Result<usize, Problem> {
        if depth == limits::MAX_DEPTH {
            return Err(nested_too_deep(TextSpan::new(self.position, self.position + 1)));
        }
        Ok(depth + 1)
    }

    fn read_list(&mut self, depth: usize) -> Result<DocumentNode, Problem> {
        let depth = self.increase_depth(depth)?;
        let start = self.position;
        self.position += 1;
        let mut items = Vec::new();
        if !self.take_byte(b']') {
            loop {
                items.push(self.read_value(depth)?);
                if self.take_byte(b']') {
                    break;
                }
                if !self.take_byte(b',') {
                    return Err(self.unexpected_token("`,` or `]`"));
                }
            }
        }
        Ok(DocumentNode { span: self.span_from(start), value: NodeValue::List(items) })
    }

    fn read_map(&mut self, depth: usize) -> Result<DocumentNode, Problem> {
        let depth = self.increase_depth(depth)?;
        let start = self.position;
        self.position += 1;
        let mut entries = Vec::new();
        if !self.take_byte(b'}') {
            loop {
                entries.push(self.read_entry(depth)?);
                if self.take_byte(b'}') {
                    break;
                }
                if !self.take_byte(b',') {
                    return Err(self.unexpected_token("`,` or `}`"));
                }
            }
        }
        duplicate_keys::refuse_duplicates(&entries, &mut self.duplicates);
        Ok(DocumentNode { span: self.span_from(start), value: NodeValue::Map(entries) })
    }

    fn read_entry(&mut self, depth: usize) -> Result<MapEntry, Problem> {
        if self.peek_non_blank() != Some(b'"') {
            return Err(self.unexpected_token("a key in double quotes"));
        }
        let start = self.position;
        let name = self.read_string()?;
        let key = MapKey { span: self.span_from(start), name };
        if !self.take_byte(b':') {
            return Err(self.unexpected_token("`:`"));
        }
        Ok(MapEntry { key, value: self.read_value(depth)? })
    }

    fn read_literal(&mut self, word: &str, value: NodeValue) -> Result<DocumentNode, Problem> {
        let start = self.position;
        if !self.text.get(start..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.unexpected_token("a value"));
        }
        self.position += word.len();
        Ok(DocumentNode { span: self.span_from(start), value })
    }

    /// Skips digits and returns their count.
    fn skip_digits(&mut self) -> usize {
        let start = self.position;
        while self.current_byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        self.position - start
    }

    fn read_number(&mut self) -> Result<DocumentNode, Problem> {
        let start = self.position;
        self.position += usize::from(self.current_byte() == Some(b'-'));
        let leading_zero = self.current_byte() == Some(b'0');
        let digits = self.skip_digits();
        if digits == 0 || (leading_zero && digits > 1) {
            return Err(self.invalid_number(start));
        }
        let mut is_integer = true;
        if self.current_byte() == Some(b'.') {
            is_integer = false;
            self.position += 1;
            if self.skip_digits() == 0 {
                return Err(self.invalid_number(start));
            }
        }
        if let Some(b'e' | b'E') = self.current_byte() {
            is_integer = false;
            self.position += 1;
            self.position += usize::from(matches!(self.current_byte(), Some(b'+' | b'-')));
            if self.skip_digits() == 0 {
                return Err(self.invalid_number(start));
            }
        }
        let span = self.span_from(start);
        let text = span.slice(self.text).unwrap_or_default();
        let float = || text.parse().ok().filter(|n: &f64| n.is_finite()).map(NodeValue::Float);
        let value = if is_integer { parse_integer(text, 10) } else { float() };
        value
            .map(|value| DocumentNode { span, value })
            .ok_or_else(|| number_out_of_range(span, text))
    }

    fn invalid_number(&self, start: usize) -> Problem {
        Problem::new(TextSpan::new(start, self.position), "this is not a valid JSON number", HELP)
    }

    fn unexpected_token(&self, expected: &str) -> Problem {
        match self.text.get(self.position..).and_then(|rest| rest.chars().next()) {
            Some(c) => {
                let message = format!("expected {expected}, found `{}`", c.escape_debug());
                Problem::new(
                    TextSpan::new(self.position, self.position + c.len_utf8()),
                    message,
                    HELP,
                )
            }
            None => {
                let message = format!("expected {expected}, found the end of the file");
                Problem::new(TextSpan::at_offset(self.text.len()), message, HELP)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::encoding::json::canonical;
    use proptest::prelude::*;

    fn parse_to_json(text: &str) -> Option<serde_json::Value> {
        parse(text).ok().map(|node| node.to_json())
    }

    #[test]
    fn valid_json_is_parsed_like_serde_json_does() {
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
            assert_eq!(parse_to_json(text), serde_json::from_str(text).ok(), "{text}");
            assert!(parse_to_json(text).is_some(), "{text}");
        }
    }

    #[test]
    fn invalid_json_is_refused() {
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
            assert_eq!(parse_to_json(text), None, "{text}");
        }
    }

    #[test]
    fn every_value_and_key_has_its_span() {
        let text = "{\"ä\": [10, \"x\"]}";
        let node = parse(text).unwrap();
        let entry = &node.entries().unwrap()[0];
        let NodeValue::List(items) = &entry.value.value else { panic!("{entry:?}") };
        let spans = [node.span, entry.key.span, entry.value.span, items[0].span, items[1].span];
        let found = spans.map(|span| span.slice(text).unwrap());
        assert_eq!(found, [text, "\"ä\"", "[10, \"x\"]", "10", "\"x\""]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_like_serde_json_does(text in r#"[\[\]{}",:0-9eE+.\\ntrufalse \-]{0,24}"#) {
            let theirs: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            match parse(&text) {
                // Compared in canonical form, because serde_json keeps the sign of `-0`.
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

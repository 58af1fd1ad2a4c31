//! Writes a canonical JSON object field by field, without building a `Value` first.
//!
//! The caller names the fields in canonical order. An object is written in parts that are hashed
//! together, so that two digests can share the parts they have in common.

use crate::encoding::digest::Digest;
use crate::encoding::json::{self, JsonError};
use crate::encoding::limits;
use serde_json::Value;

/// Consecutive fields of an object.
pub(crate) struct FieldWriter {
    text: String,
}

impl FieldWriter {
    /// Opens the object and names its first field.
    pub fn start_object(name: &str) -> Self {
        let mut fields = Self { text: String::with_capacity(640) };
        fields.text.push('{');
        fields.push_name(name);
        fields
    }

    /// Continues the object with a field that follows others.
    pub fn continue_object(name: &str) -> Self {
        let mut fields = Self { text: String::with_capacity(128) };
        fields.field(name);
        fields
    }

    /// Names the next field; its value is written next.
    pub fn field(&mut self, name: &str) -> &mut Self {
        self.text.push(',');
        self.push_name(name);
        self
    }

    fn push_name(&mut self, name: &str) {
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    pub fn text(&mut self, text: &str) {
        json::write_string(text, &mut self.text);
    }

    pub fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.text.push_str("null"),
        }
    }

    pub fn texts<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        self.text.push('[');
        for (at, text) in texts.enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.text(text);
        }
        self.text.push(']');
    }

    pub fn value(&mut self, value: &Value) -> Result<(), JsonError> {
        json::write(value, 1, &mut self.text)
    }

    /// The text of a part that is not the last.
    pub fn into_part(self) -> String {
        self.text
    }

    /// The text of the last part, with the closing brace.
    pub fn into_last_part(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

/// The digest of the object that these parts form together.
pub(crate) fn digest_of_parts(label: &str, parts: &[&str]) -> Result<Digest, JsonError> {
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    if bytes > limits::ARGUMENT_BYTES {
        return Err(JsonError::TooLarge);
    }
    Ok(Digest::hash_parts(label, parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_parts_form_the_canonical_object() {
        let mut fields = FieldWriter::start_object("a");
        fields.texts(["x", "\"y\""].into_iter());
        fields.field("b").text_or_null(None);
        fields.field("c").value(&json!({"z": 1.0, "é": [true], "k": {}})).unwrap();
        let mut last = FieldWriter::continue_object("d");
        last.text("ü\n");
        let (head, tail) = (fields.into_part(), last.into_last_part());
        let whole = json!({"d": "ü\n", "c": {"é": [true], "k": {}, "z": 1.0}, "b": null, "a": ["x", "\"y\""]});
        assert_eq!(format!("{head}{tail}"), json::canonical(&whole).unwrap());
        let expected = Digest::hash_value("label", &whole);
        assert_eq!(digest_of_parts("label", &[&head, &tail]), expected);
    }

    #[test]
    fn parts_that_are_too_large_together_are_refused() {
        let half = "x".repeat(limits::ARGUMENT_BYTES / 2 + 1);
        assert_eq!(digest_of_parts("label", &[&half, &half]), Err(JsonError::TooLarge));
    }

    #[test]
    fn depth_counts_from_the_object() {
        let mut deep = json!(1);
        for _ in 0..limits::ARGUMENT_DEPTH {
            deep = json!([deep]);
        }
        assert_eq!(FieldWriter::start_object("a").value(&deep), Err(JsonError::TooDeep));
        assert_eq!(json::canonical(&json!({ "a": deep })), Err(JsonError::TooDeep));
    }
}

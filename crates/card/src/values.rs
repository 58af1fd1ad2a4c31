//! How names and values of arguments are written, so that no two of them look the same.

use crate::text::{Block, escape_for_display, escape_untrusted};
use serde_json::Value;

/// A value as it is shown: as text, or as JSON.
pub(crate) enum ShownValue {
    Text(String),
    /// Numbers, and texts that would look like a number or another JSON value.
    Json(String),
    /// Lists and objects, in several lines.
    Structure(String),
}

impl ShownValue {
    pub(crate) fn from_json(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Object(_) | Value::Array(_) => Self::Structure(
                serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Json(value.to_string()),
        }
    }

    pub(crate) fn from_text(text: &str) -> Self {
        match is_like_json_scalar(text) {
            true => Self::Json(Value::from(text).to_string()),
            false => Self::Text(text.to_owned()),
        }
    }

    /// What follows the name of the value.
    pub(crate) const fn type_note(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Json(_) => "",
            Self::Structure(_) => " (JSON)",
        }
    }

    pub(crate) fn to_block(&self) -> Block {
        match self {
            Self::Text(text) => Block::from_text(text),
            Self::Json(json) | Self::Structure(json) => Block::from_json(json),
        }
    }

    /// All lines, escaped, nothing left out.
    pub(crate) fn to_lines(&self) -> Vec<String> {
        match self {
            Self::Text(text) => text.split('\n').map(escape_untrusted).collect(),
            Self::Json(json) | Self::Structure(json) => {
                json.split('\n').map(escape_for_display).collect()
            }
        }
    }
}

/// Whether a text reads like a JSON number, string, `true`, `false` or `null`.
fn is_like_json_scalar(text: &str) -> bool {
    let starts = |c: char| c.is_ascii_digit() || matches!(c, '-' | '"' | 't' | 'f' | 'n');
    text.trim_start().starts_with(starts)
        && serde_json::from_str::<Value>(text).is_ok_and(|value| !value.is_object())
}

/// The name of an argument. One that is not a plain word is quoted, so that it cannot look like a
/// name with its value.
pub(crate) fn show_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    match !name.is_empty() && name.chars().all(is_plain) {
        true => name.to_owned(),
        false => escape_for_display(&Value::from(name).to_string()),
    }
}

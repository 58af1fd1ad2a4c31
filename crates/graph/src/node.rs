//! The common syntax tree of JSON, TOML and YAML: values with their spans in the text.
//!
//! Each format has a parser into this tree; all later code works on the tree. Nothing here knows
//! what a graph is, and other crates parse their files with it too.

mod byte_offsets;
mod duplicate_keys;
mod json;
mod scalar;
mod size;
mod toml;
mod yaml;

use crate::limits;
use crate::problem::{Problem, TextSpan};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub struct DocumentNode {
    pub span: TextSpan,
    pub value: NodeValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    Null,
    Bool(bool),
    /// Always within `i64` or `u64`, so that it converts to JSON exactly.
    Int(i128),
    Float(f64),
    /// Also holds dates.
    String(String),
    List(Vec<DocumentNode>),
    /// In the order of the file; no key occurs twice.
    Map(Vec<MapEntry>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct MapEntry {
    pub key: MapKey,
    pub value: DocumentNode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapKey {
    pub span: TextSpan,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Toml,
    Yaml,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Json, Self::Toml, Self::Yaml];

    /// Recognises the file extensions `.json`, `.toml`, `.yaml` and `.yml`.
    pub fn from_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// The name, with an extension appended unless `from_path` already finds this format.
    pub fn with_extension(self, name: &str) -> String {
        match Self::from_path(name) {
            Some(found) if found == self => name.to_owned(),
            Some(_) | None => format!("{name}.{}", self.name().to_ascii_lowercase()),
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
        }
    }
}

/// Parses one document.
pub fn parse(bytes: &[u8], format: Format) -> Result<DocumentNode, Vec<Problem>> {
    if bytes.len() > limits::MAX_FILE_BYTES {
        return Err(vec![file_too_large(bytes.len())]);
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| vec![invalid_utf8(error.valid_up_to())])?;
    match format {
        Format::Json => json::parse(text),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}

impl DocumentNode {
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&MapEntry> {
        self.entries()?.iter().find(|entry| entry.key.name == key)
    }

    /// The items of a list; empty for anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            NodeValue::List(items) => items,
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Int(_)
            | NodeValue::Float(_)
            | NodeValue::String(_)
            | NodeValue::Map(_) => &[],
        }
    }

    pub fn entries(&self) -> Option<&[MapEntry]> {
        match &self.value {
            NodeValue::Map(entries) => Some(entries),
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Int(_)
            | NodeValue::Float(_)
            | NodeValue::String(_)
            | NodeValue::List(_) => None,
        }
    }

    /// The type of the value, for messages.
    pub const fn describe_type(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "`true` or `false`",
            NodeValue::Int(_) | NodeValue::Float(_) => "a number",
            NodeValue::String(_) => "text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map",
        }
    }

    /// The same value without spans.
    ///
    /// JSON cannot express NaN and the infinities. They become strings, so that a reader that
    /// expects a number refuses them.
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(flag) => Value::Bool(*flag),
            NodeValue::Int(int) => serde_json::Number::from_i128(*int)
                .map_or(Value::from(int.to_string()), Value::from),
            NodeValue::Float(float) => serde_json::Number::from_f64(*float)
                .map_or(Value::from(float.to_string()), Value::from),
            NodeValue::String(text) => Value::from(text.as_str()),
            NodeValue::List(items) => items.iter().map(Self::to_json).collect(),
            NodeValue::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.name.clone(), entry.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

fn file_too_large(bytes: usize) -> Problem {
    let message = format!("the file has {bytes} bytes; the limit is {}", limits::MAX_FILE_BYTES);
    Problem::new(TextSpan::at_offset(0), message, "split it, or remove what it does not need")
}

fn invalid_utf8(offset: usize) -> Problem {
    let message = format!("the byte at offset {offset} is not UTF-8");
    Problem::new(TextSpan::at_offset(offset), message, "save the file as UTF-8")
}

fn nested_too_deep(span: TextSpan) -> Problem {
    let message = format!("the file is nested deeper than {} levels", limits::MAX_DEPTH);
    Problem::new(span, message, "flatten it; a graph needs six levels")
}

/// Accepts `i64::MIN` to `u64::MAX`; an integer outside this range would be rounded in JSON.
fn parse_integer(digits: &str, radix: u32) -> Option<NodeValue> {
    let int = i128::from_str_radix(digits, radix).ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&int).then_some(NodeValue::Int(int))
}

fn number_out_of_range(span: TextSpan, text: &str) -> Problem {
    let message = format!("the number `{text}` is too large to be kept exactly");
    Problem::new(span, message, "write it as text, in quotes")
}

//! A tree of values that know their place: what JSON, TOML and YAML have in common.
//!
//! Text is read once into this tree, whatever its format, and everything after that is the same
//! for all three. Nothing here knows what a graph is; other rooms read their files with it too.

mod json;
mod keys;
mod offsets;
mod scalar;
mod size;
mod toml;
mod yaml;

use crate::limits;
use crate::problem::{Problem, Span};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Span,
    pub value: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Null,
    Bool(bool),
    /// Holds every integer that JSON can carry on: `i64` and `u64`.
    Int(i128),
    Float(f64),
    /// Dates are texts too.
    String(String),
    List(Vec<Node>),
    /// In the order of the file; no key occurs twice.
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: Key,
    pub value: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub span: Span,
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

    /// By the ending of a file's name: `.json`, `.toml`, `.yaml`, `.yml`.
    pub fn from_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// A name by which `from_path` finds the format again.
    pub fn named(self, name: &str) -> String {
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

/// Reads one document.
pub fn parse(bytes: &[u8], format: Format) -> Result<Node, Vec<Problem>> {
    if bytes.len() > limits::FILE_BYTES {
        return Err(vec![too_large(bytes.len())]);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| vec![not_utf8(error.valid_up_to())])?;
    match format {
        Format::Json => json::parse(text),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|entry| entry.key.name == key).map(|entry| &entry.value)
    }

    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Kind::Map(entries) => Some(entries),
            Kind::Null
            | Kind::Bool(_)
            | Kind::Int(_)
            | Kind::Float(_)
            | Kind::String(_)
            | Kind::List(_) => None,
        }
    }

    /// What it is, for messages.
    pub const fn described(&self) -> &'static str {
        match self.value {
            Kind::Null => "nothing",
            Kind::Bool(_) => "`true` or `false`",
            Kind::Int(_) | Kind::Float(_) => "a number",
            Kind::String(_) => "text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }

    /// The same value without its places.
    ///
    /// JSON has no word for NaN and the infinities: they become texts, so that whoever expects a
    /// number refuses them.
    pub fn to_json(&self) -> Value {
        match &self.value {
            Kind::Null => Value::Null,
            Kind::Bool(flag) => Value::Bool(*flag),
            Kind::Int(int) => serde_json::Number::from_i128(*int)
                .map_or(Value::from(int.to_string()), Value::from),
            Kind::Float(float) => serde_json::Number::from_f64(*float)
                .map_or(Value::from(float.to_string()), Value::from),
            Kind::String(text) => Value::from(text.as_str()),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(entries) => entries
                .iter()
                .map(|entry| (entry.key.name.clone(), entry.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

fn too_large(bytes: usize) -> Problem {
    let message = format!("the file has {bytes} bytes, and {} are read", limits::FILE_BYTES);
    Problem::new(Span::at(0), message, "split it, or remove what it does not need")
}

fn not_utf8(offset: usize) -> Problem {
    let message = format!("the byte at offset {offset} is not UTF-8");
    Problem::new(Span::at(offset), message, "save the file as UTF-8")
}

fn too_deep(span: Span) -> Problem {
    let message = format!("the file is nested deeper than {} levels", limits::DEPTH);
    Problem::new(span, message, "flatten it; a graph needs six levels")
}

/// Integers between `i64::MIN` and `u64::MAX`: what is beyond could only be rounded.
fn integer(digits: &str, radix: u32) -> Option<Kind> {
    let int = i128::from_str_radix(digits, radix).ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&int).then_some(Kind::Int(int))
}

fn beyond_range(span: Span, written: &str) -> Problem {
    let message = format!("the number `{written}` is too large to be kept exactly");
    Problem::new(span, message, "write it as text, in quotes")
}

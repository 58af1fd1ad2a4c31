//! Finding an id by its first characters.

use crate::OutOfBounds;
use countersign_core::word_enum;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Which ids to find.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdsQuery {
    pub kind: IdKind,
    /// The beginning of the id.
    pub beginning: IdBeginning,
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum IdKind {
        Call = "call",
        Request = "request",
        Run = "run",
        Grant = "grant",
        Proposal = "proposal",
        Notice = "notice",
    }
}

/// The first characters of an id: its letter, and at least one digit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct IdBeginning(String);

impl IdBeginning {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IdBeginning {
    type Error = OutOfBounds;

    fn try_from(text: String) -> Result<Self, OutOfBounds> {
        let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        let has_letter = text.starts_with(|c: char| c.is_ascii_lowercase());
        match (2..=33).contains(&text.len()) && has_letter && text.bytes().skip(1).all(is_hex) {
            true => Ok(Self(text)),
            false => Err(OutOfBounds::new("not the letter and the first digits of an id")),
        }
    }
}

impl JsonSchema for IdBeginning {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IdBeginning".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[a-z][0-9a-f]{1,32}$"})
    }
}

/// The ids that match, ten at most.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IdsResponse {
    pub ids: Vec<String>,
}

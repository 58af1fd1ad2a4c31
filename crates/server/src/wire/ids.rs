//! Ids that are named by a part of them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// Which ids are meant.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdsQuery {
    pub kind: IdKind,
    /// Its beginning, with or without the word before it, or its end.
    pub part: IdPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    Call,
    Request,
    Run,
    Grant,
    Proposal,
    Notice,
}

/// At least four characters of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPart(String);

impl IdPart {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for IdPart {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        match (4..=64).contains(&text.len()) && text.bytes().all(is_plain) {
            true => Ok(Self(text)),
            false => Err(D::Error::custom("not four or more characters of an id")),
        }
    }
}

impl JsonSchema for IdPart {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IdPart".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-z_]{4,64}$"})
    }
}

/// Ids that fit, ten at most.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IdsResponse {
    pub ids: Vec<String>,
}

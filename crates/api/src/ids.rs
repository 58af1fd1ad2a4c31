//! Finding an id by a part of it.

use crate::OutOfBounds;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Which ids to find.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdsQuery {
    pub kind: IdKind,
    /// The beginning of the id, with or without its prefix, or its end.
    pub part: IdPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    Call,
    Request,
    Run,
    Grant,
    Proposal,
    Notice,
}

impl IdKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Request => "request",
            Self::Run => "run",
            Self::Grant => "grant",
            Self::Proposal => "proposal",
            Self::Notice => "notice",
        }
    }
}

/// At least four characters of an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct IdPart(String);

impl IdPart {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IdPart {
    type Error = OutOfBounds;

    fn try_from(text: String) -> Result<Self, OutOfBounds> {
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        match (4..=64).contains(&text.len()) && text.bytes().all(is_plain) {
            true => Ok(Self(text)),
            false => Err(OutOfBounds::new("not four or more characters of an id")),
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

/// The ids that match, ten at most.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IdsResponse {
    pub ids: Vec<String>,
}

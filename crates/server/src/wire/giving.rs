//! What an operator gives directly.

use super::{GrantView, Text};
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, SessionName};
use countersign_core::model::time::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// Something that an operator names: one of command, action and category, in a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantRequest {
    pub session: SessionName,
    /// One plain command; `<name>` stands for one whole argument.
    #[serde(default)]
    pub command: Option<Text<10_000>>,
    /// Where the command runs; without it, only calls that name no folder are covered.
    #[serde(default)]
    pub cwd: Option<Text<4_096>>,
    #[serde(default)]
    pub action: Option<Action>,
    #[serde(default)]
    pub category: Option<Category>,
    #[serde(default)]
    pub scope: GrantableScope,
    /// When it is over at the latest.
    #[serde(default)]
    pub seconds: Option<Seconds>,
    /// `yes`: the second confirmation that a whole project needs for high risk.
    #[serde(default)]
    pub confirm: Option<Text<256>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantableScope {
    Once,
    #[default]
    Session,
    Project,
}

/// A time of at most a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(i64);

impl Seconds {
    const MOST: i64 = 366 * 86_400;

    pub fn span(self) -> Span {
        Span::seconds(self.0)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(reader)?;
        let whole = value.as_f64().filter(|n| n.fract() == 0.0);
        match whole.filter(|n| (1.0..=Self::MOST as f64).contains(n)) {
            Some(seconds) => Ok(Self(seconds as i64)),
            None => Err(D::Error::custom(format!(
                "`{value}` is no whole number of seconds from 1 to {}",
                Self::MOST
            ))),
        }
    }
}

impl JsonSchema for Seconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": Self::MOST})
    }
}

/// A grant that was given directly.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantResponse {
    pub grant: GrantView,
    /// Why the scope is not the one that was asked for.
    pub reason: Option<&'static str>,
}

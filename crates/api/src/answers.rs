//! An operator's answer to a request.

use crate::{Seconds, Text, Timestamp};
use countersign_card::describe_grant;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::{Coverage, Grant, Scope};
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::words::{Choice, Covers};
use countersign_core::state::State;
use countersign_core::steps::settle::ItemResult;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An operator's answer. It carries the digest that the card showed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "required": ["choice"],
        "properties": {"choice": {"type": "string"}, "items": {"maxProperties": 0}},
    },
    {
        "required": ["items"],
        "properties": {"items": {"minProperties": 1}, "choice": {"type": "null"}},
    },
]))]
pub struct AnswerRequest {
    pub digest: ShownDigest,
    /// The choice, if the request has one open item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// The choice for each action, if the request has several open items.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub items: BTreeMap<Action, Choice>,
    /// How far a yes for some time to a command line goes: to what the offer names. Left out, it is the
    /// exact command. A line of several commands has none, and is refused without a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// Words for the agent.
    #[serde(default)]
    pub note: Text<4096>,
    /// The second confirmation (`yes`), or the text that the card asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Text<256>>,
    /// With the choice `15m`: another time. More than 15 minutes needs a card that offers `session`,
    /// and a day is the longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
    /// True also ends what the session was allowed.
    #[serde(default)]
    pub stop: bool,
    /// The surface of the answer. Other surfaces show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

impl AnswerRequest {
    /// An answer to the one open item of a request.
    pub fn new(digest: ShownDigest, choice: Choice) -> Self {
        Self {
            digest,
            choice: Some(choice),
            items: BTreeMap::new(),
            covers: None,
            note: Text::default(),
            confirm: None,
            seconds: None,
            stop: false,
            surface: None,
        }
    }
}

/// A digest as cards show it, or in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ShownDigest(String);

impl ShownDigest {
    pub fn matches(&self, digest: &Digest) -> bool {
        self.0 == digest.short() || self.0 == digest.to_string()
    }
}

impl From<&Digest> for ShownDigest {
    fn from(digest: &Digest) -> Self {
        Self(digest.to_string())
    }
}

impl TryFrom<String> for ShownDigest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_hex = |part: &str, length| {
            part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_short =
            text.split_once('…').is_some_and(|(head, tail)| is_hex(head, 6) && is_hex(tail, 6));
        match is_short || is_hex(&text, 64) {
            true => Ok(Self(text)),
            false => Err("the digest is not one: send it as the card shows it".to_owned()),
        }
    }
}

impl JsonSchema for ShownDigest {
    fn schema_name() -> Cow<'static, str> {
        "ShownDigest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "^([0-9a-f]{6}…[0-9a-f]{6}|[0-9a-f]{64})$",
            "description": "A digest as cards show it, or in full",
        })
    }
}

/// The answer counts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnswerResponse {
    pub state: AnswerState,
    /// What each item got.
    pub items: Vec<AnsweredItem>,
    /// What became of earlier declines of what the answer names; none if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declines: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerState {
    Accepted,
}

/// What one item got.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredItem {
    pub action: Option<Action>,
    pub scope_requested: Choice,
    /// None for a decline, and for a yes that mints no grant.
    pub scope_granted: Option<Scope>,
    /// What was granted, in words; none if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<String>,
    /// Why the scope differs from the requested one.
    pub reason: Option<String>,
    /// When the grant ends; none for a decline, and for a grant that has no fixed end.
    pub ends_at: Option<Timestamp>,
}

impl AnsweredItem {
    /// `granted` are the grants of the whole answer.
    pub fn new(given: &ItemResult, granted: &[&Grant]) -> Self {
        Self {
            action: given.action.clone(),
            scope_requested: given.asked,
            scope_granted: given.granted,
            covers: describe_granted(given, granted),
            reason: given.why.map(str::to_owned),
            ends_at: given.ends_at.map(Timestamp),
        }
    }
}

/// What an item got, if a grant of its own says so. A pinned program covers nothing by itself.
fn describe_granted(given: &ItemResult, granted: &[&Grant]) -> Option<String> {
    let is_own = |grant: &&&Grant| match &grant.coverage {
        Coverage::Digest { action, .. }
        | Coverage::Head { action, .. }
        | Coverage::Action(action)
        | Coverage::Command { action: Some(action), .. } => given.action.as_ref() == Some(action),
        Coverage::Command { action: None, .. } => true,
        Coverage::Category(_) | Coverage::Class { .. } | Coverage::Everything => {
            given.action.is_none()
        }
        Coverage::Step { .. } | Coverage::Run { .. } | Coverage::Program(_) => false,
    };
    let mut own: Vec<String> = granted
        .iter()
        .filter(is_own)
        .map(|grant| describe_grant(grant, &State::empty()).to_string())
        .collect();
    own.dedup();
    (given.granted.is_some() && !own.is_empty()).then(|| own.join(", "))
}

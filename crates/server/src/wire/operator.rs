//! What an operator sends and is answered.

use super::Text;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::NoticeId;
use countersign_core::model::names::{Action, Agent, SurfaceName};
use countersign_core::model::words::{Choice, Presence};
use countersign_core::steps::settle::Given;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How the daemon is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusResponse {
    pub version: &'static str,
    /// `L0` to `L3`: what stands between an agent and an answer.
    pub assurance: &'static str,
    /// The hash of the graph in force; none means that nothing is allowed.
    pub graph: Option<Digest>,
    pub open_requests: usize,
    pub open_notices: usize,
    pub paused: Vec<Agent>,
    pub presence: Presence,
}

/// An operator's answer. It carries the digest as it was shown.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
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
    /// To the one open item.
    #[serde(default)]
    pub choice: Option<Choice>,
    /// To each of several, by its action.
    #[serde(default)]
    pub items: BTreeMap<Action, Choice>,
    /// Goes back to the agent.
    #[serde(default)]
    pub note: Text<4096>,
    /// The second confirmation (`yes`), or what had to be typed.
    #[serde(default)]
    pub confirm: Option<Text<256>>,
    /// Also ends what the session was allowed.
    #[serde(default)]
    pub stop: bool,
    /// Where it was typed: the others are told.
    #[serde(default)]
    pub surface: Option<SurfaceName>,
}

/// A digest as cards show it, or whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ShownDigest(String);

impl ShownDigest {
    pub fn is(&self, digest: &Digest) -> bool {
        self.0 == digest.short() || self.0 == digest.to_string()
    }
}

impl TryFrom<String> for ShownDigest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let hex = |part: &str, many| {
            part.len() == many && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let short = text.split_once('…').is_some_and(|(head, tail)| hex(head, 6) && hex(tail, 6));
        match short || hex(&text, 64) {
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
            "description": "A digest as cards show it, or whole",
        })
    }
}

/// The answer counts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnswerResponse {
    pub state: AnswerState,
    pub given: Vec<AnsweredItem>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerState {
    Accepted,
}

/// What one item got.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnsweredItem {
    pub action: Option<Action>,
    pub scope_requested: Choice,
    /// None for a decline, and where a yes mints nothing.
    pub scope_granted: Option<Scope>,
    /// Why it is not what was asked for.
    pub reason: Option<&'static str>,
}

impl From<&Given> for AnsweredItem {
    fn from(given: &Given) -> Self {
        Self {
            action: given.action.clone(),
            scope_requested: given.asked,
            scope_granted: given.granted,
            reason: given.why,
        }
    }
}

/// Which agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    pub agent: Agent,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PauseResponse {
    pub paused: Agent,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResumeResponse {
    pub resumed: Agent,
}

/// Whether the operator is at hand, as one surface knows it. Never an answer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PresenceRequest {
    /// The name under which it looks at events. When it no longer does, its word is over.
    pub surface: SurfaceName,
    pub presence: Presence,
}

/// The same, of all surfaces together: `active` before `idle` before `away`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PresenceResponse {
    pub presence: Presence,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct AcknowledgeResponse {
    pub acknowledged: NoticeId,
}

/// The graph and its project grants were looked at.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ReviewResponse {
    pub state: ReviewState,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    Reviewed,
}

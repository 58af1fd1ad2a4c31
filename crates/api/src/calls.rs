//! Requests about calls.

use crate::bounds::OutOfBounds;
use crate::json::Json;
use crate::reported_effect::ReportedEffect;
use crate::{BoundedList, CallContext, Fraction, Millis, ProgramCall, Text};
use countersign_core::encoding::json::deserialize_value;
use countersign_core::model::call::Parking;
use countersign_core::model::category::Category;
use countersign_core::model::ids::{CallId, GestureId, RunId};
use countersign_core::model::names::{Action, Project, SessionName, StepName, Tool};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::words::{Initiator, Risk};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A call that an agent wants to make. What the call says about itself can only make the decision
/// stricter.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["tool"], "properties": {"tool": {"type": "string"}}},
    {"required": ["actions"], "properties": {"actions": {"minItems": 1}}},
]))]
pub struct CheckRequest {
    pub session: SessionName,
    /// The project that the session works on. Without separation between agents and the daemon (L0),
    /// an agent can name a folder that contains its own working directory; otherwise only an adapter
    /// can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// The tool that is called. The graph maps it to actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// The actions of the call, if no tool is named or the tool does more than the graph knows.
    #[serde(default)]
    pub actions: BoundedList<Action, 64>,
    /// Actions that the call may trigger.
    #[serde(default)]
    pub declares: BoundedList<Action, 64>,
    /// The arguments as they will be executed.
    #[serde(default = "no_arguments", deserialize_with = "deserialize_value")]
    #[schemars(with = "Json")]
    pub args: Value,
    /// A path, a recipient, a host: one or several.
    #[serde(default)]
    pub target: Targets,
    /// The command line, if the tool runs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Text<131_072>>,
    /// The folder that the command runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Text<4096>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepName>,
    #[serde(default)]
    pub categories: BoundedList<Category, 64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// True makes the call irreversible. Nothing makes it reversible.
    #[serde(default)]
    pub irreversible: bool,
    /// How sure the agent is.
    #[serde(default)]
    pub confidence: Fraction,
    /// Why the agent wants to make the call, in its own words.
    #[serde(default)]
    pub reason: Text<4096>,
    /// What the agent will do if the answer is no.
    #[serde(default)]
    pub fallback: Text<4096>,
    /// What happens if the call needs an answer and no operator can be reached.
    #[serde(default)]
    pub park: ParkPolicy,
    /// How long to wait for an answer before the reply is `pending`; five minutes at most.
    #[serde(default)]
    pub wait_ms: Millis,
    /// Whether the caller runs a narrowed form of the call that the reply names, and only that.
    #[serde(default, skip_serializing_if = "NarrowingSupport::is_none")]
    pub narrowing: NarrowingSupport,
    /// What the adapter saw around the call. Only an adapter can send it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::deserialize_object"
    )]
    pub observed: Option<Observation>,
    /// Where in an application the call is made. Ignored from others.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::deserialize_object"
    )]
    pub context: Option<CallContext>,
}

impl CheckRequest {
    /// A call about which nothing but its session is known. It still needs a tool or an action.
    pub fn new(session: SessionName) -> Self {
        Self {
            session,
            project: None,
            tool: None,
            actions: BoundedList::default(),
            declares: BoundedList::default(),
            args: no_arguments(),
            target: Targets::default(),
            command: None,
            cwd: None,
            run: None,
            step: None,
            categories: BoundedList::default(),
            risk: None,
            irreversible: false,
            confidence: Fraction::default(),
            reason: Text::default(),
            fallback: Text::default(),
            park: ParkPolicy::default(),
            wait_ms: Millis::default(),
            narrowing: NarrowingSupport::None,
            observed: None,
            context: None,
        }
    }
}

fn no_arguments() -> Value {
    json!({})
}

/// What an adapter saw around a call. It cannot claim a trusted channel: only a signature proves
/// one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Who started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiator: Option<Initiator>,
    /// The call inside which it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CallId>,
    /// Actions and tools that were running around it.
    #[serde(default)]
    pub callers: BoundedList<Text<256>, 32>,
    /// The click that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gesture: Option<GestureId>,
    #[serde(default)]
    pub categories: BoundedList<Category, 64>,
    /// Whether the tool is still the one that was first approved.
    #[serde(default)]
    pub definition: ToolDefinition,
    /// How the program that makes the call names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_call: Option<ProgramCall>,
    /// The folders in which the program keeps temporary files of this session. They count when the
    /// session opens.
    #[serde(default, skip_serializing_if = "BoundedList::is_empty")]
    pub scratch: BoundedList<Text<4096>, 8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolDefinition {
    #[default]
    AsPinned,
    Changed,
}

/// One target or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Targets(BoundedList<TargetText, 64>);

type TargetText = Text<4096>;

impl TryFrom<Vec<String>> for Targets {
    type Error = OutOfBounds;

    fn try_from(targets: Vec<String>) -> Result<Self, OutOfBounds> {
        let targets: Result<Vec<TargetText>, _> =
            targets.into_iter().map(TargetText::try_from).collect();
        targets?.try_into().map(Self)
    }
}

impl From<Targets> for Vec<String> {
    fn from(targets: Targets) -> Self {
        Vec::from(targets.0).into_iter().map(Into::into).collect()
    }
}

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(deserializer)?;
        let targets: Result<BoundedList<TargetText, 64>, _> = match value {
            Value::Null => return Ok(Self::default()),
            Value::Array(_) => serde_json::from_value(value),
            one => serde_json::from_value(Value::Array(vec![one])),
        };
        targets.map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for Targets {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Targets".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let one = schemas.subschema_for::<TargetText>();
        let several = schemas.subschema_for::<BoundedList<TargetText, 64>>();
        json_schema!({"anyOf": [one, several, {"type": "null"}]})
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParkPolicy {
    /// The call waits for an answer.
    #[default]
    Allowed,
    /// The call is denied.
    Refused,
}

impl From<ParkPolicy> for Parking {
    fn from(policy: ParkPolicy) -> Self {
        match policy {
            ParkPolicy::Allowed => Self::Allowed,
            ParkPolicy::Refused => Self::Refused,
        }
    }
}

/// Waits for the answer to a call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitRequest {
    pub session: SessionName,
    /// How long to wait; five minutes at most.
    #[serde(default)]
    pub wait_ms: Millis,
}

/// How a call ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRequest {
    pub session: SessionName,
    pub effect: ReportedEffect,
}

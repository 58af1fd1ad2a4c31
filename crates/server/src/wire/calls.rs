//! What is sent about calls.

use super::{BoundedList, Fraction, Json, Millis, Text};
use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::{CallId, GestureId, RunId};
use countersign_core::model::names::{Action, Project, SessionName, Step, Tool};
use countersign_core::model::words::{Initiator, Risk};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A call that wants to happen. What it says of itself can only make it stricter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["tool"], "properties": {"tool": {"type": "string"}}},
    {"required": ["actions"], "properties": {"actions": {"minItems": 1}}},
]))]
pub struct CheckRequest {
    pub session: SessionName,
    /// What the session works on: only an adapter can say it.
    #[serde(default)]
    pub project: Option<Project>,
    /// What is called. The graph knows which actions it stands for.
    #[serde(default)]
    pub tool: Option<Tool>,
    /// What is done, where no tool is named or it stands for more than the graph knows.
    #[serde(default)]
    pub actions: BoundedList<Action, 64>,
    /// What it may trigger.
    #[serde(default)]
    pub declares: BoundedList<Action, 64>,
    /// The arguments as they will be carried out.
    #[serde(default = "nothing")]
    #[schemars(with = "Json")]
    pub args: Value,
    /// A path, a recipient, a host: one or several.
    #[serde(default)]
    pub target: Targets,
    /// The command line, where the tool runs one.
    #[serde(default)]
    pub command: Option<Text<131_072>>,
    #[serde(default)]
    pub cwd: Option<Text<4096>>,
    #[serde(default)]
    pub run: Option<RunId>,
    #[serde(default)]
    pub step: Option<Step>,
    #[serde(default)]
    pub categories: BoundedList<Category, 64>,
    #[serde(default)]
    pub risk: Option<Risk>,
    /// True makes it irreversible; nothing makes it reversible.
    #[serde(default)]
    pub irreversible: bool,
    /// How sure the agent is.
    #[serde(default)]
    pub confidence: Fraction,
    /// Why the agent wants it, in its own words.
    #[serde(default)]
    pub reason: Text<4096>,
    /// What it will do otherwise.
    #[serde(default)]
    pub fallback: Text<4096>,
    /// What becomes of it if it asks and nobody can be reached.
    #[serde(default)]
    pub park: ParkPolicy,
    /// How long to wait for an answer before `pending` is one; five minutes count at most.
    #[serde(default)]
    pub wait_ms: Millis,
    /// What was seen around the call: only an adapter can say it.
    #[serde(default)]
    pub observed: Option<Observation>,
}

fn nothing() -> Value {
    json!({})
}

/// What an adapter saw. That a channel is trusted only its own signature can prove.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Who began it.
    #[serde(default)]
    pub initiator: Option<Initiator>,
    /// The call inside which it runs.
    #[serde(default)]
    pub parent: Option<CallId>,
    /// Actions and tools that were running around it.
    #[serde(default)]
    pub callers: BoundedList<Text<256>, 32>,
    /// The click that began it.
    #[serde(default)]
    pub gesture: Option<GestureId>,
    #[serde(default)]
    pub categories: BoundedList<Category, 64>,
    /// Whether the tool is still what it was when it was first approved.
    #[serde(default)]
    pub definition: ToolDefinition,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolDefinition {
    #[default]
    AsPinned,
    Changed,
}

/// One text or several.
#[derive(Clone, Debug, Default)]
pub struct Targets(pub Vec<String>);

type Target = Text<4096>;

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let given = Value::deserialize(reader)?;
        let few: Result<BoundedList<Target, 64>, _> = match given {
            Value::Null => return Ok(Self::default()),
            Value::Array(_) => serde_json::from_value(given),
            one => serde_json::from_value(Value::Array(vec![one])),
        };
        let few = few.map_err(D::Error::custom)?;
        Ok(Self(Vec::from(few).into_iter().map(Into::into).collect()))
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
        let (one, many) =
            (schemas.subschema_for::<Target>(), schemas.subschema_for::<BoundedList<Target, 64>>());
        json_schema!({"anyOf": [one, many, {"type": "null"}]})
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParkPolicy {
    /// It waits for an answer.
    #[default]
    Allowed,
    /// It is denied.
    Refused,
}

/// A call that was decided before.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitRequest {
    pub session: SessionName,
    /// How long to wait; five minutes count at most.
    #[serde(default)]
    pub wait_ms: Millis,
}

/// How a call ended.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRequest {
    pub session: SessionName,
    pub effect: ReportedEffect,
}

/// What an agent can say of an effect. That nothing happened only an executor of ours attests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportedEffect {
    Done,
    Failed,
    Unknown,
}

impl<'de> Deserialize<'de> for ReportedEffect {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        match String::deserialize(reader)?.as_str() {
            "done" => Ok(Self::Done),
            "failed" => Ok(Self::Failed),
            "unknown" => Ok(Self::Unknown),
            "none" => Err(D::Error::custom(
                "only an executor of ours can attest that nothing happened: say `unknown`",
            )),
            other => Err(D::Error::custom(format!("`{other}` is not done, failed or unknown"))),
        }
    }
}

/// A question ahead of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskAheadRequest {
    pub session: SessionName,
    /// What the session works on: only an adapter can say it.
    #[serde(default)]
    pub project: Option<Project>,
    /// What the agent wants to do.
    pub text: Text<4096>,
    #[serde(default)]
    pub category: Option<Category>,
    #[serde(default = "once")]
    pub scope: Scope,
    #[serde(default)]
    pub reason: Text<4096>,
    #[serde(default)]
    pub fallback: Text<4096>,
    #[serde(default)]
    pub park: ParkPolicy,
}

fn once() -> Scope {
    Scope::Once
}

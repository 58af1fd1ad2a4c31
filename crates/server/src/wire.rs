//! What agents and operators send, in the words of the API. Unknown fields are refused.

use countersign_core::category::Category;
use countersign_core::names::{Action, Agent, Project, SessionName, Step, Tool, Workflow};
use countersign_core::words::{Choice, Presence, Risk};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Vec<String> {
    fn from(given: OneOrMany) -> Self {
        match given {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(many) => many,
        }
    }
}

/// A call that wants to happen. What it says of itself can only make it stricter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub session: SessionName,
    #[serde(default)]
    pub project: Option<Project>,
    #[serde(default)]
    pub tool: Option<Tool>,
    #[serde(default)]
    pub actions: Vec<Action>,
    #[serde(default)]
    pub declares: Vec<Action>,
    #[serde(default = "nothing")]
    pub args: Value,
    #[serde(default)]
    pub target: Option<OneOrMany>,
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub step: Option<Step>,
    #[serde(default)]
    pub categories: Vec<Category>,
    #[serde(default)]
    pub risk: Option<Risk>,
    /// True makes it irreversible; nothing makes it reversible.
    #[serde(default)]
    pub irreversible: bool,
    #[serde(default)]
    pub confidence: f64,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub fallback: String,
    /// What becomes of it if it asks and nobody can be reached.
    #[serde(default)]
    pub park: Park,
    /// How long to wait for an answer before `pending` is one.
    #[serde(default)]
    pub wait_ms: u64,
}

fn nothing() -> Value {
    json!({})
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Park {
    #[default]
    Allowed,
    Refused,
}

/// A call that was decided before.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    pub session: SessionName,
    #[serde(default)]
    pub wait_ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub session: SessionName,
    pub effect: Effect,
}

/// What an agent can say of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Done,
    Failed,
    Unknown,
}

/// What was decided about a call.
#[derive(Clone, Debug, Serialize)]
pub struct Decided {
    pub status: Status,
    pub outcome: countersign_core::words::Outcome,
    pub reason: countersign_core::words::Reason,
    /// One sentence for the agent.
    pub sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The operator's words, where there are any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It may execute now.
    Allowed,
    /// Somebody is asked.
    Pending,
    Denied,
    /// It was executed before.
    AlreadyDone,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskAhead {
    pub session: SessionName,
    #[serde(default)]
    pub project: Option<Project>,
    pub text: String,
    #[serde(default)]
    pub category: Option<Category>,
    #[serde(default = "once")]
    pub scope: countersign_core::grant::Scope,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub fallback: String,
    #[serde(default)]
    pub park: Park,
}

fn once() -> countersign_core::grant::Scope {
    countersign_core::grant::Scope::Once
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartRun {
    pub session: SessionName,
    #[serde(default)]
    pub project: Option<Project>,
    pub workflow: Workflow,
    #[serde(default)]
    pub park: Park,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InSession {
    pub session: SessionName,
}

/// An operator's answer. It carries the digest as it was shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub digest: String,
    /// To the one open item, or to each of them by its action.
    #[serde(default)]
    pub choice: Option<Choice>,
    #[serde(default)]
    pub items: BTreeMap<Action, Choice>,
    #[serde(default)]
    pub note: String,
    /// The second confirmation, or what had to be typed.
    #[serde(default)]
    pub confirm: Option<String>,
    /// Also ends what the session was allowed.
    #[serde(default)]
    pub stop: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoke {
    #[serde(default)]
    pub session: Option<SessionName>,
    #[serde(default)]
    pub grant: Option<String>,
    #[serde(default)]
    pub workflow: Option<Workflow>,
    #[serde(default)]
    pub all: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    pub agent: Agent,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Present {
    pub presence: Presence,
}

//! What is sent and answered about turns, plans and what a session is about.

use super::{BoundedInt, BoundedList, Text};
use countersign_core::model::ids::GestureId;
use countersign_core::model::names::{Action, Project, SessionName};
use countersign_core::model::turn::Heard;
use countersign_core::steps::conversation::Said;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One message of the operator. With an agent's credential it can only tighten: what would loosen
/// is shown to the operator as a question. With an adapter's, and on the operator's plane, it counts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    pub session: SessionName,
    /// What the session works on: only an adapter can say it.
    #[serde(default)]
    pub project: Option<Project>,
    pub text: Text<16_384>,
}

/// What an operator types into a session that is open.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SayRequest {
    pub session: SessionName,
    pub text: Text<16_384>,
}

/// What became of a turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TurnResponse {
    pub heard: Heard,
    /// What is said back.
    pub lines: Vec<String>,
    /// The click that a slash command made.
    pub gesture_id: Option<GestureId>,
}

impl From<Said> for TurnResponse {
    fn from(said: Said) -> Self {
        Self { heard: said.heard, lines: said.lines, gesture_id: said.gesture }
    }
}

/// What an agent says that it will do. The plan before it is over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    pub session: SessionName,
    /// In the order in which it would happen.
    #[schemars(length(min = 1))]
    pub actions: BoundedList<Action, 64>,
    /// Command lines that the plan names, word by word; others are no part of it.
    #[serde(default)]
    pub commands: BoundedList<BoundedList<Text<4096>, 256>, 64>,
    /// How concrete it is, from 0 to 4: only an adapter can say it, and below 2 no yes accepts it.
    #[serde(default)]
    pub score: Option<BoundedInt<4>>,
}

/// What a session has moved to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    pub session: SessionName,
    pub moved: MoveKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// The operator turned to something else.
    Topic,
    /// The work goes on in another project, feature or set of files.
    Context,
}

/// From an earlier session to a new one of the same agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandOverRequest {
    pub from: SessionName,
    pub to: SessionName,
}

/// How many standing commands the operator is asked about.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct HandOverResponse {
    pub asked: usize,
}

/// It is in the record.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RecordedResponse {
    pub state: RecordedState,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordedState {
    Recorded,
}

impl RecordedResponse {
    pub const RECORDED: Self = Self { state: RecordedState::Recorded };
}

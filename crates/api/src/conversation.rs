//! Turns, plans, and what a session works on.

use crate::{
    BoundedInt, BoundedList, EventOrigin, ProgramAncestry, ProgramProcesses, RecordedState, Text,
    TurnAuthor,
};
use countersign_conversation::ProcessedTurn;
use countersign_core::model::ids::GestureId;
use countersign_core::model::names::{Action, Project, SessionName, Tool, Workflow};
use countersign_core::model::turn::TurnResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One message of the operator. With an agent's credential it can only tighten: what would loosen
/// is shown to the operator as a question. With an adapter's credential it counts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    pub session: SessionName,
    /// The project that the session works on: see `POST /v1/check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    pub text: Text<16_384>,
    /// Who wrote it, as far as the adapter can tell. Without an adapter's credential it does not
    /// matter.
    #[serde(default)]
    pub author: TurnAuthor,
    #[serde(default)]
    pub origin: EventOrigin,
    /// The processes of the program, to tell whether a command of the session still runs. Then the turn
    /// can only make decisions stricter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<ProgramProcesses>,
    /// Where the program's process is. If a program of another session is above it, that session's
    /// agent has started this one: its session is put below, so that a stop above holds here too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestry: Option<ProgramAncestry>,
    /// The workflow of which a run is started if the session has none: for programs that have no
    /// word for a task. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Workflow>,
    /// The project around the folder that the program works in now. If it is another one than at an
    /// earlier message, the consent for the task ends. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub works_in: Option<Project>,
    /// The folders in which the program keeps temporary files of this session. They count when the
    /// session opens. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "BoundedList::is_empty")]
    pub scratch: BoundedList<Text<4096>, 8>,
}

/// What an operator types into an open session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SayRequest {
    pub session: SessionName,
    pub text: Text<16_384>,
}

/// What a turn led to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnResponse {
    /// How the turn was understood.
    pub heard: TurnResult,
    /// The reply to show.
    pub lines: Vec<String>,
    /// The gesture that a slash command made.
    pub gesture_id: Option<GestureId>,
}

impl From<ProcessedTurn> for TurnResponse {
    fn from(said: ProcessedTurn) -> Self {
        Self { heard: said.heard, lines: said.lines, gesture_id: said.gesture }
    }
}

/// What an agent says that it will do. It ends the plan before it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    pub session: SessionName,
    /// The actions of the steps, in order.
    #[serde(default)]
    pub actions: BoundedList<Action, 64>,
    /// The tools of further steps, for an adapter that does not know the graph: each stands for the
    /// actions that the graph maps it to.
    #[serde(default)]
    pub tools: BoundedList<Tool, 64>,
    /// The command lines that the plan names, split into words. The plan covers no others.
    #[serde(default)]
    pub commands: BoundedList<BoundedList<Text<4096>, 256>, 64>,
    /// How concrete the plan is, from 0 to 4. Only an adapter can send it, and below 2 no yes
    /// accepts the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<BoundedInt<4>>,
    /// The program's own id of the call with which its user accepted the plan. It counts if the
    /// program's permission hook has asked about that call, so that its user has seen it. Only an
    /// adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_call: Option<Text<256>>,
}

/// What became of a plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanResponse {
    pub state: RecordedState,
    /// Lines to show in the conversation, if the plan was accepted.
    pub lines: Vec<String>,
}

/// Reports that a session turned to something else.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    pub session: SessionName,
    pub kind: MoveKind,
}

/// What a reported move cleared.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MoveResponse {
    pub state: RecordedState,
    /// Lines to show in the conversation.
    pub lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// The operator turned to another task.
    Topic,
    /// The work continues in another project, feature or set of files.
    Context,
}

/// Asks the operator to carry standing commands over to a new session of the same agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandOverRequest {
    /// Without it: the session that the adapter has cleared last in this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionName>,
    pub to: SessionName,
    /// The project of the new session, if it is not open yet: see `POST /v1/check`. Without it, it
    /// is the project of the earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HandOverResponse {
    /// How many standing commands the operator is asked about, one request each.
    pub questions: usize,
}

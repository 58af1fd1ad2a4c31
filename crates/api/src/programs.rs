//! What the hooks of a coding agent's program report about its calls, and what they get back to show.

use crate::json::Json;
use crate::reported_effect::ReportedEffect;
use crate::{BoundedInt, BoundedList, Text};
use countersign_core::encoding::json::deserialize_value;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{SessionName, Tool};
use countersign_core::model::words::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the program that makes a call names it. It is the program's word, so it only helps to
/// recognize a call that was decided before; it never authorizes one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramCall {
    /// The program's own id of the call, if it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text<256>>,
    #[serde(default)]
    pub sighting: Sighting,
    /// Whether the program shows the question in its own prompt, if there is one.
    #[serde(default)]
    pub prompt: PromptUse,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptUse {
    #[default]
    Absent,
    Shown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sighting {
    /// The program has not asked about this call before.
    #[default]
    First,
    /// The program asks once more about a call that it has just submitted, with the same tool and
    /// arguments. The earlier decision stands. Without an earlier call it is a new one.
    Again,
}

/// The open question about a call, for an adapter whose program can show it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QuestionView {
    pub request_id: RequestId,
    pub risk: Risk,
    /// What it is, what it does, and what a yes gives: a few lines.
    pub lines: Vec<String>,
    /// The exact call and what the agent says about it, for where the program does not show them.
    pub call: Vec<String>,
    /// The command line, if the call is nothing but that and fits on a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub answerable: Answerable,
    pub surfaces: SurfaceReach,
}

impl QuestionView {
    /// What a program's prompt can show. A longer question is answered on a surface.
    pub const MAX_LINES: usize = 40;
}

/// Where a yes to a question counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answerable {
    /// In the program, too: its user is the operator, and the lines show the whole call.
    InProgram,
    /// Only on the operator's surfaces.
    OnSurfaces,
}

/// Whether anything shows the operator the question besides the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceReach {
    Attached,
    None,
}

/// How a call of a program ended, as the program names the call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramOutcomeRequest {
    pub session: SessionName,
    /// The program's own id of the call, if it gives one. Otherwise tool and arguments identify it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text<256>>,
    pub tool: Tool,
    #[serde(deserialize_with = "deserialize_value")]
    #[schemars(with = "Json")]
    pub args: Value,
    pub effect: ReportedEffect,
    #[serde(default)]
    pub origin: EventOrigin,
}

/// A no that the operator gave in a program's own prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramDeclineRequest {
    pub session: SessionName,
    /// The program's own id of the call.
    pub id: Text<256>,
    /// What the operator wrote beside the no.
    #[serde(default)]
    pub note: Text<4096>,
}

/// Who wrote a turn, as far as the adapter can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnAuthor {
    #[default]
    Operator,
    /// Perhaps a program, for example another agent that started this one. Such a turn can only make
    /// decisions stricter.
    Unknown,
}

/// Whether a hook was run by the program that it is installed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventOrigin {
    #[default]
    Program,
    /// By something else, such as a command of an agent. The event is refused, and the operator is
    /// alerted.
    Elsewhere,
}

/// Milliseconds since the machine was started.
pub type BootMillis = BoundedInt<9_007_199_254_740_991>;

/// When the processes below a program started that runs a hook.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramProcesses {
    /// The hook itself, or the shell that runs it.
    pub hook: BootMillis,
    pub others: BoundedList<BootMillis, 4096>,
}

/// A process of this machine. The number alone may belong to another one later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessStamp {
    pub id: BoundedInt<4_294_967_295>,
    pub started: BootMillis,
}

/// The process of a program that runs a hook, and those above it, the nearest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramAncestry {
    pub program: ProcessStamp,
    pub above: BoundedList<ProcessStamp, 64>,
}

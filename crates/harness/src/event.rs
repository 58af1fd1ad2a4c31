//! An event that a program reports to its hook: bytes in, one value out.
//!
//! Claude Code and Codex write the same JSON shape, down to the names of the fields. What they leave
//! out or add is optional here, and unknown fields are ignored: a new version of a program must not
//! lock its user out.

use crate::limits;
use countersign_core::encoding::json::deserialize_value;
use countersign_core::model::names::{NameError, SessionName, Tool};
use serde::Deserialize;
use serde_json::Value;

/// One event of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    pub session: SessionName,
    /// The folder that the program works in.
    pub cwd: Option<String>,
    /// The file in which the program writes the conversation down.
    pub transcript: Option<String>,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A tool is about to run.
    ToolCall(ToolUse),
    /// The program would ask its user about a tool call.
    PermissionQuestion(ToolUse),
    /// A tool has run.
    ToolEnded {
        tool_use: ToolUse,
        end: ToolEnd,
    },
    /// The user has sent a message.
    Prompt {
        text: String,
        writer: PromptWriter,
    },
    /// The user has accepted a plan in the program, with this call of a tool.
    PlanAccepted {
        tool_use: ToolUse,
        plan: String,
    },
    SessionStarted(SessionStart),
    SessionEnded(SessionStop),
    /// Nothing that concerns consent.
    Other,
}

/// A call of a program's tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    pub tool: Tool,
    /// What the tool executes. What the model only says about its call is in `words`.
    pub args: Value,
    /// The program's own id of the call.
    pub id: Option<String>,
    /// What the model says that the call is for.
    pub words: String,
}

impl ToolUse {
    /// Whether the model asks the program to run the tool outside of the program's own sandbox.
    pub fn leaves_sandbox(&self) -> bool {
        self.args.get("dangerouslyDisableSandbox").is_some_and(|value| *value != Value::Bool(false))
    }

    /// The whole input of the tool, with what the model says about it.
    pub fn with_words(&self, mut input: Value) -> Value {
        if let (false, Value::Object(fields)) = (self.words.is_empty(), &mut input) {
            fields.insert("description".to_owned(), Value::from(self.words.as_str()));
        }
        input
    }
}

/// What a session starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStart {
    New,
    /// The user has cleared the conversation; the session before has ended with that.
    Cleared,
    /// An earlier conversation goes on, perhaps in a summary.
    Continued,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStop {
    Ended,
    /// Another session goes on with an empty conversation.
    Cleared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEnd {
    Done,
    Failed,
}

/// Who wrote a prompt, as far as the event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptWriter {
    User,
    /// Another agent of the same program.
    Agent,
}

/// Why an event cannot be read. Then its hook blocks.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("the event is larger than {} bytes", limits::MAX_EVENT_BYTES)]
    TooLarge,
    #[error("the event is not the JSON object that is expected: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("the event has no `{0}`")]
    Missing(&'static str),
    #[error("the event names something unusual: {0}")]
    Name(#[from] NameError),
}

/// The fields that concern consent. An agent inside of the program has an id.
#[derive(Deserialize)]
struct Fields {
    session_id: Option<String>,
    cwd: Option<String>,
    transcript_path: Option<String>,
    hook_event_name: Option<String>,
    tool_name: Option<String>,
    #[serde(default, deserialize_with = "deserialize_value")]
    tool_input: Value,
    tool_use_id: Option<String>,
    prompt: Option<String>,
    agent_id: Option<String>,
    /// How a session starts.
    source: Option<String>,
    /// Why a session ends.
    reason: Option<String>,
    #[serde(default)]
    tool_response: Value,
}

/// The tool with which the model of Claude Code ends the plan mode. Its user sees the plan and accepts
/// it; the tool's result has the text.
const PLAN_TOOL: &str = "ExitPlanMode";

impl HookEvent {
    pub fn parse(bytes: &[u8]) -> Result<Self, EventError> {
        if bytes.len() > limits::MAX_EVENT_BYTES {
            return Err(EventError::TooLarge);
        }
        let mut fields: Fields = serde_json::from_slice(bytes)?;
        let session = fields.session_id.take().ok_or(EventError::Missing("session_id"))?;
        let event = fields.hook_event_name.take().ok_or(EventError::Missing("hook_event_name"))?;
        let (session, cwd) = (SessionName::parse(&session)?, fields.cwd.take());
        let transcript = fields.transcript_path.take();
        Ok(Self { session, cwd, transcript, kind: fields.into_kind(&event)? })
    }
}

impl Fields {
    fn into_kind(mut self, event: &str) -> Result<EventKind, EventError> {
        let ended = |tool_use, end| EventKind::ToolEnded { tool_use, end };
        Ok(match event {
            "PreToolUse" => EventKind::ToolCall(self.into_tool_use()?),
            "PermissionRequest" => EventKind::PermissionQuestion(self.into_tool_use()?),
            "PostToolUse" => match self.take_plan() {
                Some(plan) => EventKind::PlanAccepted { tool_use: self.into_tool_use()?, plan },
                None => ended(self.into_tool_use()?, ToolEnd::Done),
            },
            "PostToolUseFailure" => ended(self.into_tool_use()?, ToolEnd::Failed),
            "UserPromptSubmit" => {
                let text = self.prompt.take().ok_or(EventError::Missing("prompt"))?;
                let is_agent = self.agent_id.is_some();
                let writer = if is_agent { PromptWriter::Agent } else { PromptWriter::User };
                EventKind::Prompt { text, writer }
            }
            "SessionStart" => EventKind::SessionStarted(match self.source.as_deref() {
                Some("clear") => SessionStart::Cleared,
                Some("compact" | "resume") => SessionStart::Continued,
                _ => SessionStart::New,
            }),
            "SessionEnd" => EventKind::SessionEnded(match self.reason.as_deref() {
                Some("clear") => SessionStop::Cleared,
                _ => SessionStop::Ended,
            }),
            _ => EventKind::Other,
        })
    }

    /// The text of a plan, if the main agent of the program has just had it accepted.
    fn take_plan(&mut self) -> Option<String> {
        if self.tool_name.as_deref() != Some(PLAN_TOOL) || self.agent_id.is_some() {
            return None;
        }
        let plan = self.tool_response.get("plan")?.as_str()?;
        (!plan.trim().is_empty()).then(|| plan.to_owned())
    }

    fn into_tool_use(self) -> Result<ToolUse, EventError> {
        let name = self.tool_name.ok_or(EventError::Missing("tool_name"))?;
        let (args, words) = split_words(&name, self.tool_input);
        Ok(ToolUse { tool: Tool::parse(&name)?, args, id: self.tool_use_id, words })
    }
}

/// The tools that run a command line. A model describes the command in its own words, which differ
/// from one attempt to the next and are not executed.
const DESCRIBED_TOOLS: [&str; 1] = ["Bash"];

fn split_words(tool: &str, mut args: Value) -> (Value, String) {
    if args.is_null() {
        args = Value::Object(serde_json::Map::new());
    }
    let mut words = String::new();
    if let (true, Value::Object(fields)) = (DESCRIBED_TOOLS.contains(&tool), &mut args)
        && let Some(Value::String(text)) = fields.get("description")
    {
        words.clone_from(text);
        fields.remove("description");
    }
    (args, words)
}

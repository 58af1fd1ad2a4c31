//! What a hook answers: a reply in, bytes and an exit code out.
//!
//! Claude Code and Codex read the same JSON shape, and differ in what they accept: see `Dialect`. An
//! exit code other than 0 and 2 is never used: programs go on after any other, as if nothing had been
//! said. What fails ends in exit code 2 with one line on stderr, which both take for a block.
//!
//! See docs/decisions/0086-questions-in-a-programs-own-prompt.md.

use crate::Program;
use crate::describe_denial;
use crate::event::{EventKind, ToolUse};
use countersign_api::{CheckResponse, CheckStatus};
use countersign_core::encoding::json::canonical;
use serde_json::{Map, Value, json};

/// What the hook process learned about an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Nothing to say.
    Nothing,
    /// The call may run. Lines that announce which consent it uses are for the user.
    Allowed {
        announcements: Vec<String>,
    },
    /// The call may run with this input instead of its own.
    AllowedAs {
        input: Value,
        announcements: Vec<String>,
    },
    Denied {
        reason: String,
    },
    /// The program's own prompt asks its user, and shows these lines.
    AskHere {
        question: String,
        /// What runs after a yes, if that is not the tool's own input.
        input: Option<Value>,
    },
    /// Nobody has answered yet, so the call does not run now. `reason` is for the model, `question`
    /// for the user.
    Pending {
        reason: String,
        question: String,
    },
    /// What the user's message led to.
    TurnProcessed {
        lines: Vec<String>,
    },
    /// What the model should know from the start.
    Instructions {
        text: String,
    },
    /// Countersign could not decide.
    Failed {
        why: String,
    },
}

impl Reply {
    /// The reply to a decision. `input` is the narrower form of the call, as the question showed it.
    pub fn from_check(tool_use: &ToolUse, response: &CheckResponse, input: Option<&Value>) -> Self {
        let announcements = response.announcements.clone();
        match (response.status, input) {
            (CheckStatus::Allowed, Some(input)) => {
                Self::AllowedAs { input: tool_use.with_words(input.clone()), announcements }
            }
            (CheckStatus::Allowed, None) if response.narrowed.is_some() => {
                let why = "the call can run only in a narrower form than the one that was shown";
                Self::Failed { why: why.to_owned() }
            }
            (CheckStatus::Allowed, None) => Self::Allowed { announcements },
            (CheckStatus::Denied | CheckStatus::Pending, _) => {
                Self::Denied { reason: describe_denial(response) }
            }
            // The program asks about a call that has ended: there is nothing left to decide.
            (CheckStatus::AlreadyDone, _) => Self::Nothing,
        }
    }
}

/// What a hook process writes before it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOutput {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

/// The exit code that Claude Code and Codex take for a block.
pub const BLOCK: u8 = 2;

impl HookOutput {
    fn silent() -> Self {
        Self { stdout: String::new(), stderr: String::new(), code: 0 }
    }

    /// The keys are sorted, so that a golden file holds the bytes.
    fn json(value: &Value) -> Self {
        let stdout = canonical(value).unwrap_or_else(|_| value.to_string());
        Self { stdout, ..Self::silent() }
    }

    /// Blocks, with one line that says why. It needs nothing but the text, so that it can be used
    /// when everything else has failed.
    pub fn block(why: &str) -> Self {
        let line = why.replace(['\n', '\r'], " ");
        let stderr = format!("Countersign: {line}\n");
        Self { stdout: String::new(), stderr, code: BLOCK }
    }
}

/// Where the programs differ.
struct Dialect {
    /// How a call is let through.
    allow: AllowForm,
    /// Whether the program asks its user if the hook says so.
    ask: AskForm,
}

enum AllowForm {
    /// A verdict. Without one, the program decides for itself.
    Verdict,
    /// Silence. The program reports a verdict without other arguments as an error of the hook.
    Silence,
}

enum AskForm {
    Honoured,
    /// The program runs the tool as if nothing had been said.
    Ignored,
}

impl Program {
    const fn dialect(self) -> Dialect {
        match self {
            Self::ClaudeCode => Dialect { allow: AllowForm::Verdict, ask: AskForm::Honoured },
            Self::Codex => Dialect { allow: AllowForm::Silence, ask: AskForm::Ignored },
        }
    }

    /// Whether this program's own prompt can show a question before a tool runs.
    pub const fn can_ask(self) -> bool {
        matches!(self.dialect().ask, AskForm::Honoured)
    }

    /// The bytes and the exit code of a reply to an event.
    pub fn render(self, event: &EventKind, reply: &Reply) -> HookOutput {
        match event {
            EventKind::ToolCall(_) => self.render_verdict(reply),
            EventKind::PermissionQuestion(_) => self.render_permission(reply),
            EventKind::Prompt { .. } => render_turn(reply),
            EventKind::SessionStarted(_) => render_start(reply),
            EventKind::PlanAccepted { .. } => render_plan(reply),
            // The tool has run and the session has ended: there is nothing to block.
            EventKind::ToolEnded { .. } | EventKind::SessionEnded(_) | EventKind::Other => {
                HookOutput::silent()
            }
        }
    }

    fn render_verdict(self, reply: &Reply) -> HookOutput {
        let dialect = self.dialect();
        match reply {
            Reply::Allowed { announcements } => {
                let message = announcements.join("\n");
                match dialect.allow {
                    AllowForm::Verdict => verdict("allow", "Countersign allows it", &message),
                    AllowForm::Silence if message.is_empty() => HookOutput::silent(),
                    AllowForm::Silence => HookOutput::json(&json!({"systemMessage": message})),
                }
            }
            Reply::AllowedAs { input, announcements } => {
                let specific = specific_verdict("allow", "Countersign allows it");
                let specific = with_input(specific, Some(input));
                let message = announcements.join("\n");
                HookOutput::json(&with_message(json!({"hookSpecificOutput": specific}), &message))
            }
            Reply::AskHere { question, input } => match dialect.ask {
                AskForm::Honoured => {
                    let specific = with_input(specific_verdict("ask", question), input.as_ref());
                    HookOutput::json(&json!({"hookSpecificOutput": specific}))
                }
                AskForm::Ignored => verdict("deny", question, ""),
            },
            Reply::Denied { reason } => verdict("deny", reason, ""),
            Reply::Pending { reason, question } => verdict("deny", reason, question),
            Reply::Failed { why } => HookOutput::block(why),
            Reply::Nothing | Reply::TurnProcessed { .. } | Reply::Instructions { .. } => {
                HookOutput::block("the call was not decided")
            }
        }
    }
}

impl Program {
    /// Without an answer of ours the program asks its user itself, or denies where it has none.
    fn render_permission(self, reply: &Reply) -> HookOutput {
        let decision = match (reply, self.dialect().ask) {
            (Reply::Allowed { .. }, _) => json!({"behavior": "allow"}),
            (Reply::AllowedAs { input, .. }, AskForm::Honoured) => {
                with_input(json!({"behavior": "allow"}), Some(input))
            }
            (Reply::Denied { reason }, _) => json!({"behavior": "deny", "message": reason}),
            // This program takes no other input here.
            (Reply::AllowedAs { .. }, AskForm::Ignored)
            | (
                Reply::Nothing
                | Reply::AskHere { .. }
                | Reply::Pending { .. }
                | Reply::TurnProcessed { .. }
                | Reply::Instructions { .. }
                | Reply::Failed { .. },
                _,
            ) => return HookOutput::silent(),
        };
        let specific = json!({"hookEventName": "PermissionRequest", "decision": decision});
        HookOutput::json(&json!({"hookSpecificOutput": specific}))
    }
}

/// A verdict about a tool call. A program ignores a denial without a reason.
fn verdict(word: &str, reason: &str, message: &str) -> HookOutput {
    let reason = if reason.trim().is_empty() { "Countersign gives no reason" } else { reason };
    let specific = specific_verdict(word, reason);
    HookOutput::json(&with_message(json!({"hookSpecificOutput": specific}), message))
}

fn specific_verdict(word: &str, reason: &str) -> Value {
    json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    })
}

fn with_input(mut specific: Value, input: Option<&Value>) -> Value {
    if let (Value::Object(fields), Some(input)) = (&mut specific, input) {
        fields.insert("updatedInput".to_owned(), input.clone());
    }
    specific
}

/// The user sees the lines, and the model gets them as context.
fn render_turn(reply: &Reply) -> HookOutput {
    match reply {
        Reply::TurnProcessed { lines } if !lines.is_empty() => {
            let message = lines.join("\n");
            let context = format!("Countersign, about the user's message: {message}");
            HookOutput::json(&with_message(context_of("UserPromptSubmit", &context), &message))
        }
        Reply::Failed { why } => HookOutput::block(&format!(
            "your message was not passed on, because it could not be recorded: {why}"
        )),
        Reply::TurnProcessed { .. }
        | Reply::Nothing
        | Reply::Allowed { .. }
        | Reply::AllowedAs { .. }
        | Reply::Denied { .. }
        | Reply::AskHere { .. }
        | Reply::Pending { .. }
        | Reply::Instructions { .. } => HookOutput::silent(),
    }
}

/// The user sees what became of the plan. The tool has run, so there is nothing to block.
fn render_plan(reply: &Reply) -> HookOutput {
    match reply {
        Reply::TurnProcessed { lines } if !lines.is_empty() => {
            HookOutput::json(&with_message(json!({}), &lines.join("\n")))
        }
        Reply::TurnProcessed { .. }
        | Reply::Nothing
        | Reply::Allowed { .. }
        | Reply::AllowedAs { .. }
        | Reply::Denied { .. }
        | Reply::AskHere { .. }
        | Reply::Pending { .. }
        | Reply::Instructions { .. }
        | Reply::Failed { .. } => HookOutput::silent(),
    }
}

fn render_start(reply: &Reply) -> HookOutput {
    match reply {
        Reply::Instructions { text } => HookOutput::json(&context_of("SessionStart", text)),
        Reply::Failed { why } => {
            let message = format!("Countersign cannot decide now, so no tool will run: {why}");
            HookOutput::json(&with_message(json!({}), &message))
        }
        Reply::Nothing
        | Reply::Allowed { .. }
        | Reply::AllowedAs { .. }
        | Reply::Denied { .. }
        | Reply::AskHere { .. }
        | Reply::Pending { .. }
        | Reply::TurnProcessed { .. } => HookOutput::silent(),
    }
}

fn context_of(event: &str, context: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
}

/// Adds what the program shows its user.
fn with_message(mut value: Value, message: &str) -> Value {
    if let (false, Value::Object(fields)) = (message.is_empty(), &mut value) {
        let fields: &mut Map<String, Value> = fields;
        fields.insert("systemMessage".to_owned(), json!(message));
    }
    value
}

//! The dialects of coding agents' hooks.
//!
//! A coding agent starts a hook program, writes one JSON object about an event to its input and reads
//! a verdict from its output and exit code. Every agent does this a little differently. This crate
//! knows the differences and nothing else: it reads no file, reaches no daemon and decides nothing.

mod event;
pub mod limits;
mod program;
mod reply;
mod request;
mod wording;

pub use event::{EventError, EventKind, HookEvent, PromptWriter, ToolEnd, ToolUse};
pub use program::Program;
pub use reply::{BLOCK, HookOutput, Reply};
pub use request::TASK_WORKFLOW;
pub use wording::{describe_denial, describe_pending, describe_question, instructions};

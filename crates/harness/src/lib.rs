//! The dialects of coding agents' hooks.
//!
//! A coding agent starts a hook program, writes one JSON object about an event to its input and reads
//! a verdict from its output and exit code. Every agent does this a little differently. This crate
//! knows the differences and nothing else: it reads no file, reaches no daemon and decides nothing.

mod event;
mod foreign_rules;
mod install;
pub mod limits;
mod plan;
mod program;
mod rejections;
mod reply;
mod request;
mod shell_words;
mod transcripts;
mod wording;

pub use event::{
    EventError, EventKind, HookEvent, PromptWriter, SessionStart, SessionStop, ToolEnd, ToolUse,
};
pub use foreign_rules::{ForeignRules, SkippedRule};
pub use install::{
    HookCommand, HookFile, HookFileError, HookState, HookTarget, InstalledHook, find_disabling_key,
    find_misleading_variables, is_trusted_by_codex,
};
pub use plan::WrittenPlan;
pub use program::Program;
pub use rejections::{Rejection, find_rejections};
pub use reply::{BLOCK, HookOutput, Reply};
pub use request::TASK_WORKFLOW;
pub use transcripts::{TranscriptCall, TranscriptReader};
pub use wording::{
    CallDisplay, describe_continued, describe_denial, describe_hand_over, describe_pending,
    describe_question, instructions,
};

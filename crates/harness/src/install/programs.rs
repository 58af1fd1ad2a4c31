//! What is installed for each program: which file, which events, and how a failure is treated.

use crate::Program;

/// A settings file that holds the hooks of a program.
#[derive(Debug)]
pub struct HookFile {
    pub program: Program,
    /// Relative to the folder of the program's settings.
    pub path: &'static str,
    pub(super) events: &'static [EventEntry],
}

#[derive(Debug)]
pub(super) struct EventEntry {
    pub(super) name: &'static str,
    /// Which tools it is for. Events without tools have none.
    pub(super) matcher: Option<&'static str>,
    pub(super) timeout_seconds: u64,
    pub(super) on_failure: OnFailure,
}

/// What the program should do if the hook cannot be run or dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// Without this, the program would go on with the tool.
    Block,
    /// Nothing is allowed by it: the program asks by itself, or only our record misses something.
    Continue,
}

/// As long as the programs wait by default. A person answers in this time.
const TOOL_SECONDS: u64 = 600;
/// Nobody is asked at these events.
const OTHER_SECONDS: u64 = 30;
/// Codex waits no longer at the end of a session, and trusts the entry with this number.
const CODEX_END_SECONDS: u64 = 3;

const fn tool_event(name: &'static str, on_failure: OnFailure) -> EventEntry {
    EventEntry { name, matcher: Some("*"), timeout_seconds: TOOL_SECONDS, on_failure }
}

const fn other_event(name: &'static str, timeout_seconds: u64) -> EventEntry {
    EventEntry { name, matcher: None, timeout_seconds, on_failure: OnFailure::Continue }
}

const CLAUDE_CODE: &[HookFile] = &[HookFile {
    program: Program::ClaudeCode,
    path: "settings.json",
    events: &[
        tool_event("PreToolUse", OnFailure::Block),
        tool_event("PermissionRequest", OnFailure::Continue),
        tool_event("PostToolUse", OnFailure::Continue),
        tool_event("PostToolUseFailure", OnFailure::Continue),
        other_event("UserPromptSubmit", OTHER_SECONDS),
        other_event("SessionStart", OTHER_SECONDS),
        other_event("SessionEnd", OTHER_SECONDS),
    ],
}];

const CODEX: &[HookFile] = &[HookFile {
    program: Program::Codex,
    path: "hooks.json",
    events: &[
        tool_event("PreToolUse", OnFailure::Block),
        tool_event("PermissionRequest", OnFailure::Continue),
        tool_event("PostToolUse", OnFailure::Continue),
        other_event("UserPromptSubmit", OTHER_SECONDS),
        other_event("SessionStart", OTHER_SECONDS),
        other_event("SessionEnd", CODEX_END_SECONDS),
    ],
}];

impl Program {
    /// The files that `countersign init` changes.
    pub const fn hook_files(self) -> &'static [HookFile] {
        match self {
            Self::ClaudeCode => CLAUDE_CODE,
            Self::Codex => CODEX,
        }
    }

    /// The folder of its settings, relative to the user's home.
    pub const fn settings_folder(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".claude",
            Self::Codex => ".codex",
        }
    }

    /// The name under which it is started.
    pub const fn executable(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
        }
    }
}

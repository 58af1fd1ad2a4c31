//! What is installed for each program: which file, which events, and how a failure is treated.

use crate::Program;

/// A settings file that holds the hooks of a program.
#[derive(Debug)]
pub struct HookFile {
    pub program: Program,
    /// Relative to the folder of the program's settings.
    pub path: &'static str,
    pub(super) events: &'static [HookEvent],
}

#[derive(Debug)]
pub(super) struct HookEvent {
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

const fn tool_event(name: &'static str, on_failure: OnFailure) -> HookEvent {
    HookEvent { name, matcher: Some("*"), timeout_seconds: TOOL_SECONDS, on_failure }
}

const fn other_event(name: &'static str) -> HookEvent {
    let on_failure = OnFailure::Continue;
    HookEvent { name, matcher: None, timeout_seconds: OTHER_SECONDS, on_failure }
}

const EVENTS: &[HookEvent] = &[
    tool_event("PreToolUse", OnFailure::Block),
    tool_event("PermissionRequest", OnFailure::Continue),
    tool_event("PostToolUse", OnFailure::Continue),
    other_event("UserPromptSubmit"),
    other_event("SessionStart"),
    other_event("SessionEnd"),
];

const CLAUDE_CODE: &[HookFile] =
    &[HookFile { program: Program::ClaudeCode, path: "settings.json", events: EVENTS }];

const CODEX: &[HookFile] =
    &[HookFile { program: Program::Codex, path: "hooks.json", events: EVENTS }];

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

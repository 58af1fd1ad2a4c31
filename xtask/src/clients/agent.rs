//! What the scenarios need to know about a program: how it is started, and how its model calls tools.

use super::{Session, claude, codex};
use crate::external::folder::SuiteFolder;
use crate::external::{create, write};
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Codex,
    /// Codex with a model that writes scripts, which call the tools.
    CodexScripts,
}

/// The events whose hooks we install.
pub const EVENTS: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
];

/// The event that decides about a call. With the others, a broken hook stops the prompt already.
pub const BEFORE_TOOL: &[&str] = &["PreToolUse"];

impl Agent {
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::CodexScripts];

    /// The name of its program, which is also our word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex | Self::CodexScripts => "codex",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::CodexScripts => "codex scripts",
        }
    }

    /// Adds the words and variables of a start. Nothing but our hook asks about a call.
    pub fn prepare(self, command: &mut Command, session: Session, prompt: &str, model: &str) {
        match self {
            Self::Claude => claude::prepare(command, session, prompt, model),
            Self::Codex | Self::CodexScripts => codex::prepare(command, session, prompt),
        }
    }

    /// The same for a start at a terminal.
    pub fn prepare_terminal(
        self,
        command: &mut Command,
        folder: &SuiteFolder,
        model: &str,
    ) -> Result<(), Failure> {
        match self {
            Self::Claude => claude::prepare_terminal(command, folder, model),
            Self::Codex | Self::CodexScripts => {
                Err(Failure::new("at a terminal it would leave a daemon of its own behind"))
            }
        }
    }

    /// Writes what the program needs beside the hooks.
    pub fn configure(self, folder: &SuiteFolder, model: &str) -> Result<(), Failure> {
        match self {
            Self::Claude => Ok(()),
            Self::Codex => codex::configure(folder, model, codex::CALLING_MODEL),
            Self::CodexScripts => codex::configure(folder, model, codex::SCRIPTING_MODEL),
        }
    }

    /// Writes the hooks for these events by hand, as a user would.
    pub fn write_hooks(
        self,
        folder: &SuiteFolder,
        program: &Path,
        events: &[&str],
    ) -> Result<(), Failure> {
        let hook = match self {
            Self::Claude => claude::hook(program, folder),
            Self::Codex | Self::CodexScripts => codex::hook(program, folder),
        };
        let groups = events.iter().map(|event| ((*event).to_owned(), json!([{"hooks": [hook]}])));
        let hooks = json!({"hooks": Map::from_iter(groups)});
        let path = folder.home().join(self.settings_file().0);
        path.parent().map_or(Ok(()), create)?;
        write(&path, &hooks.to_string())
    }

    /// Gives the program an MCP server with this command.
    pub fn add_server(
        self,
        folder: &SuiteFolder,
        name: &str,
        command: &[String],
    ) -> Result<(), Failure> {
        match self {
            Self::Claude => claude::add_server(folder, name, command),
            Self::Codex | Self::CodexScripts => codex::add_server(folder, name, command),
        }
    }

    /// The file that has the hooks, with what a user may have written there before.
    pub fn settings_file(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => (claude::HOOKS_FILE, claude::EARLIER_SETTINGS),
            Self::Codex | Self::CodexScripts => (codex::HOOKS_FILE, codex::EARLIER_HOOKS),
        }
    }

    /// What the model hears about a call that a hook has blocked.
    pub fn block_words(self) -> &'static str {
        match self {
            Self::Claude => " hook error: ",
            Self::Codex | Self::CodexScripts => "blocked by PreToolUse hook: ",
        }
    }

    /// The model's call of the shell.
    pub fn shell_call(self, line: &str) -> Value {
        match self {
            Self::Claude => claude::shell_call(line),
            Self::Codex => codex::shell_call(line),
            Self::CodexScripts => codex::script("exec_command", &json!({"cmd": line})),
        }
    }

    /// The model's call of the shell that makes a file in another folder, by a command that a rule
    /// allows in the workspace.
    pub fn outside_call(self, folder: &Path) -> Value {
        match self {
            Self::Claude => claude::shell_call(&format!("touch {}/made.txt", folder.display())),
            Self::Codex => json!({"tool": "exec_command", "input": codex::touch_in(folder)}),
            Self::CodexScripts => codex::script("exec_command", &codex::touch_in(folder)),
        }
    }

    /// The model's call of the tool that makes a file with one line.
    pub fn file_call(self, path: &Path) -> Value {
        match self {
            Self::Claude => claude::file_call(path),
            Self::Codex => json!({"custom": "apply_patch", "input": codex::patch(path)}),
            Self::CodexScripts => codex::script("apply_patch", &json!(codex::patch(path))),
        }
    }

    /// The model's call of a tool of an MCP server.
    pub fn server_call(self, server: &str, tool: &str, arguments: &Value) -> Value {
        match self {
            Self::Claude => claude::server_call(server, tool, arguments),
            Self::Codex => codex::server_call(server, tool, arguments),
            Self::CodexScripts => codex::script(&format!("mcp__{server}__{tool}"), arguments),
        }
    }
}

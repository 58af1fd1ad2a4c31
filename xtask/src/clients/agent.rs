//! What the scenarios need to know about a program: how it is started, and how its model calls tools.

use super::{claude, codex};
use crate::external::folder::SuiteFolder;
use crate::failure::Failure;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Codex,
}

/// Whether a prompt opens a session or goes on in the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Session {
    New,
    Last,
}

/// Who sees to it that the hooks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTrust {
    /// The program is told not to ask.
    Bypassed,
    /// What the installation has written has to be enough.
    Installed,
}

/// One start of the program.
pub struct Start<'s> {
    pub prompt: &'s str,
    pub session: Session,
    pub trust: HookTrust,
    /// The address of the stand-in for the model.
    pub model: &'s str,
}

impl Agent {
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Adds the words and variables of one start. Nothing but our hook asks about a call.
    pub fn prepare(self, command: &mut Command, start: &Start<'_>) {
        match self {
            Self::Claude => claude::prepare(command, start),
            Self::Codex => codex::prepare(command, start),
        }
    }

    /// Writes what the program needs beside the hooks.
    pub fn configure(self, folder: &SuiteFolder, model: &str) -> Result<(), Failure> {
        match self {
            Self::Claude => Ok(()),
            Self::Codex => codex::configure(folder, model),
        }
    }

    /// Writes the hooks by hand, as a user would.
    pub fn write_hooks(self, folder: &SuiteFolder, program: &Path) -> Result<(), Failure> {
        match self {
            Self::Claude => claude::write_hooks(folder, program),
            Self::Codex => codex::write_hooks(folder, program),
        }
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
            Self::Codex => codex::add_server(folder, name, command),
        }
    }

    /// The files that an installation may change.
    pub fn settings_files(self, folder: &SuiteFolder) -> Vec<PathBuf> {
        let paths: &[&str] = match self {
            Self::Claude => &[".claude/settings.json", ".claude.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
        };
        paths.iter().map(|path| folder.home().join(path)).collect()
    }

    /// The model's call of the shell.
    pub fn shell_call(self, line: &str) -> Value {
        match self {
            Self::Claude => claude::shell_call(line),
            Self::Codex => codex::shell_call(line),
        }
    }

    /// The model's call of the tool that makes a file with one line.
    pub fn file_call(self, path: &Path) -> Value {
        match self {
            Self::Claude => claude::file_call(path),
            Self::Codex => codex::file_call(path),
        }
    }

    /// The model's call of a tool of an MCP server.
    pub fn server_call(self, server: &str, tool: &str, arguments: &Value) -> Value {
        match self {
            Self::Claude => claude::server_call(server, tool, arguments),
            Self::Codex => codex::server_call(server, tool, arguments),
        }
    }
}

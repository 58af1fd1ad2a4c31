//! Claude Code: its settings, its start without a terminal, and the calls of its model.

use super::Session;
use crate::external::folder::SuiteFolder;
use crate::external::write;
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const HOOKS_FILE: &str = ".claude/settings.json";

/// Laid out as no program would do it.
pub const EARLIER_SETTINGS: &str = "{\n    \"model\": \"opus\",\n  \"hooks\": {}}";

/// It is needed and goes nowhere.
const KEY: &str = "no-key";

/// Its own questions are off, also for root.
pub fn prepare(command: &mut Command, session: Session, prompt: &str, model: &str) {
    set_variables(command, model);
    command.args(["-p", prompt, "--dangerously-skip-permissions"]);
    match session {
        Session::New => {}
        Session::Last => drop(command.arg("--continue")),
    }
}

/// What it would ask at its first start is answered before.
pub fn prepare_terminal(
    command: &mut Command,
    folder: &SuiteFolder,
    model: &str,
) -> Result<(), Failure> {
    let trust = json!({"hasTrustDialogAccepted": true});
    let projects = Map::from_iter([(folder.work().display().to_string(), trust)]);
    let settings = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": projects,
    });
    set_variables(command, model);
    write(&user_file(folder), &settings.to_string())
}

fn set_variables(command: &mut Command, model: &str) {
    command.envs([
        ("ANTHROPIC_BASE_URL", model),
        ("ANTHROPIC_API_KEY", KEY),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("ENABLE_TOOL_SEARCH", "false"),
        ("IS_SANDBOX", "1"),
        ("MCP_CONNECTION_NONBLOCKING", "0"),
    ]);
}

pub fn hook(program: &Path, folder: &SuiteFolder) -> Value {
    json!({
        "type": "command",
        "command": program,
        "args": ["hook", "claude", "--data", folder.data(), "--settings", folder.settings()],
        "timeout": 600,
        "onFailure": "block",
    })
}

/// For this user and all folders.
pub fn add_server(folder: &SuiteFolder, name: &str, command: &[String]) -> Result<(), Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::new("a server needs a command"));
    };
    let server = json!({"type": "stdio", "command": program, "args": arguments});
    let settings = json!({"mcpServers": Map::from_iter([(name.to_owned(), server)])});
    write(&user_file(folder), &settings.to_string())
}

fn user_file(folder: &SuiteFolder) -> PathBuf {
    folder.home().join(".claude.json")
}

pub fn shell_call(line: &str) -> Value {
    json!({"tool": "Bash", "input": {"command": line, "description": "Make a file"}})
}

pub fn file_call(path: &Path) -> Value {
    json!({"tool": "Write", "input": {"file_path": path, "content": "made\n"}})
}

pub fn server_call(server: &str, tool: &str, arguments: &Value) -> Value {
    json!({"tool": format!("mcp__{server}__{tool}"), "input": arguments})
}

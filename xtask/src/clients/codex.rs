//! Codex: its settings, its start without a terminal, and the calls of its model.

use super::Session;
use crate::external::folder::SuiteFolder;
use crate::external::{create, write};
use crate::failure::Failure;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A model that calls tools one by one, and has one for patches.
pub const CALLING_MODEL: &str = "gpt-5.5";

/// A model whose one tool runs scripts. They call the other tools.
pub const SCRIPTING_MODEL: &str = "gpt-6-sol";

pub const HOOKS_FILE: &str = ".codex/hooks.json";

/// Laid out as no program would do it, with a hook that is not ours.
pub const EARLIER_HOOKS: &str =
    "{\"hooks\": {\n  \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}";

/// A user agrees to new hooks at the next start in a terminal, and there is none here.
pub fn prepare(command: &mut Command, session: Session, prompt: &str) {
    command.env("STAND_IN_KEY", "no-key");
    command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    match session {
        Session::New => {}
        Session::Last => drop(command.args(["resume", "--last"])),
    }
    command.arg(prompt);
}

/// Its sandbox is off: only our hook may stop a call.
pub fn configure(folder: &SuiteFolder, address: &str, model: &str) -> Result<(), Failure> {
    create(&folder.home().join(".codex"))?;
    let settings = format!(
        "# A comment that stays.\nmodel = \"{model}\"\nmodel_provider = \"stand-in\"\n\
         sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n\
         [model_providers.stand-in]\nname = \"stand-in\"\nbase_url = \"{address}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"STAND_IN_KEY\"\n\n[analytics]\nenabled = false\n"
    );
    write(&folder.home().join(".codex/config.toml"), &settings)
}

/// A hook that cannot be started would not stop a call, so the shell says no in its place.
pub fn hook(program: &Path, folder: &SuiteFolder) -> Value {
    let (program, data, settings) = (program.display(), folder.data(), folder.settings());
    let options = format!("--data '{}' --settings '{}'", data.display(), settings.display());
    let line = format!(
        "'{program}' hook codex {options} || {{ echo 'no hook, so no call' >&2; exit 2; }}"
    );
    json!({"type": "command", "command": line, "timeout": 600})
}

pub fn add_server(folder: &SuiteFolder, name: &str, command: &[String]) -> Result<(), Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::new("a server needs a command"));
    };
    let path = folder.home().join(".codex/config.toml");
    let read = std::fs::read_to_string(&path);
    let mut settings =
        read.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    // A JSON string and a JSON list of strings are TOML too.
    let written = writeln!(
        settings,
        "\n[mcp_servers.{name}]\ncommand = {}\nargs = {}\nenv_vars = [\"COUNTERSIGN_DATA\", \
         \"COUNTERSIGN_SETTINGS\"]\ndefault_tools_approval_mode = \"approve\"",
        json!(program),
        json!(arguments)
    );
    written.map_err(|error| Failure::new(error.to_string()))?;
    write(&path, &settings)
}

pub fn shell_call(line: &str) -> Value {
    json!({"tool": "exec_command", "input": {"cmd": line}})
}

/// A call of the shell in another folder, which hooks see only as the folder of the event.
pub fn touch_in(folder: &Path) -> Value {
    json!({"cmd": "touch made.txt", "workdir": folder})
}

/// A patch that makes the file.
pub fn patch(path: &Path) -> String {
    format!("*** Begin Patch\n*** Add File: {}\n+made\n*** End Patch\n", path.display())
}

/// The model's call of a tool in a script. What the tool throws is the result too.
pub fn script(tool: &str, argument: &Value) -> Value {
    let lines = format!(
        "try {{ text(JSON.stringify(await tools.{tool}({argument}))) }} catch (e) {{ text(String(e)) }}"
    );
    json!({"custom": "exec", "input": lines})
}

pub fn server_call(server: &str, tool: &str, arguments: &Value) -> Value {
    json!({"namespace": format!("mcp__{server}"), "tool": tool, "input": arguments})
}

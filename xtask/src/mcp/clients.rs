//! Real clients through `mcp wrap` and through the HTTP endpoint.
//!
//! Each lists the tools, calls one that is allowed and one that asks, and retries it after the
//! operator's yes. The scripts are in `xtask/mcp`.

use super::Workshop;
use crate::external::checks::Checks;
use crate::external::daemon::SuiteDaemon;
use crate::external::json::{items_at, text_at, value_at};
use crate::external::running::Running;
use crate::external::write;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SERVER: &str = "@modelcontextprotocol/server-everything/dist/index.js";
const INSPECTOR: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

const GRAPH: &str = "domains:
  servers: {autonomous: [call], requires_approval: [ask], blocked: []}
  mcp: {autonomous: [], requires_approval: [add_server], blocked: []}
tools:
  mcp__*: {actions: [servers.call]}
  mcp__everything__get-sum: {actions: [servers.ask]}
";

/// A client library and the script that uses it.
struct Library {
    name: &'static str,
    script: &'static str,
    /// The protocol that it must have chosen, where it says so.
    version: &'static str,
}

const LIBRARIES: [Library; 4] = [
    Library { name: "TypeScript SDK 1", script: "client-ts1.mjs", version: "" },
    Library { name: "TypeScript SDK 2", script: "client-ts2.mjs", version: "2026-07-28" },
    Library { name: "Python mcp", script: "client_mcp.py", version: "2026-07-28" },
    Library { name: "fastmcp", script: "client_fastmcp.py", version: "" },
];

pub fn run(workshop: &Workshop, checks: &mut Checks) -> Result<(), Failure> {
    let trial = Trial { workshop, daemon: workshop.start_daemon(GRAPH)? };
    // The first start asks, and clients come later.
    trial.daemon.approve_server(trial.wrap())?;
    for library in &LIBRARIES {
        let name = format!("{} on stdio", library.name);
        let target = [vec!["stdio".to_owned()], trial.wrap()].concat();
        checks.group(&name, |checks| trial.play(library, &name, (&target, ""), checks))?;
    }
    checks.group("Inspector", |checks| trial.play_inspector(checks))?;
    let server: Vec<String> = trial.server();
    let mut words = vec!["mcp", "add", "everything", "--"];
    words.extend(server.iter().map(String::as_str));
    trial.daemon.run(&words)?;
    let token = trial.daemon.add_agent("client")?;
    for library in &LIBRARIES {
        let name = format!("{} on HTTP", library.name);
        let target = ["http".to_owned(), format!("{}/mcp/everything", trial.daemon.address)];
        checks.group(&name, |checks| trial.play(library, &name, (&target, &token), checks))?;
    }
    Ok(())
}

struct Trial<'w> {
    workshop: &'w Workshop,
    daemon: SuiteDaemon,
}

impl Trial<'_> {
    fn server(&self) -> Vec<String> {
        let packages = &self.workshop.packages;
        let words = [packages.node(), packages.npm_file(SERVER), PathBuf::from("stdio")];
        words.map(|word| word.display().to_string()).to_vec()
    }

    /// The command that a client's configuration has.
    fn wrap(&self) -> Vec<String> {
        let program = self.daemon.program().display().to_string();
        let words = ["mcp", "wrap", "--name", "everything", "--"].map(str::to_owned);
        [vec![program], words.to_vec(), self.server()].concat()
    }

    fn play(
        &self,
        library: &Library,
        name: &str,
        (target, token): (&[String], &str),
        checks: &mut Checks,
    ) -> Result<(), Failure> {
        let packages = &self.workshop.packages;
        let interpreter = match library.script.ends_with(".py") {
            true => packages.python(),
            false => packages.node(),
        };
        let mut command = self.daemon.prepare(Command::new(interpreter));
        command.arg(packages.script(library.script)).args(target).env("TOKEN", token);
        command.env("PYTHONDONTWRITEBYTECODE", "1").stderr(Stdio::inherit());
        let mut running = Running::start(&mut command)?;
        if !library.version.is_empty() {
            let version = read_step(&running, "version")?;
            checks.equal(&format!("{name}: protocol"), &version, &json!(library.version))?;
        }
        let list = read_step(&running, "list")?;
        checks.note(&format!("{name}: list"), judge_list(&list))?;
        let allowed = read_step(&running, "allowed")?;
        checks.note(&format!("{name}: allowed"), judge_text(&allowed, "Echo: hello"))?;
        let asked = read_step(&running, "asked")?;
        checks.note(&format!("{name}: asked"), judge_text(&asked, "Waiting for the operator"))?;
        self.daemon.approve()?;
        running.write_line("the operator has answered")?;
        let retried = read_step(&running, "retried")?;
        checks.note(&format!("{name}: retried"), judge_text(&retried, "2 and 3 is 5"))?;
        running.finish()
    }

    /// The Inspector starts anew for each request, so its `retry` comes from another client.
    fn play_inspector(&self, checks: &mut Checks) -> Result<(), Failure> {
        let list = self.inspect(&["tools/list"])?;
        let names =
            items_at(&list, &["tools"]).iter().map(|tool| value_at(tool, &["name"]).clone());
        checks.note("Inspector: list", judge_list(&names.collect()))?;
        let words = ["tools/call", "--tool-name", "echo", "--tool-arg", "message=hello"];
        checks.note("Inspector: allowed", judge_text(&self.inspect(&words)?, "Echo: hello"))?;
        let words = ["tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "b=3"];
        let asked = self.inspect(&words)?;
        checks.note("Inspector: asked", judge_text(&asked, "Waiting for the operator"))?;
        self.daemon.approve()?;
        let operation = text_at(&asked, &["_meta", "countersign/operationId"]);
        let argument = format!("operation_id={operation}");
        let words = ["tools/call", "--tool-name", "retry", "--tool-arg", &argument];
        checks.note("Inspector: retried", judge_text(&self.inspect(&words)?, "2 and 3 is 5"))
    }

    fn inspect(&self, method: &[&str]) -> Result<Value, Failure> {
        let (command, arguments) = (self.wrap(), self.daemon.work_folder().join("inspector.json"));
        let server = json!({"command": command.first(), "args": command.get(1..),
            "env": self.daemon.variables()});
        write(&arguments, &json!({"mcpServers": {"everything": server}}).to_string())?;
        let packages = &self.workshop.packages;
        let mut command = self.daemon.prepare(Command::new(packages.node()));
        command.arg(packages.npm_file(INSPECTOR)).arg("--cli").arg("--config").arg(arguments);
        command.args(["--server", "everything", "--method"]).args(method);
        command.env("MCP_INSPECTOR_SECRET_STORE", "memory").stdin(Stdio::null());
        let output = command.stderr(Stdio::piped()).output();
        let output = output.map_err(|error| Failure::new(format!("the Inspector: {error}")))?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Failure::new(format!("the Inspector has no result of {method:?}: {error}; {said}"))
        })
    }
}

/// The value of a step that a script prints.
fn read_step(running: &Running, step: &str) -> Result<Value, Failure> {
    let line = running.read_line()?;
    let read: Value = serde_json::from_str(&line).unwrap_or_default();
    match text_at(&read, &["step"]) == step {
        true => Ok(value_at(&read, &["value"]).clone()),
        false => Err(Failure::new(format!("`{line}` instead of the step `{step}`"))),
    }
}

fn judge_list(names: &Value) -> Result<(), String> {
    let has = |name: &str| names.as_array().is_some_and(|names| names.contains(&json!(name)));
    match ["echo", "get-sum", "retry"].into_iter().find(|name| !has(name)) {
        None => Ok(()),
        Some(missing) => Err(format!("there is no tool `{missing}` in {names}")),
    }
}

fn judge_text(result: &Value, expected: &str) -> Result<(), String> {
    let text = text_at(result, &["content", "0", "text"]);
    match text.contains(expected) && value_at(result, &["isError"]) != &json!(true) {
        true => Ok(()),
        false => Err(format!("{result} has no text with `{expected}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_judged_by_its_text() {
        let result = json!({"content": [{"type": "text", "text": "Echo: hello"}]});
        assert!(judge_text(&result, "Echo").is_ok() && judge_text(&result, "sum").is_err());
        assert!(judge_list(&json!(["echo", "get-sum", "retry"])).is_ok());
        assert!(judge_list(&json!(["echo"])).is_err());
    }
}

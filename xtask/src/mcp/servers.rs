//! Real servers behind `mcp wrap` and behind `mcp add` and `mcp serve`.
//!
//! Their tools and results must be what they are without the gateway. A call that asks is carried out
//! exactly once after a yes, and never after a no; a copy of what each server reads shows that.

use super::Workshop;
use super::real_servers::{Call, RealServer, SERVERS, arguments, copy_of_input, graph};
use crate::external::checks::Checks;
use crate::external::daemon::SuiteDaemon;
use crate::external::json::{items_at, text_at, value_at};
use crate::external::line_client::LineClient;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

pub fn run(workshop: &Workshop, checks: &mut Checks) -> Result<(), Failure> {
    let daemon = workshop.start_daemon(&graph())?;
    for server in &SERVERS {
        checks.group(server.name, |checks| server.check_wrapped(workshop, &daemon, checks))?;
    }
    for server in &SERVERS {
        checks.group(server.name, |checks| server.check_added(workshop, &daemon, checks))?;
    }
    Ok(())
}

/// A connection through the gateway, and what the names of the server's tools start with there.
struct Gated<'d> {
    daemon: &'d SuiteDaemon,
    client: LineClient,
    prefix: String,
    way: &'static str,
}

/// What a server says without the gateway.
struct Bare {
    tools: Vec<Value>,
    results: Vec<Value>,
}

impl RealServer {
    fn check_wrapped(
        &self,
        workshop: &Workshop,
        daemon: &SuiteDaemon,
        checks: &mut Checks,
    ) -> Result<(), Failure> {
        let folder = daemon.work_folder().join(self.name);
        let bare = self.ask_bare(workshop, daemon, &folder)?;
        self.prepare_anew(&folder)?;
        let mut command = daemon.prepare(Command::new(daemon.program()));
        command.args(["mcp", "wrap", "--name", self.name, "--"]);
        command.args(self.command(workshop, &folder));
        let mut client = LineClient::connect(&mut command)?;
        let before = client.list_tools()?;
        let name = format!("{} wrap: no tool of the server before the operator's yes", self.name);
        let is_own = |tool: &Value| {
            !bare.tools.iter().any(|known| value_at(known, &["name"]) == value_at(tool, &["name"]))
        };
        checks.equal(&name, &before.iter().all(is_own), &true)?;
        daemon.approve()?;
        client.wait_for("notifications/tools/list_changed")?;
        let gated = Gated { daemon, client, prefix: String::new(), way: "wrap" };
        self.check(gated, &bare, &folder, checks)
    }

    fn check_added(
        &self,
        workshop: &Workshop,
        daemon: &SuiteDaemon,
        checks: &mut Checks,
    ) -> Result<(), Failure> {
        let folder = daemon.work_folder().join(self.name);
        let bare = self.ask_bare(workshop, daemon, &folder)?;
        self.prepare_anew(&folder)?;
        let command = self.command(workshop, &folder);
        let mut words = vec!["mcp", "add", self.name, "--"];
        words.extend(command.iter().map(String::as_str));
        daemon.run(&words)?;
        self.check_test(daemon, checks)?;
        self.prepare_anew(&folder)?;
        let mut command = daemon.prepare(Command::new(daemon.program()));
        let client = LineClient::connect(command.args(["mcp", "serve"]))?;
        let gated = Gated { daemon, client, prefix: format!("{}__", self.name), way: "serve" };
        self.check(gated, &bare, &folder, checks)?;
        daemon.run(&["mcp", "rm", self.name]).map(drop)
    }

    /// `mcp test` says of each tool what a call of it would meet.
    fn check_test(&self, daemon: &SuiteDaemon, checks: &mut Checks) -> Result<(), Failure> {
        let table = daemon.run(&["mcp", "test", self.name, "--json"])?;
        let table: Value = serde_json::from_str(&table).unwrap_or_default();
        let outcome_of = |tool: &str| {
            let mut rows = items_at(&table, &["tools"]).iter();
            let row = rows.find(|row| text_at(row, &["tool"]) == tool);
            row.map_or("", |row| text_at(row, &["outcome"])).to_owned()
        };
        let mut expected = vec![(self.approved.0, "ask".to_owned())];
        expected.extend(self.allowed.iter().map(|call| (call.0, "allow".to_owned())));
        let found = expected.iter().map(|(tool, _)| (*tool, outcome_of(tool))).collect();
        let name = format!("{} test: what a call would meet", self.name);
        checks.equal(&name, &found, &expected)
    }

    fn check(
        &self,
        mut gated: Gated<'_>,
        bare: &Bare,
        folder: &Path,
        checks: &mut Checks,
    ) -> Result<(), Failure> {
        let name = |what: &str| format!("{} {}: {what}", self.name, gated.way);
        let (listed, called) =
            (name("the tools are the server's"), name("results are the server's"));
        let (approved, declined) = (name("approved, then carried out once"), name("declined"));
        checks.equal(&listed, &gated.list_tools()?, &bare.tools)?;
        let mut results = Vec::new();
        for call in self.allowed {
            results.push(gated.call(call.0, &arguments(call, folder))?);
        }
        checks.equal(&called, &results, &bare.results)?;
        let result = self.check_approved(&mut gated, folder);
        checks.note(&approved, result?)?;
        let result = self.check_declined(&mut gated, folder);
        checks.note(&declined, result?)
    }

    fn check_approved(
        &self,
        gated: &mut Gated<'_>,
        folder: &Path,
    ) -> Result<Result<(), String>, Failure> {
        let operation = match gated.ask(&self.approved, folder)? {
            Ok(operation) => operation,
            Err(why) => return Ok(Err(why)),
        };
        gated.daemon.approve()?;
        let first = gated.client.call("retry", &json!({"operation_id": operation}))?;
        let again = gated.client.call("retry", &json!({"operation_id": operation}))?;
        let times = count_calls(folder, &self.approved)?;
        let is_fine = value_at(&first, &["isError"]) != &json!(true)
            && value_at(&first, &["content"]) == value_at(&again, &["content"]);
        Ok(match is_fine && times == 1 {
            true => Ok(()),
            false => Err(format!("carried out {times} times: {first}, then {again}")),
        })
    }

    fn check_declined(
        &self,
        gated: &mut Gated<'_>,
        folder: &Path,
    ) -> Result<Result<(), String>, Failure> {
        let operation = match gated.ask(&self.declined, folder)? {
            Ok(operation) => operation,
            Err(why) => return Ok(Err(why)),
        };
        gated.daemon.decline("not on a Friday")?;
        let result = gated.client.call("retry", &json!({"operation_id": operation}))?;
        let times = count_calls(folder, &self.declined)?;
        let is_fine = value_at(&result, &["isError"]) == &json!(true)
            && text_at(&result, &["content", "0", "text"]).contains("not on a Friday");
        Ok(match is_fine && times == 0 {
            true => Ok(()),
            false => Err(format!("carried out {times} times: {result}")),
        })
    }

    /// The same list and calls at the server itself.
    fn ask_bare(
        &self,
        workshop: &Workshop,
        daemon: &SuiteDaemon,
        folder: &Path,
    ) -> Result<Bare, Failure> {
        self.prepare_anew(folder)?;
        let mut words = self.command(workshop, folder).into_iter();
        let mut command = daemon.prepare(Command::new(words.next().unwrap_or_default()));
        let mut client = LineClient::connect(command.args(words))?;
        let tools = client.list_tools()?;
        let results = self.allowed.iter().map(|call| client.call(call.0, &arguments(call, folder)));
        Ok(Bare { tools, results: results.collect::<Result<_, _>>()? })
    }
}

impl Gated<'_> {
    /// The server's tools among all that are listed, under the names that the server gives them.
    fn list_tools(&mut self) -> Result<Vec<Value>, Failure> {
        let tools = self.client.list_tools()?;
        let (own, of_server): (Vec<Value>, Vec<Value>) = tools
            .into_iter()
            .partition(|tool| OWN_TOOLS.iter().any(|own| text_at(tool, &["name"]) == *own));
        if own.len() != OWN_TOOLS.len() {
            return Err(Failure::new("a tool of Countersign is not in the list"));
        }
        Ok(of_server.into_iter().filter_map(|tool| self.without_prefix(tool)).collect())
    }

    fn without_prefix(&self, mut tool: Value) -> Option<Value> {
        let name = text_at(&tool, &["name"]).strip_prefix(&self.prefix)?.to_owned();
        tool.as_object_mut()?.insert("name".to_owned(), json!(name));
        Some(tool)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.client.call(&format!("{}{tool}", self.prefix), arguments)
    }

    /// Makes a call that asks, and returns its operation.
    fn ask(&mut self, call: &Call, folder: &Path) -> Result<Result<String, String>, Failure> {
        let result = self.call(call.0, &arguments(call, folder))?;
        let meta = |key: &str| text_at(&result, &["_meta", key]);
        Ok(match meta("countersign/status") {
            "pending" => Ok(meta("countersign/operationId").to_owned()),
            _ => Err(format!("it is not pending: {result}")),
        })
    }
}

/// Countersign's own, which are in every list.
const OWN_TOOLS: [&str; 12] = [
    "retry",
    "consent_status",
    "request_permission",
    "consent_request",
    "consent_resolve",
    "consent_list",
    "check_consent",
    "workflow_start",
    "workflow_step",
    "workflow_end",
    "action_ledger_record",
    "action_ledger_list",
];

/// How often the server has read this call.
fn count_calls(folder: &Path, call: &Call) -> Result<usize, Failure> {
    let path = copy_of_input(folder);
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let wanted = arguments(call, folder);
    let is_call = |line: &&str| {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        // Defaults of the schema may have been added.
        let has_wanted = |arguments: &serde_json::Map<String, Value>| {
            arguments
                .iter()
                .all(|(key, value)| value_at(&message, &["params", "arguments", key]) == value)
        };
        text_at(&message, &["method"]) == "tools/call"
            && text_at(&message, &["params", "name"]) == call.0
            && wanted.as_object().is_some_and(has_wanted)
    };
    Ok(text.lines().filter(is_call).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_in_the_copy_of_the_input() {
        let name = format!("countersign-counted-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let call = ("t", r#"{"a": "FOLDER"}"#);
        let line = |arguments: &Value| {
            let params = json!({"name": "t", "arguments": arguments});
            json!({"id": 1, "method": "tools/call", "params": params}).to_string()
        };
        let wanted = folder.display().to_string();
        let lines = [line(&json!({"a": wanted, "b": 1})), line(&json!({"a": "other"}))];
        std::fs::write(copy_of_input(&folder), lines.join("\n")).unwrap();
        assert_eq!(count_calls(&folder, &call).unwrap(), 1);
        std::fs::remove_file(copy_of_input(&folder)).unwrap();
    }
}

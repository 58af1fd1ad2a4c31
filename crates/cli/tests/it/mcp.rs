//! MCP servers behind the daemon, as a client's configuration starts them.

use crate::daemon::Daemon;
use crate::desk::{Desk, first_id};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub const GRAPH: &str = "\
domains:
  notes: {autonomous: [read], requires_approval: [add], blocked: []}
  mcp: {autonomous: [], requires_approval: [add_server], blocked: []}
tools:
  mcp__notes__read: {actions: [notes.read]}
  mcp__notes__add: {actions: [notes.add]}
";

/// A server in a few lines of shell. Every execution is a line in `work/executions`: in the folder above
/// the daemon's own, a confined server cannot create files.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"read","inputSchema":{}},{"name":"add","inputSchema":{}}]}';;
    *'"tools/call"'*) printf '%s\n' "$line" >> work/executions; result='{"content":[{"type":"text","text":"ok '$SECRET'"}]}';;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(desk: &Desk, words: &[&str]) -> Self {
        Self::spawn(desk.command(words))
    }

    pub fn spawn(mut command: Command) -> Self {
        command.env("SECRET", "shared").env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { input: process.stdin.take(), process, output, next: 1 }
    }

    pub fn wrap(desk: &Desk) -> Self {
        Self::start(desk, &["mcp", "wrap", "--name", "notes", "--", "/bin/sh", "server.sh"])
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
        id
    }

    pub fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.wait(id)
    }

    pub fn initialize(&mut self) -> Value {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        self.request("initialize", params)
    }

    pub fn call(&mut self, tool: &str) -> String {
        let response = self.request("tools/call", json!({"name": tool, "arguments": {}}));
        response["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{response}"))
            .to_owned()
    }

    pub fn wait_for(&mut self, method: &str) {
        while self.read()["method"] != method {}
    }

    /// Ends the client's side, and returns the exit code and what it wrote to stderr.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut stderr = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.process.wait().unwrap().code(), stderr)
    }
}

/// Kills the client program, which has no chance to say goodbye.
impl Client {
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

pub fn desk() -> Desk {
    Desk::empty().with("countersign.yaml", GRAPH).with("server.sh", SERVER).with("work/empty", "")
}

/// Waits until the operator is asked something.
pub fn wait_for_request(desk: &Desk) -> String {
    loop {
        if let Some(id) = first_id(&desk.run(&["ls", "--json"]), 'r') {
            return id;
        }
    }
}

#[test]
fn a_wrapped_server_asks_once_and_then_each_call_is_decided() {
    let daemon = Daemon::on(desk(), &[]);
    let desk = &daemon.desk;
    let mut client = Client::wrap(desk);
    let hello = client.initialize();
    assert!(hello["result"]["instructions"].as_str().unwrap().contains("waits"), "{hello}");
    let request = wait_for_request(desk);
    let shown = desk.run(&["show", &request]);
    assert!(shown.contains("/bin/sh") && shown.contains("sha256"), "{shown}");
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(client.call("read"), "ok shared", "the client's environment reaches the server");
    let id = client.send("tools/call", json!({"name": "add", "arguments": {"text": "milk"}}));
    let request = wait_for_request(desk);
    assert_eq!(desk.text("work/executions").lines().count(), 1);
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    assert_eq!(client.wait(id)["result"]["content"][0]["text"], "ok shared");
    assert_eq!(client.end(), (Some(0), String::new()));

    let mut again = Client::wrap(desk);
    assert_eq!(again.initialize()["result"]["serverInfo"]["name"], "sh", "it is pinned");
    assert_eq!(again.end().0, Some(0));
    std::fs::write(desk.path("server.sh"), format!("{SERVER}\n# changed\n")).unwrap();
    let mut changed = Client::wrap(desk);
    assert_ne!(changed.initialize()["result"]["serverInfo"]["name"], "sh", "its script changed");
    changed.end();
}

#[test]
fn a_client_starts_the_daemon_if_it_is_not_running_and_says_so() {
    let desk =
        desk().under("COUNTERSIGN_DATA", "data").under("COUNTERSIGN_SETTINGS", "settings.toml");
    let desk = desk.with("settings.toml", "[network]\nhttp = false\n");
    let mut client = Client::wrap(&desk);
    client.initialize();
    let status = desk.run(&["status"]);
    assert!(status.contains("running"), "{status}");
    let (code, stderr) = client.end();
    assert_eq!(code, Some(0));
    let number = stderr.split("process ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    let pid = Pid::from_raw(number.parse().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    while desk.path("data/agent.sock").exists() {}
}

#[test]
fn added_servers_are_offered_together_and_removed_again() {
    let desk = desk().under("COUNTERSIGN_SETTINGS", "settings.toml").with("settings.toml", "");
    let daemon = Daemon::on(desk, &[]);
    let desk = &daemon.desk;
    assert!(desk.run(&["mcp", "ls"]).contains("no server is added"));
    let script = desk.path("server.sh");
    std::fs::create_dir_all(desk.path("home/work")).unwrap();
    let added = desk.run(&[
        "mcp",
        "add",
        "notes",
        "--env",
        "SECRET=own",
        "--",
        "/bin/sh",
        script.to_str().unwrap(),
    ]);
    assert!(added.contains("none of its tools is allowed"), "{added}");
    let twice = desk.run(&["mcp", "add", "N0tes", "--url", "http://127.0.0.1:1/mcp"]);
    assert!(twice.contains("there is a server `notes` already"), "{twice}");
    assert!(desk.run(&["mcp", "ls"]).contains("/bin/sh"));
    let tested = desk.run(&["mcp", "test", "notes"]);
    assert!(tested.contains("notes.add") && tested.contains("ask"), "{tested}");
    let mut client = Client::start(desk, &["mcp", "serve"]);
    client.initialize();
    let listed = client.request("tools/list", json!({}))["result"]["tools"].to_string();
    assert!(listed.contains("\"notes__read\"") && listed.contains("\"retry\""), "{listed}");
    assert_eq!(client.call("notes__read"), "ok own");
    let unknown = client.request("tools/call", json!({"name": "other__read"}));
    assert_eq!(unknown["error"]["code"], -32602);
    client.end();
    assert!(desk.run(&["mcp", "rm", "notes"]).contains("removed notes"));
    assert!(desk.run(&["mcp", "ls"]).contains("no server is added"));
}

#[test]
fn a_wrapped_server_works_in_the_git_repository_around_it() {
    let graph = "\
domains:
  files: {autonomous: [edit], requires_approval: [edit_outside_workspace], blocked: []}
  mcp: {autonomous: [add_server], requires_approval: [], blocked: []}
tools:
  mcp__notes__add: {actions: [files.edit], categories: [file-edit], target: /path}
";
    let desk = Desk::empty().with("countersign.yaml", graph).with("repo/.git/HEAD", "");
    let folder = ["repo", "work", "empty"].join("/");
    let daemon = Daemon::on(desk.with("repo/server.sh", SERVER).with(&folder, ""), &[]);
    let desk = &daemon.desk;
    let mut command =
        desk.command(&["mcp", "wrap", "--name", "notes", "--", "/bin/sh", "server.sh"]);
    command.current_dir(desk.path("repo")).env("COUNTERSIGN_DATA", desk.path("data"));
    let mut client = Client::spawn(command);
    client.initialize();
    let path = |name: &str| desk.path(name).to_str().unwrap().to_owned();
    let inside = json!({"name": "add", "arguments": {"path": path("repo/a.txt")}});
    let done = client.request("tools/call", inside);
    assert_eq!(done["result"]["content"][0]["text"], "ok shared", "{done}");
    let id =
        client.send("tools/call", json!({"name": "add", "arguments": {"path": path("b.txt")}}));
    let request = wait_for_request(desk);
    assert!(desk.run(&["show", &request]).contains("outside of the workspace"));
    assert!(desk.run(&["decline", &request]).contains("exit: 0"));
    assert!(client.wait(id).to_string().contains("declined"));
    client.end();
}

#[test]
fn without_a_daemon_there_is_no_call() {
    let desk = desk().under("COUNTERSIGN_DATA", "data").with("data", "a file in the way");
    let client = Client::wrap(&desk);
    let (code, stderr) = client.end();
    assert_ne!(code, Some(0), "{stderr}");
    assert!(!desk.path("work/executions").exists());
}

//! MCP servers that an agent names, where the daemon is another user (L1). Only root can be two users.

use crate::assurance::{SETTINGS, protected_desk, set_mode};
use crate::desk::Desk;
use crate::doors::Daemon;
use crate::mcp::{Client, GRAPH, wait_for_request};
use serde_json::json;
use std::fs;
use std::os::unix::fs::chown;
use std::process::{Command, Stdio};

/// A user that exists everywhere and owns nothing.
const NOBODY: u32 = 65_534;

/// Answers `read` at once, and `add` once the file `go` is there. Each call is a line in `executions`,
/// with the user that carried it out.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"read","inputSchema":{}},{"name":"add","inputSchema":{}}]}';;
    *'"name":"add"'*) printf 'add %s\n' "$(id -u)" >> executions; while [ ! -e go ]; do :; done; continue;;
    *'"tools/call"'*) printf 'read %s\n' "$(id -u)" >> executions; result='{"content":[{"type":"text","text":"ok '$SECRET$COUNTERSIGN_SOCKET'"}]}';;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// A daemon of ours whose agents are another user. None without the right to become one.
fn serve() -> Option<Daemon> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let desk = protected_desk().with("etc/deep/graph.yaml", GRAPH).with("agent/server.sh", SERVER);
    let own = rustix::process::getegid().as_raw();
    let settings = desk.text(SETTINGS);
    let settings = settings.replace(&format!("group = '{own}'"), &format!("group = '{NOBODY}'"));
    let desk = desk.with(SETTINGS, settings);
    set_mode(&desk.path(SETTINGS), 0o644);
    set_mode(&desk.path(""), 0o755);
    chown(desk.path("agent"), Some(NOBODY), Some(NOBODY)).unwrap();
    let daemon = Daemon::start(desk, &["--no-http"]);
    assert!(daemon.greeting.contains("assurance L1"), "{}", daemon.greeting);
    Some(daemon)
}

/// A program of the other user.
fn command_of_agent(desk: &Desk, words: &[&str]) -> Command {
    let command = desk.command(words);
    let user = NOBODY.to_string();
    let mut other = Command::new("setpriv");
    other.args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"]);
    other.arg(command.get_program()).args(command.get_args());
    other.current_dir(desk.path("agent")).env_clear().env("HOME", desk.path("agent"));
    other.env("COUNTERSIGN_SOCKET", desk.path("sockets/run/agent.sock")).stdin(Stdio::null());
    other
}

fn wrap(desk: &Desk) -> Client {
    let words = ["mcp", "wrap", "--name", "notes", "--", "/bin/sh", "server.sh"];
    Client::spawn(command_of_agent(desk, &words))
}

/// A client whose server the operator has approved.
fn approved(desk: &Desk) -> Client {
    let mut client = wrap(desk);
    client.initialize();
    let request = wait_for_request(desk);
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    client.wait_for("notifications/tools/list_changed");
    client
}

fn executions(desk: &Desk) -> String {
    fs::read_to_string(desk.path("agent/executions")).unwrap_or_default()
}

#[test]
fn a_server_that_an_agent_names_runs_as_the_agent_and_its_calls_are_decided_by_the_daemon() {
    let Some(daemon) = serve() else { return };
    let desk = &daemon.desk;
    let mut client = wrap(desk);
    client.initialize();
    let request = wait_for_request(desk);
    let card = desk.run(&["show", &request]);
    assert!(card.contains("what the agent says"), "{card}");
    assert_eq!(executions(desk), "");
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    client.wait_for("notifications/tools/list_changed");
    // The server has its client's environment, without what concerns Countersign.
    assert_eq!(client.call("read"), "ok shared");
    let id = client.send("tools/call", json!({"name": "add", "arguments": {}}));
    let request = wait_for_request(desk);
    assert_eq!(executions(desk), format!("read {NOBODY}\n"), "nothing runs before the yes");
    assert!(desk.run(&["decline", &request]).contains("exit: 0"));
    assert!(client.wait(id).to_string().contains("declined"));
    assert_eq!(client.end().0, Some(0));

    let mut again = wrap(desk);
    assert_ne!(again.initialize()["result"]["serverInfo"]["name"], "sh", "it is not pinned");
    again.end();
}

#[test]
fn a_call_whose_carrier_dies_has_an_unknown_effect() {
    let Some(daemon) = serve() else { return };
    let desk = &daemon.desk;
    let mut client = approved(desk);
    client.send("tools/call", json!({"name": "add", "arguments": {}}));
    let request = wait_for_request(desk);
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    while !executions(desk).contains("add") {}
    client.kill();
    let ended = || desk.run(&["ledger", "query", "--json", "--kind", "call_completed"]);
    while !ended().contains("\"unknown\"") {}
    fs::write(desk.path("agent/go"), "").unwrap();
}

#[test]
fn a_server_that_ends_is_started_again_after_another_question() {
    let Some(daemon) = serve() else { return };
    let desk = &daemon.desk;
    let mut client = approved(desk);
    assert_eq!(client.call("read"), "ok shared");
    let server = server_process(desk);
    rustix::process::kill_process(server, rustix::process::Signal::KILL).unwrap();
    while !client.call("read").contains("waits") {}
    let request = wait_for_request(desk);
    assert!(desk.run(&["approve", &request]).contains("exit: 0"));
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(client.call("read"), "ok shared");
    client.end();
}

/// The process that runs the server's script in the agent's folder.
fn server_process(desk: &Desk) -> rustix::process::Pid {
    let folder = fs::canonicalize(desk.path("agent")).unwrap();
    let all = fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let found = ids.into_iter().find(|id| {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let is_shell = words.starts_with(b"/bin/sh\0server.sh");
        is_shell && fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd == folder)
    });
    rustix::process::Pid::from_raw(found.unwrap()).unwrap()
}

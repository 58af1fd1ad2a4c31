//! The daemon's ports, and the tokens that open them.

use crate::desk::Desk;
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

const SETTINGS: &str = "home/.config/countersign/settings.toml";

pub struct Daemon {
    pub desk: Desk,
    process: Child,
    pub greeting: String,
}

impl Daemon {
    pub fn on(desk: Desk, words: &[&str]) -> Self {
        Self::start(desk.under("COUNTERSIGN_DATA", "data"), words)
    }

    /// With the data folder that the desk's settings name.
    pub fn start(desk: Desk, words: &[&str]) -> Self {
        let mut command = desk.command(&[&["serve"], words].concat());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let said = BufReader::new(process.stdout.take().unwrap());
        let mut greeting = String::new();
        for line in said.lines().map(Result::unwrap) {
            greeting.push_str(&format!("{line}\n"));
            if line.contains("Ctrl-C") {
                break;
            }
        }
        assert!(greeting.starts_with("ready"), "{greeting}");
        Self { desk, process, greeting }
    }

    fn open() -> Self {
        Self::on(Desk::new(), &["--agent-port", "0", "--operator-port", "0"])
    }

    /// The ports, as the greeting tells them: agents', then the operator's.
    pub fn ports(&self) -> Vec<&str> {
        let found = self.greeting.split("http://").skip(1);
        found.map(|rest| rest.split_whitespace().next().unwrap()).collect()
    }

    pub fn token(&self, words: &[&str]) -> String {
        let output = self.desk.output(&[&["agent", "add"], words].concat());
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = Pid::from_child(&self.process);
        let ended = kill_process(pid, Signal::TERM).is_ok();
        assert!(self.process.wait().unwrap().success() && ended || std::thread::panicking());
    }
}

/// The status of an answer on a port.
pub fn get(port: &str, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(port).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: {port}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn the_daemon_tells_where_it_is_met_and_keeps_the_token_to_itself() {
    let daemon = Daemon::open();
    let ports = daemon.ports();
    let mut greeting = daemon.greeting.clone();
    for port in &ports {
        greeting = greeting.replace(port, "PORT");
    }
    assert_snapshot!(greeting, @"
    ready: agents at data/agent.sock and http://PORT
    operator at data/operator.sock and http://PORT
    operator's token in data/operator.token
    graph countersign.yaml
    assurance L0: agents that run as your own user can bypass the daemon
    `countersign open` opens the dashboard in a browser
    `countersign ls` lists the requests that wait for you; Ctrl-C stops the daemon
    ");
    let token = daemon.desk.text("data/operator.token");
    let mode = fs::metadata(daemon.desk.path("data/operator.token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!daemon.greeting.contains("cs_operator_"));
    assert_eq!(get(ports[1], "/v1/status", token.trim_end()), "200");
    assert_eq!(get(ports[0], "/v1/status", token.trim_end()), "403");
}

#[test]
fn an_agent_gets_a_token_once_and_loses_it_at_once() {
    let daemon = Daemon::open();
    assert_snapshot!(daemon.desk.run(&["agent", "ls"]), @"
    no agent has a token; `countersign agent add NAME` creates one
    exit: 0
    ");
    let claude = daemon.token(&["claude"]);
    assert!(claude.starts_with("cs_agent_") && !claude.contains('\n'), "{claude}");
    assert!(daemon.token(&["claude", "--adapter"]).starts_with("cs_adapter_"));
    let path = "/v1/operations/call_00000000000000000000000000000000?session=s1";
    assert_eq!(get(daemon.ports()[0], path, &claude), "404");
    assert_eq!(get(daemon.ports()[1], "/v1/status", &claude), "403");
    let listed = daemon.desk.run(&["agent", "ls"]);
    assert!(listed.starts_with("AGENT   PRINCIPAL  ISSUED\nclaude  agent      20"), "{listed}");
    assert!(!listed.contains("cs_"));
    assert_snapshot!(daemon.desk.run(&["agent", "add", "claude"]), @"
    stderr: error: `claude` already has a credential of this kind, or is an application
    stderr:   help: revoke it first, or choose another name
    exit: 1
    ");
    assert_snapshot!(daemon.desk.run(&["agent", "revoke", "claude"]), @"
    claude: its tokens no longer work
    exit: 0
    ");
    assert_eq!(get(daemon.ports()[0], path, &claude), "401");
    assert_snapshot!(daemon.desk.run(&["agent", "revoke", "claude"]), @"
    stderr: error: no agent with this name has a token
    stderr:   help: `countersign agent ls` lists the agents that have one
    exit: 1
    ");
    // It is in the record, and the token is nowhere.
    let record = daemon.desk.run(&["ledger", "query", "--json"]);
    for kind in ["credential_issued", "credential_revoked", "assurance_found"] {
        assert!(record.contains(kind), "{kind}");
    }
    assert!(!record.contains(&claude));
    assert_eq!(daemon.desk.code(&["ledger", "verify"]), 0);
    assert_eq!(daemon.desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn names_that_an_agent_cannot_have_are_told_apart() {
    let daemon = Daemon::on(Desk::new(), &["--no-http"]);
    assert!(daemon.ports().is_empty(), "{}", daemon.greeting);
    for (name, code) in [("", 2), ("a b", 2), ("a\u{202e}b", 2), ("uid-7", 1), ("operator", 1)] {
        assert_eq!(daemon.desk.code(&["agent", "add", name]), code, "{name}");
    }
    assert_eq!(daemon.desk.code(&["agent", "add", "a/../b?c"]), 0);
    assert_eq!(daemon.desk.code(&["agent", "revoke", "a/../b?c"]), 0);
    assert_eq!(daemon.desk.code(&["agent", "revoke", "b"]), 1);
    assert_eq!(daemon.desk.code(&["agent"]), 2);
    assert_snapshot!(daemon.desk.run(&["agent", "add", "uid-7"]), @"
    stderr: error: `uid-7` is a reserved name
    stderr:   help: choose a name such as `claude`
    exit: 1
    ");
}

#[test]
fn a_script_that_holds_a_token_is_called_by_its_name() {
    let mut daemon = Daemon::on(Desk::new(), &["--no-http"]);
    let token = daemon.token(&["deploy"]);
    daemon.desk =
        std::mem::replace(&mut daemon.desk, Desk::empty()).under("COUNTERSIGN_TOKEN", &token);
    let gate = ["gate", "--session", "s1", "--action", "email.delete", "--target", "a"];
    assert_eq!(daemon.desk.code(&gate), 8);
    assert!(daemon.desk.run(&["ls"]).contains("deploy"));
    assert_eq!(daemon.desk.code(&["agent", "revoke", "deploy"]), 0);
    assert_snapshot!(daemon.desk.run(&gate), @"
    stderr: error: this credential is unknown
    stderr:   help: it may be revoked; the operator can add the agent again
    exit: 4
    ");
    daemon.desk =
        std::mem::replace(&mut daemon.desk, Desk::empty()).under("COUNTERSIGN_TOKEN", "a\nb: c");
    assert_eq!(daemon.desk.code(&gate), 2);
}

#[test]
fn a_token_of_yours_that_leaked_is_renewed() {
    let daemon = Daemon::open();
    let old = daemon.desk.text("data/operator.token");
    assert_snapshot!(daemon.desk.run(&["agent", "revoke", "--operator"]), @"
    your old token no longer works; the new one is in data/operator.token
    exit: 0
    ");
    let new = daemon.desk.text("data/operator.token");
    let status = |token: &str| get(daemon.ports()[1], "/v1/status", token.trim_end());
    assert_eq!((status(&old).as_str(), status(&new).as_str()), ("401", "200"));
    assert_eq!(daemon.desk.code(&["agent", "revoke"]), 2);
    assert_eq!(daemon.desk.code(&["agent", "revoke", "a", "--operator"]), 2);
}

#[test]
fn tokens_outlive_the_daemon() {
    let mut daemon = Daemon::open();
    let claude = daemon.token(&["claude"]);
    let operator = daemon.desk.text("data/operator.token");
    let desk = std::mem::replace(&mut daemon.desk, Desk::empty());
    drop(daemon);
    let daemon = Daemon::on(desk, &["--agent-port", "0", "--operator-port", "0"]);
    let path = "/v1/operations/call_00000000000000000000000000000000?session=s1";
    assert_eq!(get(daemon.ports()[0], path, &claude), "404");
    assert_eq!(get(daemon.ports()[1], "/v1/status", operator.trim_end()), "200");
}

#[test]
fn a_port_that_is_taken_is_told_with_what_to_do() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let number = holder.local_addr().unwrap().port().to_string();
    let desk = Desk::new().under("COUNTERSIGN_DATA", "data");
    let refused = desk.run(&["serve", "--operator-port", &number, "--agent-port", "0"]);
    assert_snapshot!(refused.replace(&number, "PORT"), @"
    stderr: error: port PORT is taken by another program
    stderr:   help: stop that program, set another port, or serve with `--no-http`
    exit: 1
    ");
    assert_eq!(desk.code(&["serve", "--no-http", "--agent-port", "1"]), 2);
    let desk = desk.with(SETTINGS, format!("[agent]\nport = {number}\n"));
    assert_eq!(desk.code(&["serve", "--operator-port", "0"]), 1);
}

#[test]
fn what_is_not_safe_to_open_is_not_opened() {
    let refused = |settings: &str| {
        let desk = Desk::new().under("COUNTERSIGN_DATA", "data").with(SETTINGS, settings);
        desk.run(&["serve", "--agent-port", "0", "--operator-port", "0"])
    };
    assert_snapshot!(refused("[operator]\naddress = '192.0.2.1'\n"), @"
    stderr: error: 192.0.2.1 can be reached from other machines, and no certificate is set
    stderr:   help: set `tls.certificate` and `tls.key`, or an address such as 127.0.0.1
    exit: 1
    ");
    assert_snapshot!(
        refused("[operator]\naddress = '0.0.0.0'\n[tls]\ncertificate = '/a'\nkey = '/b'\n"), @"
    stderr: error: 0.0.0.0 stands for every address, and no host name is set
    stderr:   help: list the host names in the setting `network.names`
    exit: 1
    ");
    assert_snapshot!(refused("[tls]\ncertificate = '/a'\n"), @"
    stderr: error: only one of `tls.certificate` and `tls.key` is set
    stderr:   help: set both or neither
    exit: 2
    ");
    assert_snapshot!(refused("[network]\nnames = ['http://desk.example']\n"), @"
    stderr: error: `http://desk.example` in `network.names` is not a host name
    stderr:   help: write it without scheme and port: `desk.example`
    exit: 2
    ");
    assert_snapshot!(refused("[network]\nrate = 0\n"), @"
    stderr: error: `network.rate` is 0, which would refuse every request
    stderr:   help: set it to the requests per second of one credential, or remove it
    exit: 2
    ");
    assert_snapshot!(refused("[agent]\ngroup = 'nobody-has-this'\n"), @"
    stderr: error: `agent.group` names the group `nobody-has-this`, which is not in `/etc/group`
    stderr:   help: create it, or set `agent.group` to the number that `getent group` shows for it
    exit: 2
    ");
    assert_snapshot!(refused("[operator]\naddress = 'here'\n"), @"
    stderr: error: `HERE/home/.config/countersign/settings.toml`, line 2: invalid IP address syntax
    stderr:   help: `countersign settings --example` prints a valid file
    exit: 1
    ");
}

//! A daemon as a process of its own, which ends with its owner.

use super::{PATIENCE, TrialResult};
use countersign_client::Connection;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use xtask::bench::runs::Context;
use xtask::failure::Failure;

pub struct Daemon {
    program: PathBuf,
    folder: PathBuf,
    store: String,
    child: Child,
    ports: Ports,
}

/// Where it is met besides its sockets, such as `127.0.0.1:40123`.
struct Ports {
    agent: String,
    operator: String,
}

impl Daemon {
    /// Starts it in a folder with a graph, and waits until it is ready.
    pub fn start(program: &Path, folder: &Path, store: &str) -> TrialResult<Self> {
        let mut command = command(program, folder, store);
        command.args(["serve", "--agent-port", "0", "--operator-port", "0"]);
        command.arg("--graph").arg(folder.join("graph.yaml"));
        let errors = File::create(folder.join("errors")).context("a file for errors")?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().context("the daemon")?;
        let ports = match child.stdout.take().map(read_lines).and_then(|said| find_ports(&said)) {
            Some(ports) => ports,
            None => {
                let _ended = child.kill();
                let _ended = child.wait();
                let errors = std::fs::read_to_string(folder.join("errors")).unwrap_or_default();
                let errors = errors.trim();
                return Err(Failure::new(format!("the daemon did not get ready: {errors}")));
            }
        };
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Ok(Self { program, folder, store: store.to_owned(), child, ports })
    }

    /// Ends it as no program can prevent.
    pub fn kill(&mut self) -> TrialResult<()> {
        self.child.kill().context("ending the daemon")?;
        self.child.wait().context("the end of the daemon").map(drop)
    }

    /// Starts it again on the same record.
    pub fn restart(&mut self) -> TrialResult<()> {
        let again = Self::start(&self.program, &self.folder, &self.store)?;
        // What is dropped here was killed before, or is ended now.
        *self = again;
        Ok(())
    }

    pub fn graph(&self) -> PathBuf {
        self.folder.join("graph.yaml")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub fn agent_port(&self) -> &str {
        &self.ports.agent
    }

    pub fn operator_port(&self) -> &str {
        &self.ports.operator
    }

    /// As the user that this program runs as.
    pub fn agent(&self) -> Connection {
        Connection::new(&self.data().join("agent.sock"), PATIENCE)
    }

    pub fn operator(&self) -> Connection {
        Connection::new(&self.data().join("operator.sock"), PATIENCE)
    }

    /// A connection for an agent with a name and a token of its own.
    pub fn add_agent(&self, name: &str) -> TrialResult<Connection> {
        let added = self.operator().post("/v1/agents", &json!({"agent": name}));
        let added = added.context("adding an agent")?;
        let token = added.get("token").and_then(Value::as_str).map(str::to_owned);
        Ok(self.agent().with_token(token))
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The home of the user that it believes to run as.
    pub fn home(&self) -> &Path {
        &self.folder
    }

    /// The installed hook of Claude Code on this daemon.
    pub fn hook_words(&self) -> Vec<String> {
        let data = self.data().display().to_string();
        let program = self.program.display().to_string();
        [program, "hook".to_owned(), "claude".to_owned(), "--data".to_owned(), data].to_vec()
    }

    /// Another command of the program on this daemon.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = command(&self.program, &self.folder, &self.store);
        command.args(words);
        command
    }

    /// The most memory that it ever needed, in kilobytes.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }

    /// Runs another command of the program on this daemon or its record.
    pub fn run(&self, words: &[&str]) -> TrialResult<Output> {
        let mut command = command(&self.program, &self.folder, &self.store);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().context("a command of the program")?;
        let pid = child.id().to_string();
        let (sender, ended) = channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        match ended.recv_timeout(PATIENCE) {
            Ok(output) => output.context("a command of the program"),
            Err(_) => {
                let _ended = Command::new("kill").args(["-KILL", &pid]).status();
                Err(Failure::new(format!("`countersign {}` does not end", words.join(" "))))
            }
        }
    }

    /// Verifies the ledger and replays it. The error is what the program said.
    pub fn audit(&self) -> TrialResult<Result<(), String>> {
        for command in ["verify", "replay"] {
            let output = self.run(&["ledger", command])?;
            if !output.status.success() {
                let said = [output.stdout, output.stderr].concat();
                let said = String::from_utf8_lossy(&said).into_owned();
                return Ok(Err(format!("ledger {command}: {}", said.trim())));
            }
        }
        Ok(Ok(()))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Runs the program without the settings and variables of the user who runs the trial.
fn command(program: &Path, folder: &Path, store: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", folder).current_dir(folder);
    command.env("COUNTERSIGN_DATA", folder.join("data")).env("COUNTERSIGN_STORE", store);
    command
}

/// What it says, also later, so that it can go on.
fn read_lines(said: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            // Nobody listens any more once it is ready.
            let _unheard = sender.send(line);
        }
    });
    lines
}

/// Two lines name a socket and a port: first the agents', then the operator's.
fn find_ports(said: &Receiver<String>) -> Option<Ports> {
    let mut ports = Vec::new();
    while ports.len() < 2 {
        let line = said.recv_timeout(PATIENCE).ok()?;
        ports.extend(line.split_once(" and http://").map(|(_, port)| port.trim().to_owned()));
    }
    let mut ports = ports.into_iter();
    ports.next().zip(ports.next()).map(|(agent, operator)| Ports { agent, operator })
}

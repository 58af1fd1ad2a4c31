//! The stage: a temporary folder with a workspace, a repository to push to, and a daemon.

use crate::failure::Failure;
use crate::limits;
use countersign_client::{AgentClient, Connection, OperatorClient};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

const GRAPH: &str = include_str!("graph.yaml");
pub(super) const NOTES: &str = "notes.md";
const BEGINNING: &str = "# Release\n\nship on: Monday\n";

/// How long the agent waits for an answer before it goes on without one.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Stage {
    /// Thrown away with everything in it, after the daemon has ended.
    folder: TempDir,
    daemon: Mutex<Option<Child>>,
}

impl Stage {
    pub(super) fn set() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("countersign-demo-").tempdir();
        let folder = folder.map_err(|error| unset(&error))?;
        let (home, workspace) = (folder.path(), folder.path().join("workspace"));
        fs::create_dir(&workspace).map_err(|error| unset(&error))?;
        fs::write(home.join("countersign.yaml"), GRAPH).map_err(|error| unset(&error))?;
        fs::write(workspace.join(NOTES), BEGINNING).map_err(|error| unset(&error))?;
        share(home, &workspace)?;
        let daemon = Mutex::new(Some(daemon(home)?));
        Ok(Self { folder, daemon })
    }

    /// Asks the daemon to end, and waits until it has. The record stays until the stage is gone.
    pub(super) fn end(&self) {
        let daemon = self.daemon.lock().ok().and_then(|mut daemon| daemon.take());
        let Some(mut daemon) = daemon else { return };
        if kill_process(Pid::from_child(&daemon), Signal::TERM).is_err() {
            let _gone = daemon.kill();
        }
        let _ended = daemon.wait();
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// What a shop would know about us.
    pub(super) fn orders(&self) -> PathBuf {
        self.folder.path().join("orders.txt")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn agent(&self) -> AgentClient {
        let timeout = PATIENCE + limits::DAEMON_TIMEOUT;
        AgentClient::new(Connection::new(&self.data().join("agent.sock"), timeout))
    }

    pub(super) fn operator(&self) -> OperatorClient {
        let socket = self.data().join("operator.sock");
        OperatorClient::new(Connection::new(&socket, limits::DAEMON_TIMEOUT))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end();
    }
}

/// The real daemon, in a process of its own.
fn daemon(home: &Path) -> Result<Child, Failure> {
    let this = std::env::current_exe().map_err(|error| unset(&error))?;
    let mut command = Command::new(this);
    command.args(["serve", "--no-http"]).arg("--data").arg(home.join("data"));
    command.arg("--graph").arg(home.join("countersign.yaml"));
    // Nothing of whoever runs this: no settings, no database, no colours in what we read.
    command.env_clear().env("HOME", home);
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawned.spawn().map_err(|error| unset(&error))?;
    let mut first = String::new();
    if let Some(said) = child.stdout.take() {
        let read = BufReader::new(said).read_line(&mut first);
        read.map_err(|error| unset(&error))?;
    }
    if first.starts_with("ready") {
        return Ok(child);
    }
    let _gone = child.kill();
    let ended = child.wait_with_output().map_err(|error| unset(&error))?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let said = said.lines().next().unwrap_or("it said nothing").to_owned();
    Err(Failure::new(format!("the daemon did not start: {said}"), "try `countersign serve`"))
}

/// A repository of the workspace, and another beside it to push to.
fn share(home: &Path, workspace: &Path) -> Result<(), Failure> {
    let remote = home.join("remote.git");
    for words in [
        &["init", "--quiet", "--bare", "--initial-branch=main"][..],
        &["init", "--quiet", "--initial-branch=main"],
        &["add", "--all"],
        &["commit", "--quiet", "--message=Plan the release"],
    ] {
        let mut command = git(workspace);
        command.args(words);
        if words.contains(&"--bare") {
            command.arg(&remote);
        }
        quietly(&mut command)?;
    }
    quietly(git(workspace).args(["remote", "add", "origin"]).arg(&remote))
}

fn quietly(command: &mut Command) -> Result<(), Failure> {
    let output = command.output().map_err(|error| {
        Failure::new(
            format!("`git` cannot be run: {error}"),
            "install git; the demo pushes with it",
        )
    })?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::new(format!("git failed: {}", said.trim()), "look at what git says"))
        }
    }
}

/// Git with nobody's settings: no hooks, no signing, no questions.
pub(super) fn git(workspace: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(workspace).stdin(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for (name, value) in [
        ("GIT_AUTHOR_NAME", "Demonstration"),
        ("GIT_AUTHOR_EMAIL", "demo@example.org"),
        ("GIT_COMMITTER_NAME", "Demonstration"),
        ("GIT_COMMITTER_EMAIL", "demo@example.org"),
    ] {
        command.env(name, value);
    }
    command
}

fn unset(error: &std::io::Error) -> Failure {
    Failure::new(
        format!("the demonstration cannot begin: {error}"),
        "make room in the temporary folder",
    )
}

//! The set-up of the demo: a temporary folder with a workspace, a git remote and a daemon.

use crate::limits;
use countersign_client::{AgentClient, Connection, OperatorClient};
use countersign_console::Failure;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use tempfile::TempDir;

const GRAPH: &str = include_str!("graph.yaml");
pub(super) const NOTES: &str = "notes.md";
const NOTES_TEXT: &str = "# Release\n\nship on: Monday\n";

pub(super) struct DemoSetup {
    /// Removed with its content when this is dropped.
    folder: TempDir,
    daemon: Mutex<Option<Child>>,
}

impl DemoSetup {
    pub(super) fn create() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("countersign-demo-").tempdir();
        let folder = folder.map_err(setup_failure)?;
        let (home, workspace) = (folder.path(), folder.path().join("workspace"));
        fs::create_dir(&workspace).map_err(setup_failure)?;
        fs::write(home.join("countersign.yaml"), GRAPH).map_err(setup_failure)?;
        fs::write(workspace.join(NOTES), NOTES_TEXT).map_err(setup_failure)?;
        create_repositories(home, &workspace)?;
        let daemon = Mutex::new(Some(start_daemon(home)?));
        // An agent can name only a project in which it works.
        std::env::set_current_dir(&workspace).map_err(setup_failure)?;
        Ok(Self { folder, daemon })
    }

    /// Stops the daemon and waits for its end. The record stays.
    pub(super) fn stop_daemon(&self) {
        let daemon = self.daemon.lock().ok().and_then(|mut daemon| daemon.take());
        let Some(mut daemon) = daemon else { return };
        if kill_process(Pid::from_child(&daemon), Signal::TERM).is_err() {
            let _gone = daemon.kill();
        }
        let _status = daemon.wait();
    }

    /// By its real path: the temporary folder may be behind a link.
    pub(super) fn workspace(&self) -> PathBuf {
        let workspace = self.folder.path().join("workspace");
        fs::canonicalize(&workspace).unwrap_or(workspace)
    }

    /// The orders that the shop received.
    pub(super) fn orders(&self) -> PathBuf {
        self.folder.path().join("orders.txt")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn agent(&self) -> AgentClient {
        let timeout = limits::DEMO_ANSWER_TIMEOUT + limits::DAEMON_TIMEOUT;
        AgentClient::new(Connection::new(&self.data().join("agent.sock"), timeout))
    }

    pub(super) fn operator(&self) -> OperatorClient {
        let socket = self.data().join("operator.sock");
        OperatorClient::new(Connection::new(&socket, limits::DAEMON_TIMEOUT))
    }
}

impl Drop for DemoSetup {
    fn drop(&mut self) {
        self.stop_daemon();
    }
}

/// Starts the real daemon as a child process.
fn start_daemon(home: &Path) -> Result<Child, Failure> {
    let program = std::env::current_exe().map_err(setup_failure)?;
    let mut command = Command::new(program);
    command.args(["serve", "--no-http"]).arg("--data").arg(home.join("data"));
    command.arg("--graph").arg(home.join("countersign.yaml"));
    // Without the user's environment: no settings, no database, no colours in the output.
    command.env_clear().env("HOME", home);
    // Ctrl-C is for the demo, which then stops the daemon.
    command.process_group(0);
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawned.spawn().map_err(setup_failure)?;
    let mut first = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut first).map_err(setup_failure)?;
    }
    if first.starts_with("ready") {
        return Ok(child);
    }
    let _gone = child.kill();
    let output = child.wait_with_output().map_err(setup_failure)?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let error = stderr.lines().next().unwrap_or("it printed nothing");
    Err(Failure::new(format!("the daemon did not start: {error}"), "try `countersign serve`"))
}

/// Creates a repository in the workspace, and a remote to push to.
fn create_repositories(home: &Path, workspace: &Path) -> Result<(), Failure> {
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
        run_git(&mut command)?;
    }
    run_git(git(workspace).args(["remote", "add", "origin"]).arg(&remote))
}

fn run_git(command: &mut Command) -> Result<(), Failure> {
    let output = command.output().map_err(|error| {
        Failure::new(
            format!("`git` cannot be run: {error}"),
            "install git; the demo pushes with it",
        )
    })?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::new(format!("git failed: {}", stderr.trim()), "see the message of git"))
        }
    }
}

/// Git without the user's settings: no hooks, no signing, no questions.
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

fn setup_failure(error: std::io::Error) -> Failure {
    let help = "free some space in the temporary folder";
    Failure::new(format!("the demo cannot be set up: {error}"), help)
}

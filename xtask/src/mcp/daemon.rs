//! A daemon of its own, in a temporary folder and on free ports, with its operator.

use super::json::{items_at, text_at};
use super::packages::{create, write};
use super::running::{PATIENCE, Running};
use crate::clock::Stopwatch;
use crate::failure::Failure;
use crate::process::display_command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How long a call is held before its client hears that it is pending: the checks wait for that.
const SETTINGS: &str = "[mcp]\nhold_seconds = 1\n";

pub struct McpDaemon {
    // Ends before its folder is removed.
    _running: Running,
    /// Where agents reach it on HTTP.
    pub address: String,
    program: PathBuf,
    folder: ScratchFolder,
}

impl McpDaemon {
    pub fn start(program: &Path, graph: &str) -> Result<Self, Failure> {
        let folder = ScratchFolder::create()?;
        write(&folder.0.join("graph.yaml"), graph)?;
        write(&folder.0.join("settings.toml"), SETTINGS)?;
        let mut command = with_folder(Command::new(program), &folder.0);
        command.args(["serve", "--agent-port", "0", "--operator-port", "0", "--graph"]);
        let running = Running::start(command.arg(folder.0.join("graph.yaml")))?;
        let ready = running.read_line()?;
        let address = ready.split_once(" and ").map(|(_, address)| address.trim().to_owned());
        let address = address.ok_or_else(|| Failure::new(format!("no address in `{ready}`")))?;
        Ok(Self { _running: running, address, program: program.to_owned(), folder })
    }

    /// A folder for clients and servers, beside the daemon's own.
    pub fn work_folder(&self) -> PathBuf {
        self.folder.0.join("work")
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A program that finds this daemon and leaves the user's own files alone.
    pub fn prepare(&self, command: Command) -> Command {
        let mut command = with_folder(command, &self.folder.0);
        command.current_dir(self.work_folder());
        command
    }

    /// The variables by which a program finds this daemon.
    pub fn variables(&self) -> BTreeMap<&'static str, PathBuf> {
        variables(&self.folder.0)
    }

    /// Runs `countersign` with these words, as the operator.
    pub fn run(&self, words: &[&str]) -> Result<String, Failure> {
        let mut command = self.prepare(Command::new(&self.program));
        let output = command.args(words).stdin(Stdio::null()).output();
        let shown = display_command(&command);
        let output = output.map_err(|error| Failure::new(format!("`{shown}`: {error}")))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(Failure::new(format!("`{shown}`: {}", text(&output.stderr)))),
        }
    }

    /// The token of a new agent.
    pub fn add_agent(&self, name: &str) -> Result<String, Failure> {
        self.run(&["agent", "add", name])
    }

    /// The id of the one question that is open, or will be soon.
    pub fn wait_for_question(&self) -> Result<String, Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            let listed = self.run(&["ls", "--json"])?;
            let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
            match items_at(&listed, &["requests"]) {
                [] => continue,
                [one] => return Ok(text_at(one, &["request"]).to_owned()),
                many => {
                    let headlines = many.iter().map(|one| text_at(one, &["headline"]));
                    let headlines: Vec<&str> = headlines.collect();
                    return Err(Failure::new(format!("several questions: {headlines:?}")));
                }
            }
        }
        Err(Failure::new("nobody asked the operator"))
    }

    pub fn approve(&self) -> Result<(), Failure> {
        let question = self.wait_for_question()?;
        self.run(&["approve", &question]).map(drop)
    }

    pub fn decline(&self, note: &str) -> Result<(), Failure> {
        let question = self.wait_for_question()?;
        self.run(&["decline", &question, "--note", note]).map(drop)
    }
}

fn variables(folder: &Path) -> BTreeMap<&'static str, PathBuf> {
    BTreeMap::from([
        ("HOME", folder.join("home")),
        ("COUNTERSIGN_DATA", folder.join("data")),
        ("COUNTERSIGN_SETTINGS", folder.join("settings.toml")),
    ])
}

/// Servers and clients greet on stderr, so that is not shown. Cargo sets a variable that loads code,
/// and not every client passes it on: the gateway would ask again about a server that it is new to.
fn with_folder(mut command: Command, folder: &Path) -> Command {
    command.envs(variables(folder)).env_remove("LD_LIBRARY_PATH").stderr(Stdio::null());
    command
}

/// Only its owner can enter it.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn create() -> Result<Self, Failure> {
        let name = format!("countersign-mcp-{}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        for part in ["data", "home", "work"] {
            create(&folder.0.join(part))?;
        }
        let closed = std::fs::Permissions::from_mode(0o700);
        for path in [folder.0.clone(), folder.0.join("data")] {
            let set = std::fs::set_permissions(&path, closed.clone());
            set.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        }
        Ok(folder)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // Nothing in it is needed any more.
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

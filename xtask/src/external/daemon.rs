//! A daemon of its own, in a temporary folder and on free ports, with its operator.

use super::folder::SuiteFolder;
use super::json::{items_at, text_at};
use super::line_client::LineClient;
use super::running::{PATIENCE, Running};
use super::write;
use crate::clock::Stopwatch;
use crate::failure::Failure;
use crate::process::display_command;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct SuiteDaemon {
    // Ends before its folder is removed. None after it was killed.
    running: Option<Running>,
    /// Where agents reach it on HTTP.
    pub address: String,
    program: PathBuf,
    folder: SuiteFolder,
}

impl SuiteDaemon {
    /// Starts it with a graph and settings, which are written to the folder: a program that starts it
    /// again later finds them there.
    pub fn start(
        program: &Path,
        folder: SuiteFolder,
        graph: &str,
        settings: &str,
    ) -> Result<Self, Failure> {
        let graph_file = folder.path().join("graph.yaml");
        write(&graph_file, graph)?;
        // A JSON string is TOML too.
        write(&folder.settings(), &format!("graph = {}\n{settings}", json!(graph_file)))?;
        let mut command = folder.prepare(Command::new(program));
        command.args(["serve", "--agent-port", "0", "--operator-port", "0"]);
        let running = Running::start(&mut command)?;
        let ready = running.read_line()?;
        let address = ready.split_once(" and ").map(|(_, address)| address.trim().to_owned());
        let address = address.ok_or_else(|| Failure::new(format!("no address in `{ready}`")))?;
        Ok(Self { running: Some(running), address, program: program.to_owned(), folder })
    }

    /// Ends it without a warning, as a crash would.
    pub fn kill(&mut self) {
        drop(self.running.take());
    }

    pub fn folder(&self) -> &SuiteFolder {
        &self.folder
    }

    /// A folder for clients and servers, beside the daemon's own.
    pub fn work_folder(&self) -> PathBuf {
        self.folder.work()
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A program that finds this daemon and leaves the user's own files alone.
    pub fn prepare(&self, command: Command) -> Command {
        self.folder.prepare(command)
    }

    /// The variables by which a program finds this daemon.
    pub fn variables(&self) -> BTreeMap<&'static str, PathBuf> {
        self.folder.variables()
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

    /// Starts a wrapped server once and lets the operator agree to it.
    pub fn approve_server(&self, wrap: Vec<String>) -> Result<(), Failure> {
        let mut words = wrap.into_iter();
        let mut command = self.prepare(Command::new(words.next().unwrap_or_default()));
        let mut client = LineClient::connect(command.args(words))?;
        self.approve()?;
        client.wait_for("notifications/tools/list_changed")
    }

    /// The token of a new agent.
    pub fn add_agent(&self, name: &str) -> Result<String, Failure> {
        self.run(&["agent", "add", name])
    }

    /// The id of the one question that is open, or will be soon.
    pub fn wait_for_question(&self) -> Result<String, Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            match self.list_questions()?.as_slice() {
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

    /// Returns when no question is open.
    pub fn wait_until_settled(&self) -> Result<(), Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            if self.list_questions()?.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::new("a question is still open"))
    }

    fn list_questions(&self) -> Result<Vec<Value>, Failure> {
        let listed = self.run(&["ls", "--json"])?;
        let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
        Ok(items_at(&listed, &["requests"]).to_vec())
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

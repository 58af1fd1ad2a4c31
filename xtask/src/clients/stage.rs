//! A stage for one scenario: a daemon, a model that plays a script, and a program with its hooks.

use super::Session;
use super::Workshop;
use super::agent::{Agent, EVENTS};
use super::model::Model;
use crate::external::daemon::SuiteDaemon;
use crate::external::folder::SuiteFolder;
use crate::external::json::value_at;
use crate::external::running::Running;
use crate::external::terminal::Terminal;
use crate::external::write;
use crate::failure::Failure;
use crate::process::run_quietly;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rows of a program's terminal.
const ROWS: usize = 50;

/// `touch` is allowed. Every other command asks, and so do edits and tools of servers.
const GRAPH: &str = "domains:
  files: {autonomous: [create], requires_approval: [edit], blocked: []}
  shell:
    {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: moderate}}}
  mcp: {autonomous: [], requires_approval: [call, add_server], blocked: []}
tools:
  Bash: {actions: [shell.run], command: /command}
  Write: {actions: [files.edit], target: /file_path}
  apply_patch: {actions: [files.edit], target: [/input, /command]}
  mcp__*: {actions: [mcp.call]}
commands:
  classes:
    files.create: [touch *]
";

/// The width of the terminals.
pub const COLUMNS: usize = 130;

/// A command that makes the file and asks first.
pub const ASKING: &str = "cp seed.txt made.txt";

pub struct Stage<'w> {
    pub agent: Agent,
    pub daemon: SuiteDaemon,
    /// Of the next prompt.
    pub session: Session,
    pub workshop: &'w Workshop,
    model: Model,
}

/// What came of one prompt.
pub struct Turn {
    /// What the program printed.
    said: String,
    /// What the model heard, one text for each request.
    requests: Vec<String>,
}

impl<'w> Stage<'w> {
    pub fn open(workshop: &'w Workshop, agent: Agent) -> Result<Self, Failure> {
        Self::open_with_graph(workshop, agent, GRAPH)
    }

    pub fn open_with_graph(
        workshop: &'w Workshop,
        agent: Agent,
        graph: &str,
    ) -> Result<Self, Failure> {
        let folder = SuiteFolder::create("clients")?;
        let model = Model::start(&workshop.packages)?;
        run_quietly(Command::new("git").args(["init", "--quiet"]).current_dir(folder.work()))?;
        agent.configure(&folder, &model.address)?;
        agent.write_hooks(&folder, &workshop.program, EVENTS)?;
        let daemon = SuiteDaemon::start(&workshop.program, folder, graph, "")?;
        Ok(Self { agent, daemon, session: Session::New, workshop, model })
    }

    pub fn folder(&self) -> &SuiteFolder {
        self.daemon.folder()
    }

    /// The file that every call would make.
    pub fn file(&self) -> PathBuf {
        self.folder().work().join("made.txt")
    }

    /// What the command that asks copies.
    pub fn write_seed(&self) -> Result<(), Failure> {
        write(&self.folder().work().join("seed.txt"), "seed\n")
    }

    /// Removes the file, if it is there.
    pub fn remove_file(&self) -> Result<(), Failure> {
        match std::fs::remove_file(self.file()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::new(format!("{}: {error}", self.file().display())))
            }
            _ => Ok(()),
        }
    }

    /// A command that makes the file and is allowed.
    pub fn allowed_call(&self) -> Value {
        self.agent.shell_call("touch made.txt")
    }

    /// Gives the program a prompt and waits until it has ended. The model answers with these.
    pub fn say(&mut self, prompt: &str, answers: &[Value]) -> Result<Turn, Failure> {
        self.say_while(prompt, answers, |_| Ok(()))
    }

    /// The same; meanwhile something else happens.
    pub fn say_while(
        &mut self,
        prompt: &str,
        answers: &[Value],
        meanwhile: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<Turn, Failure> {
        self.model.play(answers)?;
        let mut running = Running::start(&mut self.prepare_program(prompt))?;
        running.close_input();
        meanwhile(self)?;
        let said = running.read_to_end().map_err(|failure| {
            let open = self.daemon.run(&["ls", "--plain"]).unwrap_or_default();
            Failure::new(format!("{failure}; open questions: {open}"))
        })?;
        let requests = self.model.take_requests()?;
        Ok(Turn { said, requests: requests.iter().map(read_conversation).collect() })
    }

    /// Starts the program at a terminal. The model answers with these.
    pub fn open_terminal(
        &mut self,
        answers: &[Value],
        columns: usize,
        words: &[&str],
    ) -> Result<Terminal, Failure> {
        self.model.play(answers)?;
        let mut command = self.prepare_bare();
        command.args(words);
        self.agent.prepare_terminal(&mut command, self.folder(), &self.model.address)?;
        Terminal::start(&command, columns, ROWS)
    }

    fn prepare_program(&self, prompt: &str) -> Command {
        let mut command = self.prepare_bare();
        self.agent.prepare(&mut command, self.session, prompt, &self.model.address);
        command
    }

    /// The program without words.
    fn prepare_bare(&self) -> Command {
        let packages = &self.workshop.packages;
        let mut command = Command::new(packages.npm_program(self.agent.name()));
        command.env_clear().env("PATH", packages.search_path());
        self.daemon.prepare(command)
    }

    pub fn expect_made(&self, turn: &Turn) -> Result<(), Failure> {
        match self.file().exists() {
            true => Ok(()),
            false => Err(turn.explain("the call was not carried out")),
        }
    }

    /// The call was not carried out, and the model was told so.
    pub fn expect_blocked(&self, turn: &Turn) -> Result<(), Failure> {
        match self.file().exists() {
            true => Err(turn.explain("the call was carried out")),
            false => turn.expect_heard(self.agent.block_words()),
        }
    }

    /// The command by which a client reaches the server that makes files, through the gateway.
    pub fn wrapped_server(&self) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let mut words = vec![text(&self.workshop.program)];
        words.extend(["mcp", "wrap", "--name", "files", "--"].map(str::to_owned));
        let packages = &self.workshop.packages;
        words.extend([text(&packages.node()), text(&packages.script("server.mjs"))]);
        words
    }
}

impl Turn {
    /// The model heard this after its first answer.
    pub fn expect_heard(&self, words: &str) -> Result<(), Failure> {
        match self.requests.last().is_some_and(|request| request.contains(words)) {
            true => Ok(()),
            false => Err(self.explain(&format!("the model did not hear `{words}`"))),
        }
    }

    fn explain(&self, difference: &str) -> Failure {
        let last = self.requests.last().map_or("nothing", String::as_str);
        // The newest part of a conversation is its end.
        let start = last.char_indices().rev().nth(1200).map_or(0, |(index, _)| index);
        let heard = last.get(start..).unwrap_or_default();
        let said = self.said.trim();
        Failure::new(format!("{difference}; it said `{said}`; the model heard: …{heard}"))
    }
}

/// A request without the tools that it offers.
fn read_conversation(request: &Value) -> String {
    ["messages", "input"].map(|key| value_at(request, &[key]).to_string()).concat()
}

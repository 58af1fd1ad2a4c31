//! The released daemon as a process of its own, with clients that reach it as their users do.

use super::stdio::StdioClient;
use super::{BenchResult, Context, programs, world};
use countersign_client::{Connection, OperatorClient};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use xtask::bench::usage;
use xtask::failure::Failure;

/// How long the daemon may take for an answer to its operator.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Daemon {
    child: Child,
    folder: PathBuf,
}

impl Daemon {
    /// Starts it in a folder, with further settings, and waits until it is ready.
    pub fn start(folder: &Path, settings: &str) -> BenchResult<Self> {
        let graph = folder.join("graph.yaml");
        std::fs::write(&graph, world::GRAPH).context("the graph")?;
        let settings = format!("{settings}\n[network]\nhttp = false\n");
        std::fs::write(folder.join("settings.toml"), settings).context("the settings")?;
        let mut command = countersign(folder)?;
        command.arg("serve").arg("--graph").arg(&graph);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().context("the daemon")?;
        let stdout = child.stdout.take();
        let daemon = Self { child, folder: folder.to_owned() };
        let mut stdout = BufReader::new(stdout.ok_or_else(|| Failure::new("no stdout"))?);
        let mut said = String::new();
        while stdout.read_line(&mut said).context("what the daemon says")? > 0 {
            if said.starts_with("ready") {
                // What it says later must not fill the pipe.
                std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
                return Ok(daemon);
            }
            said.clear();
        }
        Err(Failure::new("the daemon ended before it was ready"))
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The tool server behind `mcp wrap`. The work is done here, so the daemon counts with it.
    pub fn wrap(&self) -> BenchResult<StdioClient> {
        let mut command = countersign(&self.folder)?;
        command.args(["mcp", "wrap", "--name", "tools", "--"]).arg(programs::tool_server()?);
        Ok(StdioClient::connect(&mut command)?.with_process(self.process()))
    }

    /// All servers of the settings behind `mcp serve`.
    pub fn serve_all(&self) -> BenchResult<StdioClient> {
        StdioClient::connect(countersign(&self.folder)?.args(["mcp", "serve"]))
    }

    pub fn memory(&self) -> BenchResult<u64> {
        usage::memory(self.process())
    }

    pub fn operator(&self) -> OperatorClient {
        let socket = self.folder.join("data/operator.sock");
        OperatorClient::new(Connection::new(&socket, PATIENCE))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Our program in a folder of its own, with none of the settings of the user who measures.
fn countersign(folder: &Path) -> BenchResult<Command> {
    let mut command = Command::new(programs::countersign()?);
    command.env_clear().env("HOME", folder).current_dir(folder);
    command.env("COUNTERSIGN_DATA", folder.join("data"));
    command.env("COUNTERSIGN_SETTINGS", folder.join("settings.toml"));
    Ok(command)
}

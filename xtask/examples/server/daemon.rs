//! The released daemon as a process of its own, which ends with its owner.

use super::{BenchResult, Context, world};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use xtask::bench::usage;
use xtask::failure::Failure;

pub struct Daemon {
    child: Child,
    folder: PathBuf,
}

/// What `cargo build --profile dist` made, beside this program's own folder.
pub fn program() -> BenchResult<PathBuf> {
    let this = std::env::current_exe().context("this program")?;
    let beside = this.parent().and_then(Path::parent).map(|target| target.join("countersign"));
    beside.filter(|program| program.is_file()).ok_or_else(|| {
        Failure::new("there is no released program; run this as `cargo xtask bench server`")
    })
}

impl Daemon {
    /// Starts it in a folder, and waits until it is ready.
    pub fn start(folder: &Path) -> BenchResult<Self> {
        Self::start_with(folder, "")
    }

    /// The same, with further settings.
    pub fn start_with(folder: &Path, settings: &str) -> BenchResult<Self> {
        let graph = folder.join("graph.yaml");
        if !graph.exists() {
            std::fs::write(&graph, world::GRAPH).context("the graph")?;
        }
        let mut command = Command::new(program()?);
        command.arg("serve").arg("--data").arg(folder.join("data")).arg("--graph").arg(&graph);
        // None of the settings of the user who measures.
        let settings_file = folder.join("settings.toml");
        std::fs::write(&settings_file, settings).context("the settings")?;
        command.env_clear().env("HOME", folder).env("COUNTERSIGN_SETTINGS", settings_file);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().context("the daemon")?;
        let mut said = String::new();
        let stdout = child.stdout.take();
        let daemon = Self { child, folder: folder.join("data") };
        let mut stdout = BufReader::new(stdout.ok_or_else(|| Failure::new("no stdout"))?);
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

    pub fn agents(&self) -> PathBuf {
        self.folder.join("agent.sock")
    }

    pub fn operator(&self) -> PathBuf {
        self.folder.join("operator.sock")
    }

    /// What it holds now.
    pub fn memory(&self) -> BenchResult<u64> {
        usage::memory(self.child.id())
    }

    /// The most that it ever held.
    pub fn most_memory(&self) -> BenchResult<u64> {
        usage::most_memory(self.child.id())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

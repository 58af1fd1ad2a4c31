//! The way of the first of the earlier systems: a Python script that loads the graph for each call.

use super::setup::HookSetup;
use crate::bench::runs::{BenchResult, Context};
use crate::process::capture;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Reads the event and the graph, and appends what it saw. It decides nothing, which only helps it.
const SCRIPT: &str = "\
import json, os, sys
event = json.load(sys.stdin)
with open(sys.argv[1]) as graph:
    rules = json.load(graph)
with open(sys.argv[2], 'a') as log:
    log.write(json.dumps({'tool': event['tool_name'], 'rules': len(rules)}) + '\\n')
    log.flush()
    os.fsync(log.fileno())
print(json.dumps({'hookSpecificOutput': {'permissionDecision': 'allow'}}))
";

pub(super) struct PythonHook {
    interpreter: String,
    /// The script, the graph and the log.
    files: [PathBuf; 3],
}

impl PythonHook {
    pub(super) fn prepare(setup: &HookSetup) -> BenchResult<Self> {
        // What is found in `PATH` may be a script that starts the interpreter.
        let words = ["-c", "import sys; print(sys.executable)"];
        let interpreter = capture(Command::new("python3").args(words))?.trim().to_owned();
        let files = ["hook.py", "graph.json", "python.log"].map(|name| setup.folder().join(name));
        let [script, graph, _log] = &files;
        fs::write(script, SCRIPT).context("the script")?;
        fs::write(graph, setup.graph_json()?).context("the graph")?;
        Ok(Self { interpreter, files })
    }

    /// Without modules of this user, as in a clean environment.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.env_clear().arg("-I").args(&self.files);
        command
    }
}

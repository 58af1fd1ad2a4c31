//! A daemon with the coding graph, a project beside it, and the events of a program that works there.

use super::spawn::run_with_input;
use crate::bench::runs::{BenchResult, Context};
use crate::clock::Stopwatch;
use crate::external::running::Running;
use crate::failure::Failure;
use crate::process::{capture, run};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(super) struct HookSetup {
    // Ends before its folder is removed.
    _daemon: Running,
    program: PathBuf,
    folder: ScratchFolder,
}

impl HookSetup {
    pub(super) fn start(program: &Path, target: &Path) -> BenchResult<Self> {
        let folder = ScratchFolder::create(target)?;
        let graph = folder.0.join("countersign.yaml");
        fs::create_dir_all(folder.0.join("project/.git")).context("a project")?;
        fs::write(folder.0.join("project/notes.md"), "Notes\n").context("a project")?;
        capture(within(program, &folder.0).args(["graph", "new", "coding"]).arg(&graph))?;
        let daemon =
            Running::start(within(program, &folder.0).arg("serve").arg("--graph").arg(graph))?;
        while !daemon.read_line()?.starts_with("ready") {}
        Ok(Self { _daemon: daemon, program: program.to_owned(), folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// Claude Code reads a file of its project.
    pub(super) fn event(&self, name: &str, number: u32) -> String {
        let project = self.folder.0.join("project");
        let event = serde_json::json!({
            "session_id": "4f1c2a9e-6b0d-4e57-9a38-0c5d7be1f264",
            "transcript_path": project.join("transcript.jsonl"),
            "cwd": project,
            "permission_mode": "default",
            "hook_event_name": name,
            "tool_name": "Read",
            "tool_input": {"file_path": project.join("notes.md")},
            "tool_response": {"type": "text"},
            "tool_use_id": format!("toolu_{number}"),
        });
        event.to_string()
    }

    /// From the start of the process to its end; anything but a yes is a failure.
    pub(super) fn time_allowed_call(&self, number: u32) -> BenchResult<Duration> {
        let (event, mut command) = (self.event("PreToolUse", number), self.hook());
        let watch = Stopwatch::start();
        let answer = run_with_input(&mut command, event.as_bytes())?;
        let took = watch.elapsed();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        match answer.contains(r#""permissionDecision":"allow""#) {
            true => Ok(took),
            false => Err(Failure::new(format!("the call was not allowed: {answer}"))),
        }
    }

    /// Reports that the tool has run, so that no session has thousands of open calls.
    pub(super) fn end_call(&self, number: u32) -> BenchResult<()> {
        let event = self.event("PostToolUse", number);
        run_with_input(&mut self.hook(), event.as_bytes()).map(drop)
    }

    /// The graph in force, as JSON.
    pub(super) fn graph_json(&self) -> BenchResult<String> {
        let graph = self.folder.0.join("countersign.yaml");
        let words = ["graph", "show", "--json", "--graph"];
        capture(within(&self.program, &self.folder.0).args(words).arg(graph))
    }

    fn hook(&self) -> Command {
        let mut command = within(&self.program, &self.folder.0);
        command.args(["hook", "claude", "--data"]).arg(self.folder.0.join("data"));
        command.current_dir(self.folder.0.join("project"));
        command
    }
}

/// None of the settings of the user who measures.
fn within(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", folder).env("COUNTERSIGN_DATA", folder.join("data"));
    command
}

/// `fn main() {}` without a shared library.
pub(super) fn build_empty_program(target: &Path) -> BenchResult<PathBuf> {
    let (source, program) = (target.join("empty.rs"), target.join("empty"));
    fs::write(&source, "fn main() {}\n").context("the empty program")?;
    let mut command = Command::new("rustc");
    command.args(["-O", "-C", "target-feature=+crt-static", "-C", "strip=symbols", "-o"]);
    run(command.arg(&program).arg(&source))?;
    Ok(program)
}

/// Only its owner can enter it.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn create(target: &Path) -> BenchResult<Self> {
        let folder = target.join(format!("scratch-{}", std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&folder).context("a folder for the daemon")?;
        Ok(Self(folder))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // Nothing in it is needed any more.
        let _gone = fs::remove_dir_all(&self.0);
    }
}

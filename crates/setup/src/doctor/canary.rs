//! Runs an installed hook as its program would, with an event of our own.
//!
//! The first event is not whole, so a working hook has to block it. The second is the call of a tool
//! that reads a file. It is made only if the daemon runs, because the hook would start it.

use crate::limits;
use countersign_api::StatusResponse;
use countersign_harness::{BLOCK, HookCommand, Program};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The session of the call, so that nobody wonders about it in the record.
const SESSION: &str = "countersign-doctor-canary";

pub(super) enum CanaryEnd {
    /// It blocked what is not whole, and answered a call.
    Answered,
    /// It blocked what is not whole. The daemon is away.
    Blocked,
    /// It waits for a person.
    Waits,
    Failed(String),
}

pub(super) fn run_canary(
    program: Program,
    command: &HookCommand,
    status: Option<&StatusResponse>,
) -> CanaryEnd {
    let run = |event: &Value| run_hook(command, event, limits::CANARY_TIMEOUT);
    let first = match run(&json!({"hook_event_name": "PreToolUse"})) {
        Ok(run) => run,
        Err(why) => return CanaryEnd::Failed(why),
    };
    match first {
        Some(HookRun { code: Some(code), stderr, .. })
            if code == i32::from(BLOCK) && !stderr.is_empty() => {}
        Some(_) => return CanaryEnd::Failed("it does not block what it cannot read".to_owned()),
        None => return CanaryEnd::Failed("it does not end".to_owned()),
    }
    if status.is_none() {
        return CanaryEnd::Blocked;
    }
    let end = match run(&read_event()) {
        Err(why) => CanaryEnd::Failed(why),
        Ok(None) => CanaryEnd::Waits,
        Ok(Some(run)) => judge_answer(program, &run),
    };
    // The call is over, however it was answered.
    let _ended = run(&json!({"session_id": SESSION, "hook_event_name": "SessionEnd"}));
    end
}

/// A call that reads a file which does not exist, in a folder that is above no home.
fn read_event() -> Value {
    let folder = std::path::Path::new("/usr/share");
    json!({
        "session_id": SESSION,
        "cwd": folder,
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Read",
        "tool_input": {"file_path": folder.join("countersign-canary")},
        "tool_use_id": format!("{SESSION}-{}", std::process::id()),
    })
}

/// Claude Code has to be told a verdict. Codex takes silence for a yes.
fn judge_answer(program: Program, run: &HookRun) -> CanaryEnd {
    let reply: Value = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
    let verdict = reply.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str);
    match (program, run.code, verdict) {
        (_, Some(0), Some("allow" | "deny" | "ask")) => CanaryEnd::Answered,
        (Program::Codex, Some(0), None) if run.stdout.is_empty() || reply.is_object() => {
            CanaryEnd::Answered
        }
        (_, code, _) => {
            let last = run.stderr.lines().last().unwrap_or_default();
            let code = code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            CanaryEnd::Failed(format!("it ended with {code}: {last}"))
        }
    }
}

struct HookRun {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// None if it was still running at the end of the time.
fn run_hook(
    command: &HookCommand,
    event: &Value,
    timeout: Duration,
) -> Result<Option<HookRun>, String> {
    let mut process = match command {
        HookCommand::Exec { program, args } => {
            let mut process = Command::new(program);
            process.args(args);
            process
        }
        HookCommand::Shell(line) => {
            let mut process = Command::new("/bin/sh");
            process.arg("-c").arg(line);
            process
        }
    };
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that a shell and its command can be ended together.
    process.process_group(0);
    let mut child = process.spawn().map_err(|error| {
        format!("`{}` cannot be started: {error}", process.get_program().to_string_lossy())
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing may have ended already.
        let _ended = stdin.write_all(event.to_string().as_bytes());
    }
    Ok(wait(child, timeout))
}

/// Reads both outputs in threads, and ends the process if it takes too long. It is asked to end, so
/// that it withdraws its question.
fn wait(mut child: Child, timeout: Duration) -> Option<HookRun> {
    let (sender, ended) = mpsc::channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let errors = std::thread::spawn(move || read_all(stderr));
    std::thread::spawn(move || sender.send(read_all(stdout)));
    let Ok(stdout) = ended.recv_timeout(timeout) else {
        if let Some(id) = Pid::from_raw(child.id().cast_signed()) {
            let _ended = kill_process_group(id, Signal::TERM);
        }
        let _withdrawn = ended.recv_timeout(timeout);
        let _ended = child.kill();
        let _status = child.wait();
        return None;
    };
    let stderr = errors.join().unwrap_or_default();
    let code = child.wait().ok().and_then(|status| status.code());
    Some(HookRun { code, stdout, stderr })
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _partial = from.map(|from| from.take(limits::MAX_CANARY_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

//! A program that an agent starts in its own shell has a session of its own, below the agent's.

use crate::daemon::Daemon;
use crate::hook::desk;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// A shell under a program's name stands for the program, as if `init` had found it.
fn install_program(daemon: &Daemon) -> String {
    let program = daemon.desk.path("claude");
    fs::copy(fs::canonicalize("/bin/sh").unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = fs::canonicalize(program).unwrap().display().to_string();
    fs::create_dir_all(daemon.desk.path("data/hooks")).unwrap();
    fs::write(daemon.desk.path("data/hooks/claude.program"), &program).unwrap();
    program
}

fn event(session: &str, name: &str, rest: Value) -> String {
    let mut event = json!({"session_id": session, "cwd": "/", "hook_event_name": name});
    let members = event.as_object_mut().unwrap();
    members.extend(rest.as_object().unwrap().clone());
    event.to_string()
}

/// A line of the agent's shell, with HOOK for the hook and `$0` for the program. The events are
/// files. Returns what the hooks print.
fn run_in_shell(daemon: &Daemon, line: &str) -> String {
    let program = install_program(daemon);
    let data = daemon.desk.path("data").display().to_string();
    let hook = format!("{} hook claude --data {data}", env!("CARGO_BIN_EXE_countersign"));
    let mut shell = Command::new(&program);
    shell
        .args(["-c", &line.replace("HOOK", &hook), &program])
        .current_dir(daemon.desk.path("work"));
    shell.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let mut process =
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(process.stdin.take());
    let output = process.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    text(output.stdout) + &text(output.stderr)
}

fn write_event(daemon: &Daemon, file: &str, event: &str) {
    let mut written = fs::File::create(daemon.desk.path("work").join(file)).unwrap();
    written.write_all(event.as_bytes()).unwrap();
}

#[test]
fn a_stop_reaches_a_program_in_the_shell_of_its_agent() {
    let daemon = Daemon::on(desk(), &[]);
    let say =
        |session: &str, text: &str| event(session, "UserPromptSubmit", json!({"prompt": text}));
    let edit = |session: &str| {
        let input = json!({"file_path": daemon.desk.path("work/a"), "content": "x"});
        let call = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": session});
        event(session, "PreToolUse", call)
    };
    write_event(&daemon, "parent", &say("parent", "have another look"));
    write_event(&daemon, "child", &say("child", "do the work"));
    write_event(&daemon, "stop", &say("parent", "stop"));
    write_event(&daemon, "edit", &edit("child"));
    write_event(&daemon, "other", &edit("other"));
    // The program, a shell of its agent, the program again: and a stop while that one works.
    let line = "HOOK < parent; sh -c '\"$0\" -c \"HOOK < child; true\"; true' \"$0\"; HOOK < stop; HOOK < edit; true";
    let said = run_in_shell(&daemon, line);
    assert!(said.contains("stopped"), "{said}");
    // Another session of the same program is not reached.
    let said = run_in_shell(&daemon, "HOOK < other; true");
    assert!(!said.contains("stopped"), "{said}");
}

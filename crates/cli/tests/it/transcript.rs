//! The pages show what the program prints: the first transcript of the guide, and the question in the
//! picture of Claude Code.
//!
//! Run with `UPDATE_TRANSCRIPT=1` to write the transcript anew.

use crate::daemon::Daemon;
use crate::desk::{Desk, is_printed_id};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FENCE: &str = "```console\n";
/// The id that the guide uses for the request that waits.
const SHOWN_ID: &str = "r3e22a1";

fn page_path(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page)
}

/// A command and the lines below it.
fn parse_transcript(block: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => steps.push((command.to_owned(), String::new())),
            None => steps.last_mut().unwrap().1.push_str(&format!("{line}\n")),
        }
    }
    steps
}

/// Ids, digests, instants, users and folders are others every time.
fn normalize(text: &str) -> String {
    let replace = |word: &str| match word {
        word if is_printed_id(word, 33) => "WHOLE_ID".to_owned(),
        word if is_printed_id(word, 7) => "ID".to_owned(),
        word if word.contains('…') => "DIGEST".to_owned(),
        word if word.starts_with("20") && word.ends_with('Z') => "TIME".to_owned(),
        word if word.starts_with("uid-") => "AGENT".to_owned(),
        word => word.to_owned(),
    };
    let mut normal = String::new();
    for part in text.split_inclusive([' ', '\n', ',', '(', ')', '`']) {
        let word = part.trim_end_matches([' ', '\n', ',', '(', ')', '`']);
        normal.push_str(&replace(word));
        normal.push_str(part.get(word.len()..).unwrap());
    }
    normal
}

/// Runs a line of the transcript as a shell would. Both streams are shown, as at a terminal.
fn run_line(daemon: &Daemon, line: &str) -> String {
    let program = daemon.desk.command(&[]);
    let folder = Path::new(program.get_program()).parent().unwrap().display().to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(daemon.desk.path("home/shop"));
    shell.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("PATH", format!("{folder}:/usr/bin:/bin"));
    shell.env("COUNTERSIGN_DATA", daemon.desk.path("data"));
    let output = String::from_utf8(shell.output().unwrap().stdout).unwrap();
    output.replace(daemon.desk.path("home").to_str().unwrap(), "~")
}

/// A daemon with the coding graph, and a repository with a remote.
fn shop() -> Daemon {
    let desk = Desk::empty().with("home/shop/notes.md", "");
    for words in ["init -q -b main", "remote add origin https://git.example.org/shop.git"] {
        let mut git = Command::new("git");
        git.current_dir(desk.path("home/shop")).args(words.split(' '));
        assert!(git.status().unwrap().success());
    }
    assert_eq!(desk.code(&["graph", "new", "coding"]), 0);
    Daemon::on(desk, &[])
}

#[test]
fn the_transcript_of_the_guide_is_what_the_program_prints() {
    let path = page_path("guides/from-the-terminal.md");
    let guide = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = guide.split_once(FENCE).unwrap();
    let (block, after) = rest.split_once("```\n").unwrap();
    let daemon = shop();
    let (mut shown, mut printed) = (String::new(), String::new());
    for (command, output) in parse_transcript(block) {
        let line = match command.contains(SHOWN_ID) {
            true => {
                let id = std::fs::read_to_string(daemon.desk.path("home/id"));
                let id = id.unwrap_or_else(|_| daemon.waiting());
                // The request is not open any more after the answer.
                std::fs::write(daemon.desk.path("home/id"), &id).unwrap();
                command.replace(SHOWN_ID, &id)
            }
            false => command.clone(),
        };
        shown.push_str(&format!("$ {command}\n{output}"));
        printed.push_str(&format!("$ {command}\n{}", run_line(&daemon, &line)));
    }
    #[allow(clippy::disallowed_methods, reason = "a developer asks for it")]
    if std::env::var_os("UPDATE_TRANSCRIPT").is_some() {
        let user = format!("uid-{}", rustix::process::geteuid().as_raw());
        let text = printed.replace(&user, "uid-1000");
        std::fs::write(path, format!("{before}{FENCE}{text}```\n{after}")).unwrap();
        return;
    }
    let help = "run the test with UPDATE_TRANSCRIPT=1 to write the transcript anew";
    assert_eq!(normalize(&shown), normalize(&printed), "{help}");
}

#[test]
fn the_picture_of_claude_code_shows_the_question_of_the_hook() {
    let daemon = shop();
    let input = json!({"command": "git push origin main", "description": "Push the commits"});
    let event = json!({
        "session_id": "s1", "cwd": daemon.desk.path("home/shop"), "tool_use_id": "t1",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input,
    });
    let data = daemon.desk.path("data");
    let mut hook = daemon.desk.command(&["hook", "claude", "--data", data.to_str().unwrap()]);
    hook.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    hook.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = hook.spawn().unwrap();
    process.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let question = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    let question = question.replace(daemon.desk.path("home").to_str().unwrap(), "~");
    let screen = std::fs::read_to_string(page_path("pictures/claude-code.ansi")).unwrap();
    for line in question.lines() {
        let help = "record the screen anew with `cargo xtask recording`";
        assert!(screen.contains(line), "`{line}` is not on the screen; {help}\n{screen}");
    }
}

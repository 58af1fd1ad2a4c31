//! The transcript in the README is what the program prints.
//!
//! Run with `UPDATE_README=1` to write the transcript anew.

use crate::daemon::Daemon;
use crate::desk::{Desk, is_printed_id};
use std::path::{Path, PathBuf};
use std::process::Command;

const FENCE: &str = "```console\n";
/// The id that the README uses for the request that waits.
const SHOWN_ID: &str = "r3e22a1";

fn readme_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")
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

#[test]
fn the_transcript_of_the_readme_is_what_the_program_prints() {
    let readme = std::fs::read_to_string(readme_path()).unwrap();
    assert!(readme.lines().count() <= 95, "{} lines", readme.lines().count());
    let (before, rest) = readme.split_once(FENCE).unwrap();
    let (block, after) = rest.split_once("```\n").unwrap();
    let desk = Desk::empty().with("home/shop/notes.md", "");
    for words in ["init -q -b main", "remote add origin https://git.example.org/shop.git"] {
        let mut git = Command::new("git");
        git.current_dir(desk.path("home/shop")).args(words.split(' '));
        assert!(git.status().unwrap().success());
    }
    assert_eq!(desk.code(&["graph", "new", "coding"]), 0);
    let daemon = Daemon::on(desk, &[]);
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
    if std::env::var_os("UPDATE_README").is_some() {
        let user = format!("uid-{}", rustix::process::geteuid().as_raw());
        let text = printed.replace(&user, "uid-1000");
        std::fs::write(readme_path(), format!("{before}{FENCE}{text}```\n{after}")).unwrap();
        return;
    }
    let help = "run the test with UPDATE_README=1 to write the transcript anew";
    assert_eq!(normalize(&shown), normalize(&printed), "{help}");
}

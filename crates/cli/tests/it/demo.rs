//! The demonstration, from the first word to the last.

use crate::desk::{Desk, code};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStdout, Stdio};

/// What was printed, and what is left in the folder for what is thrown away.
fn run_demo(words: &[&str]) -> (String, usize) {
    let desk = Desk::empty().with("tmp/keep", "");
    let mut command = desk.command(&[&["demo"], words].concat());
    let output = command.env("TMPDIR", desk.path("tmp")).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!((code(&output), &*complaints), (0, ""), "{stdout}");
    (stdout, fs::read_dir(desk.path("tmp")).unwrap().count())
}

/// The lines that begin like one of these, in their order.
fn outline(stdout: &str) -> Vec<&str> {
    let begins =
        ["1.", "2.", "3.", "4.", "5.", "   allowed", "   denied", "HIGH", "CRITICAL", "> "];
    let known = |line: &&str| begins.iter().any(|begin| line.starts_with(begin));
    stdout.lines().filter(known).map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn harmless_calls_pass_risky_ones_ask_and_a_decline_holds() {
    let (stdout, left) = run_demo(&["--auto"]);
    assert_eq!(
        outline(&stdout),
        [
            "1. The agent reads the plan.",
            "   allowed",
            "2. The agent moves the release to Tuesday.",
            "   allowed",
            "3. The agent wants to push.",
            "HIGH risk, not known whether it can be undone",
            "> once",
            "   allowed",
            "4. The agent wants to pay.",
            "CRITICAL risk, can't be undone",
            "> n",
            "   denied",
            "5. The agent tries to pay once more.",
            "   denied",
        ]
    );
    assert!(stdout.contains("pushed to a repository"), "{stdout}");
    assert!(!stdout.contains("wrote an order"), "{stdout}");
    assert!(stdout.contains("\nasked: shop.pay: shop.example\n"), "{stdout}");
    let intact = stdout.lines().rev().find(|line| line.starts_with("intact: "));
    assert!(intact.is_some(), "{stdout}");
    assert_eq!(left, 1, "what it made is thrown away");
    assert!(stdout.contains("\nTo use it: `countersign init`"), "{stdout}");
}

/// Starts the demo, reads its first lines, and does something to it.
fn leave_demo(leave: impl FnOnce(Pid, BufReader<ChildStdout>)) -> (i32, String, usize) {
    let desk = Desk::empty().with("tmp/keep", "");
    let mut command = desk.command(&["demo", "--auto"]);
    command.env("TMPDIR", desk.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut demo = command.spawn().unwrap();
    let mut stdout = BufReader::new(demo.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("1.") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0);
    }
    leave(Pid::from_child(&demo), stdout);
    let output = demo.wait_with_output().unwrap();
    let left = fs::read_dir(desk.path("tmp")).unwrap().count();
    (code(&output), String::from_utf8(output.stderr).unwrap(), left)
}

#[test]
fn leaving_with_ctrl_c_or_a_closed_pipe_is_no_error() {
    let closed = leave_demo(|_, stdout| drop(stdout));
    assert_eq!(closed, (0, String::new(), 1));
    let mut rest = String::new();
    let interrupted = leave_demo(|pid, mut stdout| {
        kill_process(pid, Signal::INT).unwrap();
        stdout.read_to_string(&mut rest).unwrap();
    });
    assert_eq!(interrupted, (0, String::new(), 1), "{rest}");
    assert!(rest.contains("\nTo use it: "), "{rest}");
}

#[test]
fn without_a_terminal_the_demo_answers_itself_and_says_so() {
    let (stdout, _) = run_demo(&[]);
    assert!(stdout.contains("There is no terminal here"), "{stdout}");
}

//! The demonstration, from the first word to the last.

use crate::desk::{Desk, code};
use std::fs;

/// What was printed, and what is left in the folder for what is thrown away.
fn demonstrated(words: &[&str]) -> (String, usize) {
    let desk = Desk::empty().with("tmp/keep", "");
    let mut command = desk.command(&[&["demo"], words].concat());
    let output = command.env("TMPDIR", desk.path("tmp")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!((code(&output), &*complaints), (0, ""), "{said}");
    (said, fs::read_dir(desk.path("tmp")).unwrap().count())
}

/// The lines that begin like one of these, in their order.
fn outline(said: &str) -> Vec<&str> {
    let begins =
        ["1.", "2.", "3.", "4.", "5.", "   allowed", "   denied", "HIGH", "CRITICAL", "> "];
    let known = |line: &&str| begins.iter().any(|begin| line.starts_with(begin));
    said.lines().filter(known).map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn what_is_harmless_passes_what_matters_is_asked_and_a_no_is_heard() {
    let (said, left) = demonstrated(&["--auto"]);
    assert_eq!(
        outline(&said),
        [
            "1. The agent reads the plan.",
            "   allowed",
            "2. The agent moves the release to Tuesday.",
            "   allowed",
            "3. The agent wants to push.",
            "HIGH risk, CANNOT BE UNDONE",
            "> once",
            "   allowed",
            "4. The agent wants to pay.",
            "CRITICAL risk, CANNOT BE UNDONE",
            "> n",
            "   denied",
            "5. The agent tries to pay once more.",
            "   denied",
        ]
    );
    assert!(said.contains("pushed to a repository"), "{said}");
    assert!(!said.contains("holds an order"), "{said}");
    assert!(said.contains("\nasked: shop.pay: shop.example\n"), "{said}");
    let intact = said.lines().rev().find(|line| line.starts_with("intact: "));
    assert!(intact.is_some(), "{said}");
    assert_eq!(left, 1, "what it made is thrown away");
}

#[test]
fn without_a_terminal_it_answers_by_itself_and_says_so() {
    let (said, _) = demonstrated(&[]);
    assert!(said.contains("There is no terminal here"), "{said}");
}

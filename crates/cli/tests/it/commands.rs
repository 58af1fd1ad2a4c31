//! `commands explain` and `test --commands`: rules held against command lines.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn explain(rule: &str, command: &str) -> String {
    let words = ["commands", "explain", "--workspace", "/w", "--rule", rule, "--", command];
    Desk::empty().run(&words)
}

#[test]
fn every_segment_shows_its_words_and_its_rule() {
    let rules = "allow git log *; allow wc *; allow bash *";
    assert_snapshot!(explain(rules, "git log --author='A B' | wc -l 2>&1"), @r#"
    match
    1. git log '--author=A B'
       argv  ["git","log","--author=A B"]
       rule  allow git log *
    2. wc -l 2>&1
       argv  ["wc","-l"]
       rule  allow wc *
    warning: `allow bash *`: an interpreter runs whatever it is given; the rule has to name its script
    exit: 0
    "#);
}

#[test]
fn a_question_says_what_no_rule_covers() {
    assert_snapshot!(explain("allow git log *", "git log --output=x; ls"), @r#"
    ask: `git` is not covered: `--output=x` is not on the table of `git log`
    1. git log --output=x
       argv  ["git","log","--output=x"]
       none  `--output=x` is not on the table of `git log`
    2. ls
       argv  ["ls"]
       none  no rule names it
    exit: 8
    "#);
    assert_snapshot!(explain("allow ls *", "ls $HOME"), @r"
    ask: something is expanded (at byte 4)
    exit: 8
    ");
}

#[test]
fn a_refusal_names_its_rule() {
    assert_snapshot!(explain("deny rm *", "sudo sh -c 'rm -rf x'"), @r#"
    deny: a deny rule holds: `deny rm *`
    1. sudo sh -c 'rm -rf x'
       argv  ["sudo","sh","-c","rm -rf x"]
       none  no rule names it
    exit: 5
    "#);
    assert_snapshot!(explain("allow ls *", "ls\u{202e}x"), @r"
    deny: it holds a character that controls or reorders what is shown
    exit: 5
    ");
}

#[test]
fn a_rule_that_is_none_is_shown_with_its_place() {
    assert_snapshot!(explain("allow git log *; permit ls", "ls"), @r"
    stderr: error: `permit` begins no rule
    stderr:  --> --rule:1:18
    stderr:   |
    stderr: 1 | allow git log *; permit ls
    stderr:   |                  ^
    stderr:   = help: write `allow PROGRAM …`, `deny PROGRAM …`, `deny path PATH` or `none`
    exit: 1
    ");
}

#[test]
fn an_explanation_in_json_says_the_same() {
    let words = ["commands", "explain", "--json", "--rule", "allow ls *", "--", "ls 'a b'"];
    let value: Value = serde_json::from_slice(&Desk::empty().output(&words).stdout).unwrap();
    let segment =
        json!({"argv": ["ls", "a b"], "redirections": [], "rule": "allow ls *", "why": null});
    let expected =
        json!({"v": 1, "verdict": "match", "why": null, "segments": [segment], "warnings": []});
    assert_eq!(value, expected);
}

fn scored(rows: &str) -> String {
    Desk::empty().with("rows.jsonl", rows).run(&["test", "--commands", "rows.jsonl"])
}

fn row(id: &str, rule: &str, command: &str, expected: &str) -> String {
    let row = json!({"id": id, "allowlisted_rule": rule, "command": command,
                     "expected": expected, "why": "because"});
    format!("{row}\n")
}

#[test]
fn rows_are_counted_and_those_that_miss_are_shown() {
    let rows = [
        row("A", "allow ls *", "ls", "match"),
        row("B", "allow ls *", "ls", "ask"),
        row("C", "none", "ls", "deny"),
        row("D", "deny ls *", "ls", "ask"),
        row("E", "none", "ls", "match"),
        row("F", "permit ls", "ls", "ask"),
    ];
    assert_snapshot!(scored(&rows.concat()), @r"
    1 hard
    1 soft
    1 harsh
    1 friction
    hard: B: expected ask, got match
      rule     allow ls *
      command  ls
    soft: C: expected deny, got ask
      rule     none
      command  ls
      because  `ls` is not covered: no rule names it
    harsh: D: expected ask, got deny
      rule     deny ls *
      command  ls
      because  a deny rule holds
    friction: E: expected match, got ask
      rule     none
      command  ls
      because  `ls` is not covered: no rule names it
    stderr: F: the rule is not understood: `permit` begins no rule; write `allow PROGRAM …`, `deny PROGRAM …`, `deny path PATH` or `none`
    exit: 1
    ");
}

#[test]
fn without_a_hard_miss_the_exit_code_is_zero() {
    assert!(scored(&row("C", "none", "ls", "deny")).ends_with("exit: 0"));
}

#[test]
fn rows_that_cannot_be_read_are_shown_with_their_place() {
    assert_snapshot!(scored("\n{\"id\": 1}\nnonsense\n"), @r#"
    stderr: error: `expected` is missing
    stderr:  --> rows.jsonl:2:1
    stderr:   |
    stderr: 2 | {"id": 1}
    stderr:   | ^
    stderr:   = help: write one object on each line: {"id": …, "allowlisted_rule": …, "command": …, "expected": "match" | "ask" | "deny", "why": …}
    stderr: error: this is not JSON: expected ident at line 1 column 2
    stderr:  --> rows.jsonl:3:1
    stderr:   |
    stderr: 3 | nonsense
    stderr:   | ^
    stderr:   = help: write one object on each line: {"id": …, "allowlisted_rule": …, "command": …, "expected": "match" | "ask" | "deny", "why": …}
    exit: 1
    "#);
    assert_snapshot!(scored(""), @r#"
    stderr: error: `rows.jsonl` holds no row, so that nothing was tested
    stderr:   help: write one object on each line: {"id": …, "allowlisted_rule": …, "command": …, "expected": "match" | "ask" | "deny", "why": …}
    exit: 1
    "#);
}

#[test]
fn the_corpus_has_no_hard_miss() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/commands.jsonl");
    let shown = Desk::empty().run(&["test", "--commands", corpus]);
    assert!(shown.starts_with("0 hard\n0 soft\n2 harsh\n0 friction\n"), "{shown}");
    assert!(shown.ends_with("exit: 0"), "{shown}");
}

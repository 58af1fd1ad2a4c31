//! Bad input: an error with position and help, a non-zero exit code, and nothing is allowed.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;

/// The same failure for every command that reads the graph, and not a word on stdout of those
/// that would allow something.
fn refused(desk: &Desk, graph: &str) -> String {
    let output = desk.output(&["check", "email", "read", "1", "--graph", graph]);
    assert!(output.stdout.is_empty(), "something was answered");
    let check = desk.run(&["check", "email", "read", "1", "--graph", graph]);
    assert!(check.ends_with("exit: 1"), "{check}");
    for command in ["check", "lint", "show"] {
        assert_eq!(desk.code(&["graph", command, graph]), 1, "{command}");
    }
    assert_eq!(desk.code(&["graph", "review", "--yes", "--graph", graph]), 1);
    check
}

#[test]
fn a_graph_that_does_not_exist() {
    assert_snapshot!(refused(&Desk::empty(), "gone.yaml"), @"
    stderr: error: cannot read `gone.yaml`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
}

#[test]
fn a_folder_instead_of_a_graph() {
    let desk = Desk::empty().with("graphs.yaml/a.txt", "");
    assert_snapshot!(refused(&desk, "graphs.yaml"), @"
    stderr: error: cannot read `graphs.yaml`: it is a folder
    stderr:   help: name a file in it
    exit: 1
    ");
}

#[test]
fn a_graph_without_an_extension() {
    assert_snapshot!(refused(&Desk::empty().with("graph", GRAPH), "graph"), @"
    stderr: error: the format of the graph `graph` is not known
    stderr:   help: rename it so that it ends in `.yaml`, `.toml` or `.json`
    exit: 1
    ");
}

#[test]
fn a_graph_that_is_too_large() {
    let desk = Desk::empty().with("big.yaml", vec![b'#'; (16 << 20) + 1]);
    assert_snapshot!(refused(&desk, "big.yaml"), @"
    stderr: error: `big.yaml` has 16777217 bytes; the limit is 16777216
    stderr:   help: split it, or remove what it does not need
    exit: 1
    ");
}

#[cfg(unix)]
#[test]
fn a_device_without_an_end() {
    let desk = Desk::empty();
    std::os::unix::fs::symlink("/dev/zero", desk.path("zero.json")).unwrap();
    assert_snapshot!(refused(&desk, "zero.json"), @"
    stderr: error: `zero.json` has more than 16777216 bytes; the limit is 16777216
    stderr:   help: split it, or remove what it does not need
    exit: 1
    ");
}

#[test]
fn bytes_that_are_not_utf8() {
    let desk = Desk::empty().with("g.yaml", b"domains:\n  em\xffail: {}\n");
    assert_snapshot!(refused(&desk, "g.yaml"), @"
    stderr: error: the byte at offset 13 is not UTF-8
    stderr:  --> g.yaml:2:5
    stderr:   |
    stderr: 2 |   em�ail: {}
    stderr:   |     ^
    stderr:   = help: save the file as UTF-8
    exit: 1
    ");
}

#[test]
fn an_empty_file() {
    assert_snapshot!(refused(&Desk::empty().with("g.json", ""), "g.json"), @"
    stderr: error: expected a value, found the end of the file
    stderr:  --> g.json:1:1
    stderr:   = help: JSON has objects, lists, strings in double quotes, numbers, `true`, `false` and `null`; it has no comments and no comma after the last entry
    exit: 1
    ");
}

#[test]
fn an_action_in_two_lists() {
    let text = "domains:\n  email: {autonomous: [read], requires_approval: [], blocked: [read]}\n";
    assert_snapshot!(refused(&Desk::empty().with("g.yaml", text), "g.yaml"), @"
    stderr: error: `read` is listed in both `autonomous` and `blocked`
    stderr:  --> g.yaml:2:64
    stderr:   |
    stderr: 2 | …mail: {autonomous: [read], requires_approval: [], blocked: [read]}
    stderr:   |                                                              ^^^^
    stderr:   = help: keep it in one list; an action has exactly one tier
    exit: 1
    ");
}

#[test]
fn an_unknown_key() {
    let text = format!("{GRAPH}consent_dceay: {{}}\n");
    assert_snapshot!(refused(&Desk::empty().with("g.yaml", text), "g.yaml"), @"
    stderr: error: `consent_dceay` is neither a key of a graph nor a domain with its three lists
    stderr:   --> g.yaml:10:1
    stderr:    |
    stderr: 10 | consent_dceay: {}
    stderr:    | ^^^^^^^^^^^^^
    stderr:    = help: did you mean `consent_decay`?
    exit: 1
    ");
}

#[test]
fn names_that_would_control_the_terminal() {
    let text = "{\"email\": {\"autonomous\": [\"re\\u001b[2Jad\\u202e\"], \"requires_approval\": [], \"blocked\": []}}";
    let printed = refused(&Desk::empty().with("g.json", text), "g.json");
    assert!(!printed.contains('\u{1b}') && !printed.contains('\u{202e}'), "{printed:?}");
    assert_snapshot!(printed, @r#"
    stderr: error: `re\u{1b}[2Jad\u{202e}` cannot be an action: a name of an action may not contain `\u{1b}`
    stderr:  --> g.json:1:27
    stderr:   |
    stderr: 1 | {"email": {"autonomous": ["re\u001b[2Jad\u202e"], "requires_approval": [], "blocked": []}}
    stderr:   |                           ^^^^^^^^^^^^^^^^^^^^^
    stderr:   = help: name the action with letters, digits, `_`, `-` or `.`
    exit: 1
    "#);
    let raw = "email: {autonomous: [a\u{202e}b\u{200b}]}\n";
    let printed = refused(&Desk::empty().with("g.yaml", raw), "g.yaml");
    assert!(!printed.contains('\u{202e}') && !printed.contains('\u{200b}'), "{printed:?}");
}

#[test]
fn a_very_long_key_is_not_printed_to_its_end() {
    let text = format!("{}: 1\n", "k".repeat(1 << 20));
    let desk = Desk::empty().with("g.yaml", text);
    assert!(refused(&desk, "g.yaml").len() < 2_000);
}

#[test]
fn a_case_with_ten_megabytes_of_arguments_is_denied() {
    let body = "x".repeat(10 << 20);
    let step = format!("  - call: email.read\n    args: {{body: {body}}}\n    expect:");
    let case = |expect: &str| format!("story: too much\nsteps:\n{step} {expect}\n");
    let desk = Desk::new().with("cases/denied.yaml", case("deny\n    because: malformed"));
    let words = ["test", "cases", "--graph", "countersign.yaml"];
    assert_snapshot!(desk.run(&words), @"
    1 passed, 0 failed
    exit: 0
    ");
    assert_snapshot!(Desk::new().with("cases/allowed.yaml", case("allow")).run(&words), @r#"
    failed: cases/allowed.yaml:3: step 1 of "too much"
      expected  allow
      got       deny
      because   deny malformed: the call is malformed: the arguments cannot be recorded: the value is larger than 1048576 bytes
    0 passed, 1 failed
    exit: 1
    "#);
}

#[test]
fn a_case_that_is_too_large_or_not_utf8() {
    let desk = Desk::new()
        .with("cases/big.yaml", vec![b'#'; (16 << 20) + 1])
        .with("cases/bytes.yaml", b"story: \xff\n");
    assert_snapshot!(desk.run(&["test", "cases"]), @"
    error: `cases/big.yaml` has 16777217 bytes; the limit is 16777216
     --> cases/big.yaml:1:1
      = help: split it, or remove what it does not need
    error: the byte at offset 7 is not UTF-8
     --> cases/bytes.yaml:1:8
      |
    1 | story: �
      |        ^
      = help: save the file as UTF-8
    0 passed, 2 failed
    exit: 1
    ");
}

#[test]
fn a_story_that_would_control_the_terminal() {
    let case = "story: \"a\\e[2Jb\\u202E\"\nsteps:\n  - call: email.read\n    expect: deny\n";
    let printed =
        Desk::new().with("c.yaml", case).run(&["test", "c.yaml", "--graph", "countersign.yaml"]);
    assert_snapshot!(printed, @r#"
    failed: c.yaml:3: step 1 of "a\u{1b}[2Jb\u{202e}"
      expected  deny
      got       allow
      because   allow autonomous: email.read (autonomous, risk low)
    0 passed, 1 failed
    exit: 1
    "#);
}

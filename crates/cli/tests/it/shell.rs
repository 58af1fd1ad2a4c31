//! Help, version, completions and manual pages.

use crate::desk::Desk;
use insta::assert_snapshot;

#[test]
fn help_starts_with_examples() {
    for words in
        [&["--help"][..], &["check", "--help"], &["graph", "review", "-h"], &["test", "-h"]]
    {
        let output = Desk::empty().output(words);
        let help = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        let (examples, usage) = (help.find("Examples:").unwrap(), help.find("Usage:").unwrap());
        assert!(examples < usage, "{help}");
    }
    assert_snapshot!(Desk::empty().run(&["--help"]));
    assert_snapshot!(Desk::empty().run(&["check", "--help"]));
}

#[test]
fn the_version_is_one_line() {
    let version = concat!("countersign ", env!("CARGO_PKG_VERSION"), "\nexit: 0");
    assert_eq!(Desk::empty().run(&["--version"]), version);
}

#[test]
fn no_command_shows_the_help_and_fails() {
    assert_eq!(Desk::empty().code(&[]), 2);
    assert_eq!(Desk::empty().code(&["graph"]), 2);
}

#[test]
fn an_unknown_command_or_option_suggests() {
    assert_snapshot!(Desk::empty().run(&["chek"]), @"
    stderr: error: unrecognized subcommand 'chek'
    stderr: 
    stderr:   tip: a similar subcommand exists: 'check'
    stderr: 
    stderr: Usage: countersign <COMMAND>
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(Desk::new().run(&["check", "email", "read", "--jsn"]), @"
    stderr: error: unexpected argument '--jsn' found
    stderr: 
    stderr:   tip: a similar argument exists: '--json'
    stderr: 
    stderr: Usage: countersign check --json <DOMAIN> <ACTION> [CONFIDENCE]
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = Desk::empty().output(&["completions", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(script.contains("review") && script.contains("completions"), "{shell}");
    }
    assert_eq!(Desk::empty().code(&["completions", "tcsh"]), 2);
}

#[test]
fn manual_pages_are_printed_or_written_one_for_each_command() {
    let desk = Desk::empty();
    let page = String::from_utf8(desk.output(&["man"]).stdout).unwrap();
    assert!(page.contains(".TH countersign 1") && page.contains("Examples:"), "{page}");
    assert_eq!(desk.code(&["man", "pages/man1"]), 0);
    for name in ["countersign.1", "countersign-check.1", "countersign-graph-review.1"] {
        assert!(desk.path("pages/man1").join(name).is_file(), "{name}");
    }
    assert_eq!(desk.with("file", "").code(&["man", "file"]), 1);
}

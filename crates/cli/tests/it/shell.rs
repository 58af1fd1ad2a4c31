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
    stderr: Usage: countersign [OPTIONS] <COMMAND>
    stderr: 
    stderr: For more information, try '--help'.
    exit: 2
    ");
    assert_snapshot!(Desk::new().run(&["check", "email", "read", "--jsn"]), @"
    stderr: error: unexpected argument '--jsn' found
    stderr: 
    stderr:   tip: a similar argument exists: '--json'
    stderr: 
    stderr: Usage: countersign check --json <ACTION>...
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

/// All commands and subcommands that have a help text.
const COMMANDS: &str = "
demo serve status doctor ls show approve decline notices grants revoke pause resume watch agent gate
run why log workflow check graph test commands ledger inspect import settings openapi completions man
notices-ls notices-ack grants-add grants-review agent-add graph-check graph-lint graph-diff graph-show
graph-review graph-new graph-trust graph-lock commands-explain ledger-verify ledger-erase ledger-query
import-consent-system";

#[test]
fn help_texts_are_wrapped_once() {
    for name in COMMANDS.split_whitespace() {
        let mut words: Vec<&str> = match name {
            "import-consent-system" => vec!["import", "consent-system"],
            name => name.split('-').collect(),
        };
        words.push("--help");
        let help = Desk::empty().under("COLUMNS", "80").output(&words).stdout;
        let help = String::from_utf8(help).unwrap();
        let lines: Vec<&str> = help.lines().collect();
        for pair in lines.windows(2) {
            let (line, next) = (pair[0], pair[1]);
            // clap does not wrap this line.
            let is_usage = line.starts_with("Usage:");
            assert!(line.chars().count() <= 80 || is_usage, "{words:?}: {line}");
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
            if !is_prose(line) || !is_prose(next) {
                continue;
            }
            let word = next.split(' ').next().unwrap();
            let would_fit = line.chars().count() + 1 + word.chars().count() <= 80;
            assert!(
                !would_fit,
                "{words:?}: `{word}` would fit into the line before:\n{line}\n{next}"
            );
        }
    }
}

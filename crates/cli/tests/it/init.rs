//! `init`: what it writes into the settings of coding agents, what it leaves alone, and when it asks.

use crate::desk::Desk;
use crate::watch::TestTerminal;
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

pub const CLAUDE: &str = "home/.claude/settings.json";
pub const CODEX: &str = "home/.codex/hooks.json";
const GRAPH: &str = "home/.config/countersign/countersign.yaml";

/// The configurations of the harness crate with this ending, each with its settings file at a desk.
pub fn configurations(ending: &str) -> Vec<(PathBuf, &'static str, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/configurations");
    let mut found = Vec::new();
    for (program, file) in [("claude", CLAUDE), ("codex", CODEX)] {
        for entry in fs::read_dir(folder.join(program)).unwrap() {
            let path = entry.unwrap().path();
            if path.to_str().unwrap().ends_with(ending) {
                let content = fs::read(&path).unwrap();
                found.push((path, file, content));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// Without the long diffs.
fn without_diff(text: &str) -> String {
    let is_diff = |line: &&str| line.starts_with(['+', '-', ' ', '@']) && !line.starts_with("  ");
    text.lines().filter(|line| !is_diff(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn without_a_terminal_and_without_yes_it_shows_the_changes_and_writes_nothing() {
    let desk = Desk::empty().with(CLAUDE, "{\n  \"model\": \"opus\"\n}\n");
    let shown = desk.run(&["init"]);
    assert!(shown.contains("+            \"onFailure\": \"block\"\n"), "{shown}");
    assert_snapshot!(without_diff(&shown), @"
    Claude Code: would be guarded by this change
    HERE/home/.claude/settings.json
    graph: HERE/home/.config/countersign/countersign.yaml would be created
    stderr: error: cannot ask for confirmation: stdin is not a terminal
    stderr:   help: read the list above, then run it again with `--yes`
    exit: 2
    ");
    assert_eq!(desk.text(CLAUDE), "{\n  \"model\": \"opus\"\n}\n");
    assert!(!desk.path(GRAPH).exists());
}

#[test]
fn a_dry_run_writes_nothing() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    assert!(desk.run(&["init", "--dry-run"]).ends_with("because this is a dry run\nexit: 0"));
    assert_eq!(desk.text(CLAUDE), "{}");
    assert!(!desk.path("home/.local").exists());
    assert!(!desk.path(GRAPH).exists());
}

#[test]
fn with_yes_it_guards_what_it_finds_and_says_what_comes_next() {
    let desk = Desk::empty().with(CLAUDE, "{}").with("home/.codex/config.toml", "");
    assert_snapshot!(without_diff(&desk.run(&["init", "--yes"])), @"
    Claude Code: would be guarded by this change
    HERE/home/.claude/settings.json
    Codex: would be guarded by this change
    HERE/home/.codex/hooks.json
    graph: HERE/home/.config/countersign/countersign.yaml would be created
    wrote HERE/home/.config/countersign/countersign.yaml with the preset balanced
    our hooks are in the settings of Claude Code
    our hooks are in the settings of Codex
    chosen without asking: all programs that were found; the preset balanced (`--preset` chooses another); no service (`--service` installs one)
    next:
      Claude Code: start open sessions again, so that they are guarded
      Codex: start it and choose `Trust all and continue`; until then it runs none of our hooks
      answer questions with `countersign watch` in a second terminal
      check everything with `countersign doctor`
    exit: 0
    ");
    assert!(
        desk.text(CLAUDE).contains("\"hook\", \"claude\", \"--data\""),
        "{}",
        desk.text(CLAUDE)
    );
    assert!(desk.text(CODEX).contains("exit 2' "));
    assert_eq!(desk.code(&["graph", "check"]), 0);
}

#[test]
fn a_second_time_it_changes_nothing() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    desk.run(&["init", "--yes"]);
    let (settings, graph) = (desk.text(CLAUDE), desk.text(GRAPH));
    assert!(desk.run(&["init"]).starts_with("Claude Code: guarded already\n"));
    assert_eq!((desk.text(CLAUDE), desk.text(GRAPH)), (settings, graph));
}

#[test]
fn only_the_named_programs_are_guarded() {
    let desk = Desk::empty().with(CLAUDE, "{}").with(CODEX, "{}");
    assert_eq!(desk.code(&["init", "--yes", "--agents", "codex"]), 0);
    assert_eq!(desk.text(CLAUDE), "{}");
    assert_ne!(desk.text(CODEX), "{}");
    assert_eq!(desk.code(&["init", "--yes", "--agents", "emacs"]), 2);
}

#[test]
fn a_machine_without_a_coding_agent_is_told_so() {
    assert_snapshot!(Desk::empty().under("PATH", "/nonexistent").run(&["init", "--yes"]), @"
    stderr: error: neither Claude Code nor Codex was found on this machine
    stderr:   help: install one of them first, or name one with `--agents`
    exit: 1
    ");
}

#[test]
fn a_program_that_moved_its_settings_is_guarded_there() {
    let desk = Desk::empty().with("elsewhere/settings.json", "{}").with(CLAUDE, "{}");
    let folder = desk.path("elsewhere").to_str().unwrap().to_owned();
    let desk = desk.under("CLAUDE_CONFIG_DIR", &folder);
    assert_eq!(desk.code(&["init", "--yes"]), 0);
    assert_eq!(desk.text(CLAUDE), "{}");
    assert!(desk.text("elsewhere/settings.json").contains("PreToolUse"));
}

#[test]
fn a_broken_file_stays_as_it_is_and_the_other_program_is_still_guarded() {
    for (path, file, content) in configurations(".broken.json") {
        let other = if file == CLAUDE { CODEX } else { CLAUDE };
        let desk = Desk::empty().with(file, &content).with(other, "{}");
        let printed = desk.run(&["init", "--yes"]);
        let message = fs::read_to_string(path.with_extension("txt")).unwrap();
        assert!(printed.contains(message.trim()), "{printed}");
        assert!(printed.contains("is not guarded"), "{printed}");
        assert!(printed.ends_with("exit: 1"), "{printed}");
        assert_eq!(fs::read(desk.path(file)).unwrap(), content);
        assert!(desk.text(other).contains("PreToolUse"));
    }
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    fs::set_permissions(desk.path(CLAUDE), Permissions::from_mode(0o444)).unwrap();
    let printed = desk.run(&["init", "--yes"]);
    assert!(printed.contains("settings.json` is read-only; nothing was changed"), "{printed}");
    assert!(printed.ends_with("exit: 1"), "{printed}");
    assert_eq!(desk.text(CLAUDE), "{}");
    assert!(!desk.path("home/.local/share/countersign/installed/claude").exists());
}

#[test]
fn a_link_to_nothing_is_an_error() {
    let desk = Desk::empty().with("home/.claude/other", "");
    symlink("gone.json", desk.path(CLAUDE)).unwrap();
    let printed = desk.run(&["init", "--yes"]);
    assert!(printed.contains("is a link to a file that does not exist"), "{printed}");
}

#[test]
fn a_pipe_in_place_of_the_settings_is_an_error_and_no_hang() {
    let desk = Desk::empty().with("home/.claude/other", "");
    let made = std::process::Command::new("mkfifo").arg(desk.path(CLAUDE)).status().unwrap();
    assert!(made.success());
    let printed = desk.run(&["init", "--yes"]);
    assert!(
        printed.contains("settings.json` is not a regular file; nothing was changed"),
        "{printed}"
    );
    assert!(printed.ends_with("exit: 1"), "{printed}");
}

#[test]
fn a_key_that_turns_hooks_off_is_told() {
    let desk = Desk::empty().with(CLAUDE, "{\"disableAllHooks\": true}");
    let printed = desk.run(&["init", "--yes"]);
    assert!(
        printed.contains("`disableAllHooks` in `HERE/home/.claude/settings.json` turns hooks off")
    );
    assert!(printed.contains("Claude Code is not guarded"), "{printed}");
    assert!(printed.ends_with("exit: 1"), "{printed}");
}

#[test]
fn a_graph_that_is_there_is_never_replaced() {
    let desk = Desk::empty().with(CLAUDE, "{}").with(GRAPH, crate::desk::GRAPH);
    let printed = desk.run(&["init", "--yes", "--preset", "careful"]);
    assert!(
        printed.contains("stays as it is (in your config folder)\n  the preset is not changed")
    );
    assert_eq!(desk.text(GRAPH), crate::desk::GRAPH);
}

#[test]
fn the_preset_of_a_new_graph_can_be_named() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    assert_eq!(desk.code(&["init", "--yes", "--preset", "careful"]), 0);
    assert!(desk.text(GRAPH).contains("\npreset: careful\n"));
    assert_eq!(desk.code(&["init", "--yes", "--preset", "cautious"]), 2);
}

#[test]
fn at_a_terminal_it_asks_before_it_writes() {
    let desk = Desk::empty().with(CLAUDE, "{}");
    let mut terminal = TestTerminal::open(&desk, &["init", "--no-service"], "xterm");
    terminal.expect("Write these changes? [y/N] ");
    terminal.type_keys("n\r");
    assert_eq!(terminal.wait_for_exit(), 6);
    assert_eq!(desk.text(CLAUDE), "{}");

    let mut terminal = TestTerminal::open(&desk, &["init", "--no-service"], "xterm");
    terminal.expect("Write these changes? [y/N] ");
    terminal.type_keys("y\r");
    terminal.expect("Nothing of them is kept or sent. [y/N] ");
    terminal.type_keys("y\r");
    terminal.expect("there is no call in the transcripts of the last 30 days");
    terminal.expect("Which preset? [balanced] ");
    terminal.type_keys("brave\r");
    terminal.expect("there is no such preset");
    terminal.expect("Which preset? [balanced] ");
    terminal.type_keys("trusting\r");
    terminal.expect("our hooks are in the settings of Claude Code");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(desk.text(GRAPH).contains("\npreset: trusting\n"));
}

#[test]
fn transcripts_are_counted_only_if_somebody_says_so() {
    let transcript = include_str!("../../../harness/tests/transcripts/claude.jsonl")
        .replace("\"timestamp\"", "\"formerly\"");
    let desk =
        Desk::empty().with(CLAUDE, "{}").with("home/.claude/projects/shop/a.jsonl", transcript);
    let desk = desk.under("PATH", "/nonexistent");
    assert!(!desk.run(&["init", "--dry-run"]).contains("would have asked"));
    let printed = desk.run(&["init", "--dry-run", "--read-transcripts"]);
    let figures: Vec<&str> =
        printed.lines().filter(|line| line.contains("would have asked")).collect();
    assert_snapshot!(figures.join("\n"), @"
    *careful* would have asked 3 times in 3 calls
    *balanced* would have asked 3 times in 3 calls
    *trusting* would have asked 3 times in 3 calls
    ");
    desk.run(&["init", "--yes"]);
    let printed = desk.run(&["init", "--dry-run", "--read-transcripts"]);
    assert!(printed.contains("your graph would have asked"), "{printed}");
}

#[test]
fn old_calls_are_not_counted() {
    let transcript = include_str!("../../../harness/tests/transcripts/claude.jsonl")
        .replace("2026-11-", "2001-11-");
    let desk =
        Desk::empty().with(CLAUDE, "{}").with("home/.claude/projects/shop/a.jsonl", transcript);
    let printed = desk.run(&["init", "--dry-run", "--read-transcripts"]);
    assert!(printed.contains("there is no call in the transcripts"), "{printed}");
}

const RULES: &str = r#"{"permissions": {"allow": ["Bash(my-tool run:*)", "WebFetch(domain:a.b)"],
  "deny": ["Bash(git push:*)", "Read(./secrets/**)"]}}"#;

#[test]
fn rules_of_a_program_are_shown_and_imported_only_if_somebody_says_so() {
    let desk = Desk::empty().with(CLAUDE, RULES);
    let shown = without_diff(&desk.run(&["init", "--yes"]));
    let (_, rules) = shown.split_once("would be created\n").unwrap();
    let (rules, _) = rules.split_once("wrote ").unwrap();
    assert_snapshot!(rules, @r#"
    rules of your programs, which can be imported into the new graph:
      deny:
        - "git push *"
        - "path ./secrets"
      allow:
        - "my-tool run *"
    rules that a graph does not express:
      Read(./secrets/**): imported for command lines only; for file tools, write a policy
      WebFetch(domain:a.b): a host is allowed by your answer, or by a policy
    "#);
    assert!(!desk.text(GRAPH).contains("Imported by"));

    let desk = Desk::empty().with(CLAUDE, RULES).with(
        "home/.codex/rules/mine.rules",
        "prefix_rule(pattern=[\"rm\"], decision=\"forbidden\")",
    );
    assert_eq!(desk.code(&["init", "--yes", "--import-rules"]), 0);
    assert!(
        desk.text(GRAPH)
            .contains("    - \"git push *\"\n    - \"path ./secrets\"\n    - \"rm *\"\n")
    );
    assert_eq!(desk.code(&["graph", "check"]), 0);
    assert_eq!(desk.code(&["commands", "explain", "--", "git push origin main"]), 5);
}

#[test]
fn rules_for_a_graph_that_is_there_are_only_printed() {
    let desk = Desk::empty().with(CLAUDE, RULES).with(GRAPH, crate::desk::GRAPH);
    let printed = desk.run(&["init", "--yes", "--import-rules"]);
    assert!(printed.contains("as lines that you can add below `commands` of your graph:"));
    assert_eq!(desk.text(GRAPH), crate::desk::GRAPH);
}

#[test]
fn a_service_is_refused_where_nobody_runs_services() {
    let desk = Desk::empty().with(CLAUDE, "{}").under("PATH", "/nonexistent");
    let printed = desk.run(&["init", "--yes", "--service"]);
    assert!(printed.contains("nobody runs services of a user here"), "{printed}");
}

/// The command before a tool in the hooks of Codex, with another program in it.
fn codex_command(desk: &Desk, program: &Path) -> String {
    let hooks: serde_json::Value = serde_json::from_str(&desk.text(CODEX)).unwrap();
    let command = hooks.pointer("/hooks/PreToolUse/0/hooks/0/command").unwrap().as_str().unwrap();
    let own = env!("CARGO_BIN_EXE_countersign");
    assert_eq!(command.matches(own).count(), 1, "{command}");
    command.replace(own, program.to_str().unwrap())
}

#[test]
fn codex_is_refused_a_tool_if_our_program_is_missing_or_dies() {
    let desk = Desk::empty();
    desk.run(&["init", "--yes", "--agents", "codex"]);
    let stub = desk.path("stub");
    let run = || {
        let line = codex_command(&desk, &stub);
        let output = std::process::Command::new("/bin/sh").args(["-c", &line]).output().unwrap();
        (output.status.code().unwrap(), !output.stderr.is_empty())
    };
    assert_eq!(run(), (2, true), "there is no program");
    for (script, end) in [
        ("exit 0", (0, false)),
        ("echo no >&2; exit 2", (2, true)),
        ("exit 1", (2, true)),
        ("exit 101", (2, true)),
        ("kill -9 $$", (2, true)),
    ] {
        fs::write(&stub, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&stub, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(run(), end, "{script}");
    }
    fs::set_permissions(&stub, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(run(), (2, true), "it cannot be executed");
}

#[test]
fn a_program_that_does_not_read_its_settings_is_not_called_guarded() {
    let desk = Desk::empty().with(CLAUDE, "{\n  // mine\n}\n");
    let printed = desk.run(&["init", "--yes"]);
    assert!(
        printed.contains("line 2, column 3: comments and trailing commas are not allowed"),
        "{printed}"
    );
    assert!(printed.contains("Claude Code is not guarded\nexit: 1"), "{printed}");
    assert!(desk.text(CLAUDE).contains("// mine"));
    assert!(
        desk.run(&["doctor"])
            .contains("it is not guarded: HERE/home/.claude/settings.json: line 2")
    );
}

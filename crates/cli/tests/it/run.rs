//! `countersign run`: what was decided about is what runs.

use crate::daemon::Daemon;
use crate::desk::Desk;
use insta::assert_snapshot;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};

const GRAPH: &str = "\
domains:
  shell: {trust_level: high, autonomous: [], requires_approval: [run], blocked: []}
tools:
  Bash: {actions: [shell.run], command: /command}
commands: {allow: [], deny: [rm *]}
";

pub fn daemon() -> Daemon {
    Daemon::on(Desk::empty().with("countersign.yaml", GRAPH), &[])
}

fn now(words: &[&str]) -> Vec<String> {
    let all = [&["run", "--wait", "0"], words].concat();
    all.into_iter().map(str::to_owned).collect()
}

fn run(daemon: &Daemon, words: &[&str]) -> String {
    let all = now(words);
    daemon.run(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Says yes to what waits, for the session.
fn yes(daemon: &Daemon) {
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting(), "--session"]), 0);
}

#[test]
fn nothing_runs_before_an_approval_and_then_the_words_run_unchanged() {
    let daemon = daemon();
    let words = ["--", "printf", "%s|", "a b", "$HOME", "*", ";", ""];
    assert_snapshot!(run(&daemon, &words), @"
    stderr: not run: the operator hasn't allowed shell.run yet
    stderr: it waits as ID (call ID): `countersign approve ID` allows it once
    exit: 8
    ");
    yes(&daemon);
    assert_snapshot!(run(&daemon, &words), @"
    a b|$HOME|*|;||exit: 0
    ");
    // One word more is another command.
    assert_snapshot!(run(&daemon, &[&words[..], &["more"]].concat()), @"
    stderr: not run: the operator hasn't allowed shell.run yet
    stderr: it waits as ID (call ID): `countersign approve ID` allows it once
    exit: 8
    ");
}

#[test]
fn the_exit_code_is_that_of_the_command_and_its_effect_is_recorded() {
    let daemon = daemon();
    for (script, code, effect) in [
        ("exit 0", 0, "succeeded"),
        ("exit 3", 3, "failed"),
        ("kill -9 $$", 137, "it is unknown whether"),
    ] {
        let words = ["--", "sh", "-c", script];
        assert!(run(&daemon, &words).ends_with("exit: 8"));
        // A yes to a shell is for one call.
        assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
        assert!(run(&daemon, &words).ends_with(&format!("exit: {code}")), "{script}");
        let last = daemon.desk.run(&["log", "--kind", "call_completed", "--last", "1"]);
        assert!(last.contains(effect), "{script}: {last}");
    }
}

#[test]
fn a_variable_reaches_the_command_only_if_it_is_named_and_the_card_shows_it() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).under("LD_PRELOAD_X", "evil");
    let daemon = Daemon::on(desk, &[]);
    let words = ["--", "printenv", "LD_PRELOAD_X"];
    run(&daemon, &words);
    yes(&daemon);
    assert_snapshot!(run(&daemon, &words), @"
    exit: 1
    ");
    let named = [&["--env", "LD_PRELOAD_X"], &words[..]].concat();
    assert_snapshot!(run(&daemon, &named), @"
    stderr: not run: the operator hasn't allowed shell.run yet
    stderr: it waits as ID (call ID): `countersign approve ID` allows it once
    exit: 8
    ");
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    assert!(card.contains("LD_PRELOAD_X=evil printenv LD_PRELOAD_X"), "{card}");
    assert_snapshot!(run(&daemon, &["--env", "NOBODY_SET_IT", "--", "true"]), @"
    stderr: error: the variable `NOBODY_SET_IT` is not set, or its value is not UTF-8
    stderr:  help: set it, or leave `--env` out
    exit: 2
    ");
}

#[test]
fn a_program_that_an_agent_can_replace_is_named_by_its_file() {
    let desk =
        Desk::empty().with("countersign.yaml", GRAPH).with("bin/mine", "#!/bin/sh\necho mine\n");
    let path = format!("{}:/usr/bin:/bin", desk.path("bin").display());
    let desk = desk.under("PATH", &path);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(desk.path("bin/mine"), executable).unwrap();
    let daemon = Daemon::on(desk, &[]);
    run(&daemon, &["--", "mine"]);
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    assert!(card.contains("HERE/bin/mine"), "{card}");
    yes(&daemon);
    assert_snapshot!(run(&daemon, &["--", "mine"]), @"
    mine
    exit: 0
    ");
}

#[test]
fn a_program_behind_a_link_keeps_the_name_that_it_was_called_by() {
    let desk = Desk::empty()
        .with("countersign.yaml", GRAPH)
        .with("bin/busy", std::fs::read("/bin/sh").unwrap());
    std::os::unix::fs::symlink("busy", desk.path("bin/mine")).unwrap();
    let path = format!("{}:/usr/bin:/bin", desk.path("bin").display());
    let desk = desk.under("PATH", &path);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(desk.path("bin/busy"), executable).unwrap();
    let daemon = Daemon::on(desk, &[]);
    let words = ["--", "mine", "-c", "echo $0"];
    run(&daemon, &words);
    yes(&daemon);
    assert_snapshot!(run(&daemon, &words), @"
    HERE/bin/mine
    exit: 0
    ");
}

#[test]
fn a_program_that_changes_before_the_answer_does_not_run() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).with("mine", "#!/bin/sh\necho mine\n");
    let file = desk.path("mine");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let daemon = Daemon::on(desk, &[]);
    let mut asking = daemon.desk.command(&["run", "--wait", "60", "--", "./mine"]);
    let asking = asking.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !daemon.desk.run(&["ls", "--json"]).contains("\"request\":") {}
    std::fs::write(&file, "#!/bin/sh\necho evil\n").unwrap();
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    let output = asking.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    // The yes was for what was there before, and pinned that: the other content asks.
    assert!(stderr.contains("not run: the operator hasn't allowed shell.run yet"), "{stderr}");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(8), 0));
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
}

/// Starts `run` in a folder, waits until it asks, changes something, says yes, and returns what
/// `run` did.
pub fn run_with_change(
    daemon: &Daemon,
    folder: &str,
    words: &[&str],
    change: impl FnOnce(),
) -> Output {
    let data = daemon.desk.path("data").display().to_string();
    let mut asking =
        daemon.desk.command(&[&["run", "--data", &data, "--wait", "60", "--"], words].concat());
    asking.current_dir(daemon.desk.path(folder));
    let asking = asking.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !daemon.desk.run(&["ls", "--json"]).contains("\"request\":") {}
    change();
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    asking.wait_with_output().unwrap()
}

fn assert_not_run(output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let was_noticed = stderr.contains("in the meantime; it was not run");
    // A program with another content than the pinned one asks again.
    let asks = stderr.contains("not run: ")
        && stderr.contains("the operator hasn't allowed shell.run yet");
    assert!(was_noticed || asks, "{stderr}");
    let code = if was_noticed { 1 } else { 8 };
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0));
}

#[test]
fn a_folder_that_was_renamed_before_the_answer_is_not_the_folder_of_the_card() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).with("work/note", "shown");
    let daemon = Daemon::on(desk, &[]);
    let (work, away) = (daemon.desk.path("work"), daemon.desk.path("away"));
    let output = run_with_change(&daemon, "work", &["cat", "note"], || {
        std::fs::rename(&work, &away).unwrap();
        std::fs::create_dir(&work).unwrap();
        std::fs::write(work.join("note"), "looked at").unwrap();
    });
    assert_not_run(&output);
    // Unchanged, it runs where the card says.
    let output = run_with_change(&daemon, "work", &["cat", "note"], || ());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "looked at");
}

#[test]
fn a_script_that_an_interpreter_is_given_must_not_change_before_the_answer() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH).with("mine.sh", "echo mine\n");
    let daemon = Daemon::on(desk, &[]);
    let file = daemon.desk.path("mine.sh");
    let output = run_with_change(&daemon, "", &["sh", "mine.sh"], || {
        std::fs::write(&file, "echo evil\n").unwrap();
    });
    assert_not_run(&output);
}

/// Maps a file, dirties the page, and writes the rest when told to: no time stamp shows it.
const WRITE_BY_MMAP: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    memory = mmap.mmap(file.fileno(), 0)
memory[0:1] = memory[0:1]
print('mapped', flush=True)
sys.stdin.readline()
at = memory.find(b'mine')
memory[at:at + 4] = b'evil'
print('written', flush=True)
sys.stdin.readline()
";

#[test]
fn a_script_that_is_changed_through_a_mapping_does_not_run() {
    for words in [&["./mine"][..], &["sh", "mine"]] {
        let desk =
            Desk::empty().with("countersign.yaml", GRAPH).with("mine", "#!/bin/sh\necho mine\n");
        let file = desk.path("mine");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut writer = std::process::Command::new("python3")
            .args(["-c", WRITE_BY_MMAP])
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = writer.stdin.take().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "mapped");
        let daemon = Daemon::on(desk, &[]);
        let output = run_with_change(&daemon, "", words, || {
            writeln!(input).unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), "written");
        });
        drop(input);
        writer.wait().unwrap();
        assert_not_run(&output);
    }
}

#[test]
fn a_yes_that_was_given_back_is_not_for_another_file() {
    let daemon = daemon_with_broken_script();
    // It cannot be started, so the yes is given back.
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 1"));
    std::fs::write(daemon.desk.path("mine"), "#!/bin/sh\necho evil\n").unwrap();
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
}

/// A daemon with an approved script whose interpreter is missing.
fn daemon_with_broken_script() -> Daemon {
    let desk = Desk::empty().with("countersign.yaml", GRAPH);
    let script = format!("#!{}\necho mine\n", desk.path("reader").display());
    let desk = desk.with("mine", script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(desk.path("mine"), executable).unwrap();
    let daemon = Daemon::on(desk, &[]);
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    daemon
}

#[test]
fn a_command_that_cannot_start_uses_up_no_approval() {
    let daemon = daemon_with_broken_script();
    assert_snapshot!(run(&daemon, &["--", "./mine"]), @"
    stderr: error: the command could not be started: No such file or directory (os error 2)
    stderr:  help: check the program, and try again
    exit: 1
    ");
    let last = daemon.desk.run(&["log", "--kind", "call_completed", "--last", "1"]);
    assert!(last.contains("was not executed"), "{last}");
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 1"));
    // The interpreter is a program that nobody has seen, so another yes is needed.
    std::os::unix::fs::symlink("/bin/sh", daemon.desk.path("reader")).unwrap();
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting()]), 0);
    assert_snapshot!(run(&daemon, &["--", "./mine"]), @"
    mine
    exit: 0
    ");
    // The yes that was given back is left, for one more call.
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 0"));
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
}

#[test]
fn a_command_that_cannot_start_has_failed_if_the_operators_plane_is_unreachable() {
    let daemon = daemon_with_broken_script();
    // As for an agent that runs as another user.
    let (socket, away) = (daemon.desk.path("data/operator.sock"), daemon.desk.path("data/away"));
    std::fs::rename(&socket, &away).unwrap();
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 1"));
    std::fs::rename(&away, &socket).unwrap();
    let last = daemon.desk.run(&["log", "--kind", "call_completed", "--last", "1"]);
    assert!(last.contains("failed"), "{last}");
    assert!(run(&daemon, &["--", "./mine"]).ends_with("exit: 8"));
}

#[test]
fn a_denied_unknown_or_unreadable_command_does_not_run() {
    let daemon = daemon();
    let file = daemon.desk.path("kept");
    std::fs::write(&file, "x").unwrap();
    assert_snapshot!(run(&daemon, &["--", "rm", "kept"]), @"
    stderr: not run: shell.run is blocked by the command rules: deny rm *
    exit: 5
    ");
    assert!(file.exists());
    assert_snapshot!(run(&daemon, &["--", "no-such-program"]), @"
    stderr: error: no program `no-such-program` was found
    stderr:  help: name an executable program that exists
    exit: 2
    ");
    assert_snapshot!(run(&daemon, &["--", "printf", "a\u{202e}b"]), @"
    stderr: not run: shell.run is blocked by the command rules: it contains a character that controls or reorders the display
    exit: 5
    ");
    assert_eq!(daemon.desk.code(&["run"]), 2);
    assert_eq!(daemon.desk.code(&["run", "true"]), 2);
    assert_eq!(Desk::new().code(&["run", "--data", "nowhere", "--", "true"]), 1);
}

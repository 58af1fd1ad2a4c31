//! `countersign run` of a git command, in a repository whose configuration names programs.

use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::run::run_with_change;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const GRAPH: &str = "\
domains:
  shell: {trust_level: high, autonomous: [], requires_approval: [run], blocked: []}
tools:
  Bash: {actions: [shell.run], command: /command}
commands: {allow: [git status], deny: []}
";

/// Records its run beside itself, and passes its input on.
const PROGRAM: &str = "#!/bin/sh\necho ran >> \"$(dirname \"$0\")/marks\"\ncat\n";

/// A repository with a changed file, and a program beside it.
fn daemon() -> Daemon {
    let desk = Desk::empty()
        .with("countersign.yaml", GRAPH)
        .with("programs/planted", PROGRAM)
        .with("work/a.txt", "first\n")
        .with("work/.gitattributes", "*.txt filter=one\n")
        .with("home/.gitconfig", "[user]\n\tname = n\n\temail = n@example.org\n")
        .under("PATH", "/usr/local/bin:/usr/bin:/bin");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(desk.path("programs/planted"), executable).unwrap();
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        run_git(&desk, words);
    }
    fs::write(desk.path("work/a.txt"), "second\n").unwrap();
    Daemon::on(desk, &[])
}

fn run_git(desk: &Desk, words: &[&str]) {
    let mut git = Command::new("git");
    git.args(words).current_dir(desk.path("work"));
    let git = git.env("HOME", desk.path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(git.status().unwrap().success(), "{words:?}");
}

fn plant(daemon: &Daemon, key: &str) {
    let program = daemon.desk.path("programs/planted");
    run_git(&daemon.desk, &["config", key, program.to_str().unwrap()]);
}

/// Runs a command after a yes, and says whether the planted program ran.
fn runs_planted(daemon: &Daemon, words: &[&str]) -> bool {
    let marks = daemon.desk.path("programs/marks");
    if marks.exists() {
        fs::remove_file(&marks).unwrap();
    }
    let output = run_with_change(daemon, "work", words, || {
        let card = daemon.desk.run(&["show", &daemon.waiting()]);
        let written = words.join(" ");
        assert!(card.contains(&written) && !card.contains("core.fsmonitor"), "{card}");
    });
    assert!(output.status.success(), "{words:?}: {output:?}");
    marks.exists()
}

#[test]
fn a_rule_covers_a_git_command_until_a_setting_names_a_program() {
    let daemon = daemon();
    let data = daemon.desk.path("data").display().to_string();
    let run = || {
        let words = ["run", "--data", &data, "--wait", "0", "--", "git", "status"];
        let mut command = daemon.desk.command(&words);
        command.current_dir(daemon.desk.path("work")).output().unwrap().status.code()
    };
    assert_eq!(run(), Some(0));
    plant(&daemon, "core.fsmonitor");
    assert_eq!(run(), Some(8), "it asks");
    run_git(&daemon.desk, &["config", "core.fsmonitor", "false"]);
    assert_eq!(run(), Some(0));
}

#[test]
fn an_approved_git_command_runs_without_the_programs_of_its_configuration() {
    let daemon = daemon();
    plant(&daemon, "core.fsmonitor");
    plant(&daemon, "diff.external");
    for (own, words) in [
        (&["status"][..], &["git", "status"][..]),
        (&["diff"], &["git", "diff"]),
        (&["diff"], &["timeout", "60", "git", "diff"]),
    ] {
        // Git itself would run it.
        run_git(&daemon.desk, own);
        assert!(daemon.desk.path("programs/marks").exists(), "{words:?}");
        assert!(!runs_planted(&daemon, words), "{words:?}");
    }
}

/// It is a part of the result, and the operator was asked.
#[test]
fn a_content_filter_runs_as_it_is_configured() {
    let daemon = daemon();
    plant(&daemon, "filter.one.clean");
    assert!(runs_planted(&daemon, &["git", "add", "a.txt"]));
    let stored = Command::new("git")
        .args(["show", ":a.txt"])
        .current_dir(daemon.desk.path("work"))
        .env("HOME", daemon.desk.path("home"))
        .output()
        .unwrap();
    assert_eq!(stored.stdout, b"second\n");
}

//! Solvers that are missing, hang, crash or talk nonsense: none of them proves anything.

use crate::written::{GRAPH, effort, line, written};
use countersign_prove::{Answer, Effort, Proof, Unavailable, prove};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Asked about two graphs of which the second allows more, with a script for a solver.
fn asked(script: &str) -> Result<Proof, Unavailable> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("cvc5");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    ask(&program, Duration::from_millis(1500))
}

fn ask(program: &Path, limit: Duration) -> Result<Proof, Unavailable> {
    let permit = |folder: &str| {
        format!(
            "permit(principal, action == Action::\"files.write\", resource)
             when {{ context.facts.under.contains(\"{folder}\") }};"
        )
    };
    let (old, new) = (written(GRAPH, &permit("/tmp")), written(GRAPH, &permit("/")));
    prove(old.side(), new.side(), &Effort { program: program.into(), limit })
}

/// The sentence about a solver that failed before the first question.
fn refused(script: &str) -> String {
    match asked(script) {
        Err(Unavailable::Unusable { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// A solver that is the real one for the questions whose answers are known, and then this.
fn later(then: &str) -> String {
    format!(
        "case \"$1\" in --version) echo cvc5; exit 0;; esac
         count=$(cat \"$0.count\" 2>/dev/null || echo 0)
         while read -r line; do
           echo \"$line\"
           case \"$line\" in *check-sat*) count=$((count + 1)); echo $count > \"$0.count\";; esac
           if [ $count -ge 3 ]; then break; fi
         done | cvc5 \"$@\"
         {then}"
    )
}

fn not_proved(proof: &Proof) -> Vec<String> {
    let unproved = |answer: &Answer| matches!(answer, Answer::NotProved(_));
    proof.findings.iter().filter(|f| unproved(&f.answer)).filter_map(line).collect()
}

#[test]
fn a_solver_that_is_not_there_is_missing() {
    let found = ask(Path::new("/nowhere/cvc5"), effort().limit);
    assert_eq!(found, Err(Unavailable::Missing("/nowhere/cvc5".into())));
}

#[test]
fn a_solver_that_hangs_is_not_waited_for() {
    assert_eq!(refused("exec sleep 600"), "it gave no answer in 1.5 s");
    let only_asked = "[ \"$1\" = --version ] && exit 0; exec sleep 600";
    assert_eq!(refused(only_asked), "the solver gave no answer in 1.5 s");
}

#[test]
fn a_solver_that_crashes_is_not_relied_on() {
    let why = refused("[ \"$1\" = --version ] && exit 0; kill -9 $$");
    assert!(why.contains("terminated") || why.contains("IO error"), "{why}");
    let why = refused("exit 3");
    assert!(why.contains("terminated") || why.contains("IO error"), "{why}");
}

#[test]
fn a_solver_that_talks_nonsense_is_not_relied_on() {
    let why = refused("while read -r line; do echo 'sure \\033[31m, whatever'; done");
    assert!(why.contains("unrecognized solver output"), "{why}");
    assert!(!why.contains('\u{1b}'), "{why:?}");
}

#[test]
fn a_solver_that_says_the_same_to_everything_is_found_out() {
    let always = |word: &str| {
        format!("while read -r line; do case \"$line\" in *check-sat*) echo {word};; esac; done")
    };
    let wrong = "it gave a wrong answer to a question whose answer is known";
    assert_eq!(refused(&always("unsat")), wrong);
    let why = refused(&always("sat"));
    assert!(!why.is_empty());
    assert_eq!(refused(&always("unknown")), "the solver found no answer in its time");
}

#[test]
fn a_solver_that_fails_later_proves_nothing_that_it_was_asked_then() {
    // Whether a crash is met in asking or in listening is a matter of moments.
    let crashed = &["terminated", "IO error"][..];
    for (then, whys) in [("exec sleep 600", &["no answer in 1.5 s"][..]), ("kill -9 $$", crashed)] {
        let proof = asked(&later(then)).unwrap();
        let found = not_proved(&proof);
        assert_eq!(found.len(), 2, "{found:?}");
        for (line, level) in found.iter().zip(["without asking", "with approval"]) {
            assert!(line.starts_with(&format!("files.write {level}: not proved")), "{line}");
            assert!(whys.iter().any(|why| line.contains(why)), "{line}");
        }
    }
}

#[test]
fn a_question_without_time_is_not_proved() {
    let found = ask(Path::new("cvc5"), Duration::from_micros(1));
    assert!(matches!(found, Err(Unavailable::Unusable { .. })), "{found:?}");
}

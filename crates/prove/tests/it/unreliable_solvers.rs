//! Solvers that are missing, hang, crash or print nonsense prove nothing.

use crate::fixture::{GRAPH, load_test_graph, result_line, test_settings};
use countersign_prove::{Proof, ProofError, ProofResult, SolverSettings, prove};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Compares two graphs, of which the second allows more, with a script as the solver.
fn prove_with_script(script: &str) -> Result<Proof, ProofError> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("cvc5");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    prove_with_program(&program, Duration::from_millis(1500))
}

fn prove_with_program(program: &Path, time_limit: Duration) -> Result<Proof, ProofError> {
    let permit = |folder: &str| {
        format!(
            "permit(principal, action == Action::\"files.write\", resource)
             when {{ context.facts.under.contains(\"{folder}\") }};"
        )
    };
    let (old, new) =
        (load_test_graph(GRAPH, &permit("/tmp")), load_test_graph(GRAPH, &permit("/")));
    prove(old.side(), new.side(), &SolverSettings { program: program.into(), time_limit })
}

/// Why a solver was refused before the first question.
fn refusal_message(script: &str) -> String {
    match prove_with_script(script) {
        Err(ProofError::SolverUnreliable { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// A script that runs the real solver for the known questions, and then `then`.
fn script_failing_later(then: &str) -> String {
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

fn unproved_lines(proof: &Proof) -> Vec<String> {
    let unproved = |answer: &ProofResult| matches!(answer, ProofResult::NotProved(_));
    proof.findings.iter().filter(|f| unproved(&f.result)).filter_map(result_line).collect()
}

#[test]
fn a_missing_solver_is_reported() {
    let found = prove_with_program(Path::new("/nowhere/cvc5"), test_settings().time_limit);
    assert_eq!(found, Err(ProofError::SolverNotFound("/nowhere/cvc5".into())));
}

#[test]
fn a_hanging_solver_times_out() {
    assert_eq!(refusal_message("exec sleep 600"), "it gave no answer in 1.5 s");
    let only_asked = "[ \"$1\" = --version ] && exit 0; exec sleep 600";
    assert_eq!(refusal_message(only_asked), "the solver gave no answer in 1.5 s");
}

#[test]
fn a_crashing_solver_is_refused() {
    let why = refusal_message("[ \"$1\" = --version ] && exit 0; kill -9 $$");
    assert!(why.contains("terminated") || why.contains("IO error"), "{why}");
    let why = refusal_message("exit 3");
    assert!(why.contains("terminated") || why.contains("IO error"), "{why}");
}

#[test]
fn a_solver_that_prints_nonsense_is_refused() {
    let why = refusal_message("while read -r line; do echo 'sure \\033[31m, whatever'; done");
    assert!(why.contains("unrecognized solver output"), "{why}");
    assert!(!why.contains('\u{1b}'), "{why:?}");
}

#[test]
fn a_solver_that_always_gives_the_same_answer_is_refused() {
    let always = |word: &str| {
        format!("while read -r line; do case \"$line\" in *check-sat*) echo {word};; esac; done")
    };
    let wrong = "it gave a wrong answer to a known question";
    assert_eq!(refusal_message(&always("unsat")), wrong);
    let why = refusal_message(&always("sat"));
    assert!(!why.is_empty());
    assert_eq!(refusal_message(&always("unknown")), "the solver found no answer in time");
}

#[test]
fn a_solver_that_fails_later_proves_nothing_from_then_on() {
    // A crash shows up while writing or while reading, depending on timing.
    let crashed = &["terminated", "IO error"][..];
    for (then, whys) in [("exec sleep 600", &["no answer in 1.5 s"][..]), ("kill -9 $$", crashed)] {
        let proof = prove_with_script(&script_failing_later(then)).unwrap();
        let found = unproved_lines(&proof);
        assert_eq!(found.len(), 2, "{found:?}");
        for (line, level) in found.iter().zip(["without asking", "with approval"]) {
            assert!(line.starts_with(&format!("files.write {level}: not proved")), "{line}");
            assert!(whys.iter().any(|why| line.contains(why)), "{line}");
        }
    }
}

#[test]
fn a_time_limit_that_is_too_short_refuses_the_solver() {
    let found = prove_with_program(Path::new("cvc5"), Duration::from_micros(1));
    assert!(matches!(found, Err(ProofError::SolverUnreliable { .. })), "{found:?}");
}

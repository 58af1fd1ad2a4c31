//! Faults while it runs: a store that is gone, slow or may only be read is a no with a sentence,
//! and what an operator took back stays back.

use super::failing::Failing;
use super::in_memory;
use crate::world::{agent, call, grant, on, owner, session};
use countersign_conversation::Turn;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::request::AnswerFrom;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Outcome, Reason};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    CheckResult, Engine, EngineError, Memory, Postgres, PostgresSettings, ReadScope, Sqlite, Store,
    TurnReporter,
};
use countersign_ledger::verify;
use countersign_scratch::{Fsync, PostgresServer};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn failing() -> (Engine<Failing<Memory>>, Arc<AtomicUsize>) {
    let store = Failing::on(Memory::empty());
    let commits_left = Arc::clone(&store.commits_left);
    (on(store), commits_left)
}

fn contended() -> (Engine<Failing<Memory>>, Arc<AtomicUsize>) {
    let store = Failing::on(Memory::empty());
    let conflicts = Arc::clone(&store.conflicts);
    (on(store), conflicts)
}

fn granted<S: Store>(engine: &Engine<S>) {
    engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(engine, session(), Coverage::Everything, terms);
    assert_eq!(engine.check(&call("files.write")).unwrap().decision().outcome, Outcome::Allow);
}

fn outcome<S: Store>(engine: &Engine<S>) -> (Outcome, Reason) {
    let checked = engine.check(&call("files.write")).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

#[test]
fn a_revocation_that_could_not_be_written_is_an_error_and_holds_all_the_same() {
    let (engine, commits_left) = failing();
    granted(&engine);
    commits_left.store(0, Ordering::SeqCst);
    let refused = engine.revoke(&session(), &Revoke::All).unwrap_err();
    assert!(matches!(refused, EngineError::Unwritten(_)), "{refused}");
    assert!(refused.to_string().contains("the store did not take this"), "{refused}");
    assert!(engine.check(&call("files.write")).is_err());
    commits_left.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(outcome(&engine).0, Outcome::Ask);
    let entries = engine.read_all_entries().unwrap();
    assert!(entries.iter().any(|entry| entry.kind.word() == "grant_revoked"));
}

#[test]
fn a_pause_that_could_not_be_written_is_an_error_and_holds_all_the_same() {
    let (engine, commits_left) = failing();
    granted(&engine);
    commits_left.store(0, Ordering::SeqCst);
    assert!(engine.pause_agent(&agent()).is_err());
    commits_left.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(outcome(&engine), (Outcome::Deny, Reason::Paused));
}

/// A person who said stop watches whether anything still runs.
#[test]
fn a_word_that_could_not_be_written_is_an_error_and_holds_all_the_same() {
    for text in ["stop", "Revoke all consent", "Clear consent state", "DRY RUN: all of it"] {
        let owner = owner();
        for reporter in
            [TurnReporter::Operator, TurnReporter::Agent { owner: &owner, project: None }]
        {
            let (engine, commits_left) = failing();
            granted(&engine);
            commits_left.store(0, Ordering::SeqCst);
            let turn = Turn {
                session: session(),
                speaker: Speaker::Operator,
                text: text.to_owned(),
                from: AnswerFrom::Embedder,
            };
            let refused = engine.process_turn(&turn, reporter).unwrap_err();
            assert!(matches!(refused, EngineError::Unwritten(_)), "{text}: {refused}");
            assert!(engine.check(&call("files.write")).is_err(), "{text}");
            commits_left.store(usize::MAX, Ordering::SeqCst);
            assert!(outcome(&engine).0 >= Outcome::Ask, "{text}");
        }
    }
}

#[test]
fn a_database_that_goes_and_comes_back_loses_no_revocation() {
    let cluster = PostgresServer::start(Fsync::Off).unwrap();
    let settings = PostgresSettings::new(&cluster.address());
    let engine = on(Postgres::open(settings).unwrap());
    granted(&engine);
    cluster.stop().unwrap();
    let refused = engine.check(&call("files.write")).unwrap_err().to_string();
    assert!(refused.contains("nothing was decided, because the store failed"), "{refused}");
    let refused = engine.revoke(&session(), &Revoke::All).unwrap_err().to_string();
    assert!(refused.contains("the store did not take this"), "{refused}");
    assert!(engine.check(&call("files.write")).is_err());
    cluster.launch().unwrap();
    // A connection that was lost can cost one more refusal, and never a yes.
    let seen: Vec<_> = (0..3).map(|_| engine.check(&call("files.write"))).collect();
    let outcomes: Vec<_> =
        seen.iter().flatten().map(|checked| checked.decision().outcome).collect();
    assert!(outcomes.len() >= 2 && outcomes.iter().all(|o| *o == Outcome::Ask), "{seen:?}");
    verify(&engine.read_all_entries().unwrap()).unwrap();
}

/// Somebody else holds what a commit needs: after some time that is a no.
#[test]
fn a_database_that_is_slow_is_a_refusal() {
    let settings = super::schema();
    let engine = on(Postgres::open(settings.clone()).unwrap());
    engine.check(&call("files.read")).unwrap();
    let mut other = postgres::Client::connect(&settings.url, postgres::NoTls).unwrap();
    let mut holding = other.transaction().unwrap();
    let hold = format!("SELECT * FROM {}.head FOR UPDATE", settings.schema);
    holding.batch_execute(&hold).unwrap();
    let refused = engine.check(&call("files.read")).unwrap_err().to_string();
    assert!(refused.contains("lock timeout"), "{refused}");
    holding.rollback().unwrap();
    engine.check(&call("files.read")).unwrap();
}

/// A node that waited in vain for the others is not stuck in its failed transaction.
#[test]
fn a_lock_that_was_not_given_in_time_is_given_later() {
    let settings = super::schema();
    let store = Postgres::open(settings.clone()).unwrap();
    let mut other = postgres::Client::connect(&settings.url, postgres::NoTls).unwrap();
    let mut holding = other.transaction().unwrap();
    let hold = format!("SELECT * FROM {}.head FOR UPDATE", settings.schema);
    holding.batch_execute(&hold).unwrap();
    let refused = store.commit_exclusively(&ReadScope::globals(), &mut |_| None).unwrap_err();
    assert!(refused.to_string().contains("lock timeout"), "{refused}");
    holding.rollback().unwrap();
    store.commit_exclusively(&ReadScope::globals(), &mut |_| None).unwrap();
    // Without a commit the lock is free again.
    let mut holding = other.transaction().unwrap();
    holding.batch_execute(&format!("{hold} NOWAIT")).unwrap();
}

/// Nobody's user, where this runs as one who may write everywhere.
const NOBODY: u32 = 65534;

/// Opens a store in a folder as somebody who may only read there.
fn opened_by_a_reader(folder: &Path) -> String {
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        for path in [folder.to_owned(), folder.join("countersign.db")] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let folder = folder.to_owned();
    let opening = std::thread::spawn(move || {
        if is_root {
            rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(NOBODY)).unwrap();
        }
        Sqlite::open(&folder).err().map(|error| error.to_string())
    });
    opening.join().unwrap().unwrap_or_default()
}

#[test]
fn a_folder_that_may_only_be_read_is_refused_with_a_sentence() {
    let outer = in_memory();
    fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = outer.path().join("store");
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    drop(Sqlite::open(&folder).unwrap());
    fs::set_permissions(folder.join("countersign.db"), fs::Permissions::from_mode(0o400)).unwrap();
    fs::remove_file(folder.join("countersign.lock")).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let said = opened_by_a_reader(&folder);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(said.contains("the store is not available: cannot open"), "{said}");
    assert!(said.contains("Permission denied"), "{said}");
}

#[test]
fn a_call_is_decided_again_after_a_conflict() {
    let (engine, conflicts) = contended();
    conflicts.store(1, Ordering::SeqCst);
    let checked = engine.check(&call("files.read")).unwrap();
    assert!(matches!(checked, CheckResult::Allowed { .. }), "{checked:?}");
}

/// A store that takes nothing at all gives an error, which is a no as well.
#[test]
fn a_store_that_always_conflicts_decides_nothing() {
    let (engine, conflicts) = contended();
    conflicts.store(usize::MAX, Ordering::SeqCst);
    let error = engine.check(&call("files.read")).unwrap_err();
    assert!(matches!(error, EngineError::Contended(_)), "{error}");
}

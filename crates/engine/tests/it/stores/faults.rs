//! Faults while it runs: a store that is gone, slow or may only be read is a no with a sentence,
//! and what an operator took back stays back.

use super::in_memory;
use crate::world::{agent, call, grant, on, owner, session};
use countersign_core::ledger::{Entry, Head, verify};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Outcome, Reason};
use countersign_core::state::Conflict;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    CheckResult, ClosedRequestPage, ClosedRequestQuery, Commit, Engine, EngineError, GrantPage,
    GrantQuery, KeptResult, Memory, ObjectKind, Postgres, PostgresSettings, QuestionCount,
    ReadScope, Snapshot, Sqlite, Store, StoreError,
};
use countersign_scratch::{Fsync, PostgresServer};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A store whose commits fail on demand.
struct Failing {
    inner: Memory,
    fails: Arc<AtomicBool>,
    /// How many of the next commits meet a conflict.
    conflicts: Arc<AtomicUsize>,
}

fn failing() -> (Engine<Failing>, Arc<AtomicBool>) {
    let fails = Arc::new(AtomicBool::new(false));
    let conflicts = Arc::default();
    (on(Failing { inner: Memory::empty(), fails: Arc::clone(&fails), conflicts }), fails)
}

fn contended() -> (Engine<Failing>, Arc<AtomicUsize>) {
    let conflicts = Arc::new(AtomicUsize::new(0));
    let (inner, fails) = (Memory::empty(), Arc::default());
    (on(Failing { inner, fails, conflicts: Arc::clone(&conflicts) }), conflicts)
}

impl Store for Failing {
    fn read(&self, need: &ReadScope) -> Result<Snapshot, StoreError> {
        self.inner.read(need)
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        if self.fails.load(Ordering::SeqCst) {
            let what = "writing".to_owned();
            return Err(StoreError::Unavailable { what, cause: "it may only be read".to_owned() });
        }
        let count_down = |left: usize| left.checked_sub(1);
        if self.conflicts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down).is_ok() {
            return Err(StoreError::Conflict(Conflict::Session(session())));
        }
        self.inner.commit(commit)
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        self.inner.sessions_due(now)
    }

    fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        self.inner.sessions_named(name)
    }

    fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        self.inner.open_sessions(limit)
    }

    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        self.inner.agents_seen()
    }

    fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
        self.inner.count_open_requests(now)
    }

    fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        self.inner.count_questions(agent)
    }

    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        self.inner.open_requests(now, after, most)
    }

    fn repeats_due(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        self.inner.repeats_due(now, most)
    }

    fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        self.inner.keep_result(result, now)
    }

    fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        self.inner.find_result(call, now)
    }

    fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
        self.inner.drop_results(calls)
    }

    fn list_grants(&self, listing: &GrantQuery) -> Result<GrantPage, StoreError> {
        self.inner.list_grants(listing)
    }

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        self.inner.list_closed_requests(query)
    }

    fn find_ids(
        &self,
        sought: ObjectKind,
        part: &str,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.inner.find_ids(sought, part, most)
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.inner.head()
    }

    fn read_entries(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner.read_entries(from, most)
    }
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
    let (engine, fails) = failing();
    granted(&engine);
    fails.store(true, Ordering::SeqCst);
    let refused = engine.revoke(&session(), &Revoke::All).unwrap_err();
    assert!(matches!(refused, EngineError::Unwritten(_)), "{refused}");
    assert!(refused.to_string().contains("the store did not take this"), "{refused}");
    assert!(engine.check(&call("files.write")).is_err());
    fails.store(false, Ordering::SeqCst);
    assert_eq!(outcome(&engine).0, Outcome::Ask);
    let entries = engine.read_all_entries().unwrap();
    assert!(entries.iter().any(|entry| entry.kind.word() == "grant_revoked"));
}

#[test]
fn a_pause_that_could_not_be_written_is_an_error_and_holds_all_the_same() {
    let (engine, fails) = failing();
    granted(&engine);
    fails.store(true, Ordering::SeqCst);
    assert!(engine.pause_agent(&agent()).is_err());
    fails.store(false, Ordering::SeqCst);
    assert_eq!(outcome(&engine), (Outcome::Deny, Reason::Paused));
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

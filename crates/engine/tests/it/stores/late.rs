//! A completion is not waited for; whoever comes to its session next is.

use super::contract::Backend;
use super::in_memory;
use crate::world::{agent, call, on, session};
use countersign_core::ledger::{Entry, Head, replay, verify};
use countersign_core::model::change::Change;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::model::words::Effect;
use countersign_core::state::CallState;
use countersign_engine::{
    Checked, Engine, GrantPage, GrantQuery, Memory, ObjectKind, PendingCommit, Permit, ReadScope,
    Snapshot, Sqlite, Store, StoreError,
};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};

/// A disk that takes what nobody waits for only when it is told to, or refuses it.
struct SlowDisk {
    inner: Arc<Memory>,
    goes: Arc<Mutex<Receiver<Goes>>>,
}

enum Goes {
    Well,
    Wrong,
}

fn slow() -> (Engine<SlowDisk>, Sender<Goes>) {
    let (sender, goes) = channel();
    let inner = Arc::new(Memory::empty());
    (on(SlowDisk { inner, goes: Arc::new(Mutex::new(goes)) }), sender)
}

impl Store for SlowDisk {
    fn read(&self, need: &ReadScope) -> Result<Snapshot, StoreError> {
        self.inner.read(need)
    }

    fn commit(&self, need: &ReadScope, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        self.inner.commit(need, at, changes)
    }

    fn submit(
        &self,
        need: &ReadScope,
        at: Time,
        changes: Vec<Change>,
    ) -> Result<PendingCommit, StoreError> {
        let (inner, goes, need) = (Arc::clone(&self.inner), Arc::clone(&self.goes), need.clone());
        Ok(PendingCommit::new(move || match goes.lock().unwrap().recv().unwrap() {
            Goes::Well => inner.commit(&need, at, changes),
            Goes::Wrong => {
                let what = "writing".to_owned();
                Err(StoreError::Unavailable { what, cause: "the disk is full".to_owned() })
            }
        }))
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        self.inner.sessions_due(now)
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

    fn list_grants(&self, listing: &GrantQuery) -> Result<GrantPage, StoreError> {
        self.inner.list_grants(listing)
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

fn permitted<S: Store>(engine: &Engine<S>) -> Permit {
    let checked = engine.check(&call("files.read")).unwrap();
    let Checked::Permit { permit, .. } = checked else { panic!("{checked:?}") };
    permit
}

#[test]
fn a_completion_is_not_waited_for_but_seen_by_whoever_comes_next() {
    let (engine, disk) = slow();
    let permit = permitted(&engine);
    let operation = permit.call();
    engine.finish(permit, Effect::Done).unwrap();
    // Another session does not wait for it either.
    let mut elsewhere = call("files.read");
    elsewhere.session = SessionName::parse("s2").unwrap();
    engine.check(&elsewhere).unwrap();
    std::thread::scope(|scope| {
        let (told, heard) = channel();
        let engine = &engine;
        scope.spawn(move || told.send(engine.retry(operation, &session(), &agent())).unwrap());
        assert!(matches!(heard.try_recv(), Err(TryRecvError::Empty)));
        disk.send(Goes::Well).unwrap();
        let again = heard.recv().unwrap().unwrap();
        assert!(matches!(again, Checked::Kept { .. }), "{again:?}");
    });
    assert!(engine.untold().unwrap().is_empty());
}

/// For all that the record says the call still runs, and after a restart it is unknown.
#[test]
fn a_completion_that_could_not_be_written_is_told_and_means_unknown() {
    let (engine, disk) = slow();
    let permit = permitted(&engine);
    let operation = permit.call();
    engine.finish(permit, Effect::Done).unwrap();
    disk.send(Goes::Wrong).unwrap();
    let running = engine.retry(operation, &session(), &agent()).unwrap();
    assert!(matches!(running, Checked::Denied { .. }), "{running:?}");
    let untold = engine.untold().unwrap();
    let [one] = untold.as_slice() else { panic!("{untold:?}") };
    assert_eq!((one.call, one.effect), (operation, Effect::Done));
    assert!(one.error.to_string().contains("the disk is full"), "{}", one.error);
    assert!(engine.untold().unwrap().is_empty());
    engine.restart().unwrap();
    let state = engine.state().unwrap();
    assert_eq!(state.calls.get(&operation).unwrap().state, CallState::Ended(Effect::Unknown));
}

/// What is finished twice, or after it was counted as unknown, is refused at once.
#[test]
fn a_call_that_ended_otherwise_is_not_finished() {
    let (engine, _disk) = slow();
    let permit = permitted(&engine);
    engine.restart().unwrap();
    assert!(engine.finish(permit, Effect::Done).is_err());
}

pub(super) fn a_call_after_a_completion_sees_it(backend: &impl Backend) {
    let engine = on(backend.open());
    for _ in 0..20 {
        let permit = permitted(&engine);
        let operation = permit.call();
        engine.finish(permit, Effect::Done).unwrap();
        let again = engine.retry(operation, &session(), &agent()).unwrap();
        assert!(matches!(again, Checked::Kept { .. }), "{again:?}");
    }
    let entries = engine.entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *engine.state().unwrap());
}

#[test]
fn a_store_that_is_closed_properly_has_written_what_nobody_waited_for() {
    let folder = in_memory();
    let open = || on(Sqlite::open(&folder.path().join("store")).unwrap());
    let operation = {
        let engine = open();
        let permit = permitted(&engine);
        let operation = permit.call();
        engine.finish(permit, Effect::Done).unwrap();
        operation
    };
    let state = open().state().unwrap();
    assert_eq!(state.calls.get(&operation).unwrap().state, CallState::Ended(Effect::Done));
}

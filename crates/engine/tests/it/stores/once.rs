//! Once means once on every store: 64 callers, again and again.

use super::contract::Backend;
use super::fast_path::check_fast;
use super::{in_memory, sqlite};
use crate::world::{call, grant, on};
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::model::words::Effect;
use countersign_core::state::State;
use countersign_engine::{
    CheckResult, ClosedRequestPage, ClosedRequestQuery, Commit, Durability, Engine, GrantPage,
    GrantQuery, KeptResult, ObjectKind, QuestionCount, ReadBasis, ReadScope, SessionOwner,
    Snapshot, Store, StoreError,
};
use countersign_ledger::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

const THREADS: usize = 64;

/// A thousand in a long run; fewer on a desk, where nobody waits for minutes.
fn rounds() -> usize {
    let named = std::env::var("COUNTERSIGN_ROUNDS").ok().and_then(|text| text.parse().ok());
    named.unwrap_or(100)
}

/// The number of winners of each round that had not exactly one.
fn unfair_rounds<S: Store>(
    engine: &Engine<S>,
    rounds: usize,
    check: impl Fn(&CallDraft) -> Option<CheckResult> + Sync,
) -> Vec<usize> {
    let permitted: Vec<AtomicUsize> = (0..rounds).map(|_| AtomicUsize::new(0)).collect();
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (permitted, barrier, check) = (&permitted, &barrier, &check);
            scope.spawn(move || {
                for (round, won) in permitted.iter().enumerate() {
                    let mut draft = call("files.write");
                    draft.session = SessionKey::parse(&format!("agent-1 round-{round}")).unwrap();
                    if thread == 0 {
                        engine
                            .open_session(&SessionOwner::from_key(draft.session.clone()), None)
                            .unwrap();
                        let terms = (Scope::Once, None, Confirmation::Plain);
                        let everything = Coverage::Everything;
                        grant(engine, draft.session.clone(), everything.clone(), terms);
                    }
                    barrier.wait();
                    if let Some(CheckResult::Allowed { permit, .. }) = check(&draft) {
                        won.fetch_add(1, Ordering::SeqCst);
                        engine.complete(&permit.complete(Effect::Done)).unwrap();
                    }
                    barrier.wait();
                }
            });
        }
    });
    let won = permitted.iter().map(|won| won.load(Ordering::SeqCst));
    won.filter(|won| *won != 1).collect()
}

pub(super) fn one_of_64_callers_wins_a_once_grant(backend: &impl Backend) {
    let engine = on(backend.open());
    let check = |draft: &CallDraft| Some(engine.check(draft).unwrap());
    assert!(unfair_rounds(&engine, backend.rounds(rounds()), check).is_empty());
}

#[test]
fn one_of_64_callers_wins_a_once_grant_when_nobody_waits_for_the_disk() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let told = |draft: &CallDraft| match check_fast(&engine, draft, Durability::Batched) {
        Some(told) => told.ok(),
        None => engine.check(draft).ok(),
    };
    assert!(unfair_rounds(&engine, rounds(), told).is_empty());
}

/// What a store would be that reads, decides, and then writes without looking again.
struct ReadThenWrite(Mutex<Arc<State>>);

impl Store for ReadThenWrite {
    fn read(&self, _need: &ReadScope) -> Result<Snapshot, StoreError> {
        Ok(Snapshot {
            state: Arc::clone(&self.0.lock().unwrap()),
            basis: ReadBasis::default(),
            now: None,
            last_commit_at: Time::from_micros(0),
        })
    }

    fn commit(&self, Commit { at, changes, .. }: Commit) -> Result<(), StoreError> {
        // Long enough for others to have read what this one is about to change.
        (0..100).for_each(|_| std::thread::yield_now());
        let mut held = self.0.lock().unwrap();
        let state = Arc::make_mut(&mut held);
        changes.iter().for_each(|change| state.apply(at, change));
        Ok(())
    }

    fn sessions_due(&self, _now: Time) -> Result<Vec<SessionKey>, StoreError> {
        Ok(Vec::new())
    }

    fn sessions_named(&self, _name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        Ok(Vec::new())
    }

    fn open_sessions(&self, _limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        Ok(Vec::new())
    }

    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        Ok(Vec::new())
    }

    fn count_open_requests(&self, _now: Time) -> Result<usize, StoreError> {
        Ok(0)
    }

    fn count_questions(&self, _agent: &Agent) -> Result<QuestionCount, StoreError> {
        Ok(QuestionCount::default())
    }

    fn open_requests(
        &self,
        _now: Time,
        _after: Option<RequestId>,
        _most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        Ok(Vec::new())
    }

    fn repeats_due(&self, _now: Time, _most: usize) -> Result<Vec<CallId>, StoreError> {
        Ok(Vec::new())
    }

    fn keep_result(&self, _result: &KeptResult, _now: Time) -> Result<(), StoreError> {
        Ok(())
    }

    fn find_result(&self, _call: CallId, _now: Time) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    fn drop_results(&self, _calls: &[CallId]) -> Result<(), StoreError> {
        Ok(())
    }

    fn list_grants(&self, _listing: &GrantQuery) -> Result<GrantPage, StoreError> {
        Ok(GrantPage { grants: Vec::new(), state: State::empty(), next: None })
    }

    fn list_closed_requests(
        &self,
        _query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        Ok(ClosedRequestPage { requests: Vec::new(), state: State::empty(), next: None })
    }

    fn find_ids(
        &self,
        _sought: ObjectKind,
        _part: &str,
        _most: usize,
    ) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn head(&self) -> Result<countersign_ledger::Head, StoreError> {
        Ok(countersign_ledger::Head::empty())
    }

    fn read_entries(&self, _from: u64, _most: usize) -> Result<Vec<Entry>, StoreError> {
        Ok(Vec::new())
    }
}

/// The test above can find something: without the second look, two win.
#[test]
fn a_store_that_reads_then_writes_is_found_out() {
    let careless = on(ReadThenWrite(Mutex::new(Arc::new(State::empty()))));
    let check = |draft: &CallDraft| careless.check(draft).ok();
    assert!(!unfair_rounds(&careless, 50, check).is_empty());
}

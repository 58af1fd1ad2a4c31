//! A store whose commits fail on demand.

use crate::world::session;
use countersign_core::encoding::digest::Key;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::Conflict;
use countersign_engine::{
    ClosedRequestPage, ClosedRequestQuery, Commit, GrantPage, GrantQuery, KeptResult, ObjectKind,
    QuestionCount, ReadScope, Snapshot, Store, StoreError, WakeCallback,
};
use countersign_ledger::{Entry, Head};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct Failing<S> {
    inner: S,
    /// How many commits succeed from now on.
    pub(super) commits_left: Arc<AtomicUsize>,
    /// How many of the next commits meet a conflict.
    pub(super) conflicts: Arc<AtomicUsize>,
}

impl<S> Failing<S> {
    pub(super) fn on(inner: S) -> Self {
        let commits_left = Arc::new(AtomicUsize::new(usize::MAX));
        Self { inner, commits_left, conflicts: Arc::default() }
    }
}

impl<S: Store> Store for Failing<S> {
    fn read(&self, need: &ReadScope) -> Result<Snapshot, StoreError> {
        self.inner.read(need)
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let count_down = |left: usize| left.checked_sub(1);
        if self.commits_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down).is_err() {
            let what = "writing".to_owned();
            return Err(StoreError::Unavailable { what, cause: "it may only be read".to_owned() });
        }
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

    fn set_wake_callback(&self, wake: WakeCallback) {
        self.inner.set_wake_callback(wake);
    }

    fn key(&self) -> Option<&Key> {
        self.inner.key()
    }
}

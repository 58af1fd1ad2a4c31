//! A store on which two engines meet: just before one of them commits, the other does something.

use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_engine::{
    ClosedRequestPage, ClosedRequestQuery, Commit, ExclusiveStep, GrantPage, GrantQuery,
    KeptResult, ObjectKind, ReadScope, Snapshot, Store, StoreError,
};
use countersign_ledger::{Entry, Head};
use std::sync::Mutex;

/// Runs once, between a read and the commit that follows it.
type Interruption = Box<dyn FnOnce() + Send>;

/// It has no key, so that digests are the same on every store.
pub(super) struct MeetingStore {
    inner: Box<dyn Store>,
    interruption: Mutex<Option<Interruption>>,
}

impl MeetingStore {
    pub fn on(inner: Box<dyn Store>) -> Self {
        Self { inner, interruption: Mutex::new(None) }
    }

    pub fn interrupt_next_commit(&self, interruption: Interruption) {
        *self.interruption.lock().unwrap() = Some(interruption);
    }

    /// The interruption, if no commit has come.
    pub fn take_interruption(&self) -> Option<Interruption> {
        self.interruption.lock().unwrap().take()
    }
}

impl Store for MeetingStore {
    fn read(&self, scope: &ReadScope) -> Result<Snapshot, StoreError> {
        self.inner.read(scope)
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        if let Some(interruption) = self.take_interruption() {
            interruption();
        }
        self.inner.commit(commit)
    }

    fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> Result<(), StoreError> {
        self.inner.commit_exclusively(scope, step)
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

    fn count_questions(
        &self,
        agent: &countersign_core::model::names::Agent,
    ) -> Result<countersign_engine::QuestionCount, StoreError> {
        self.inner.count_questions(agent)
    }

    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        self.inner.open_requests(now, after, limit)
    }

    fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        self.inner.repeats_due(now, limit)
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

    fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError> {
        self.inner.list_grants(query)
    }

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        self.inner.list_closed_requests(query)
    }

    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.inner.find_ids(kind, part, limit)
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.inner.head()
    }

    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner.read_entries(from, limit)
    }
}

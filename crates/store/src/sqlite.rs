//! The embedded store: one SQLite file in a folder that only its owner can enter.
//!
//! A single writer batches commits: a caller waits until its rows and ledger entries are on the
//! disk, together with those of the callers that came meanwhile. Readers see only durable commits:
//! from a cached snapshot for a session in use, otherwise from the file.

mod checkpoint;
mod database;
mod folder;
mod ledger;
mod listing;
#[cfg(test)]
mod plans;
mod queries;
mod read_cache;
mod reader;
mod reserve;
mod results;
mod schema;
mod session_cache;
mod working_copies;
mod writer;

pub use folder::{DATABASE_FILE, LOG_FILE};
pub use reader::SqliteReader;

use crate::closed_requests::{ClosedRequestPage, ClosedRequestQuery, list_closed_requests};
use crate::listing::{GrantPage, GrantQuery, ObjectKind, list_grants};
use crate::load::{contains_rows, load_state};
use crate::{
    Commit, CommitCallback, ExclusiveStep, KeptResult, QuestionCount, ReadBasis, ReadScope,
    Snapshot, Store, StoreError, lock,
};
use countersign_core::encoding::digest::Key;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_ledger::{Entry, Head};
use database::SqliteDatabase;
use read_cache::ReadCache;
use session_cache::SessionCache;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use writer::{SharedCaches, SqliteWriter};

pub struct Sqlite {
    /// For readers; the writer has its own connection.
    database: Mutex<SqliteDatabase>,
    caches: SharedCaches,
    writer: SqliteWriter,
    key: Key,
}

impl Sqlite {
    /// Opens the store in a folder, or creates one there.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = folder::lock_folder(folder)?;
        let mut first = SqliteDatabase::open(&folder.file)?;
        schema::migrate(&mut first)?;
        let (head, key) = (first.head()?, first.load_or_create_key()?);
        let (sessions, reads) = (Arc::new(SessionCache::new()), Arc::new(ReadCache::default()));
        let caches = SharedCaches { sessions, reads };
        let database = Mutex::new(SqliteDatabase::open(&folder.file)?);
        let writer = SqliteWriter::start(first, folder, head, caches.clone())?;
        Ok(Self { database, caches, writer, key })
    }

    /// Keeps nothing in memory between two steps. For tests: it is slower and decides the same.
    pub fn without_cache(self) -> Self {
        self.caches.sessions.disable();
        self
    }

    fn database(&self) -> Result<MutexGuard<'_, SqliteDatabase>, StoreError> {
        lock(&self.database)
    }
}

impl Store for Sqlite {
    fn read_cached(&self, scope: &ReadScope) -> Result<Option<Snapshot>, StoreError> {
        self.writer.check_trusted()?;
        let Some(session) = scope.single_session() else { return Ok(None) };
        let cached = self.caches.sessions.get(session)?;
        let cached = cached.filter(|(state, _)| contains_rows(state, &scope.rows));
        let last_commit_at = self.writer.last_commit_at();
        Ok(cached.map(|(state, transaction)| {
            let basis = ReadBasis { transaction, cells: None };
            Snapshot { state, basis, now: None, last_commit_at }
        }))
    }

    fn read(&self, scope: &ReadScope) -> Result<Snapshot, StoreError> {
        if let Some(snapshot) = self.read_cached(scope)? {
            return Ok(snapshot);
        }
        let transaction = self.caches.reads.completed_transactions();
        let state = self.database()?.in_read_transaction(|database| load_state(database, scope));
        let state = Arc::new(state.inspect_err(|error| self.writer.distrust(error))?);
        self.caches.reads.insert(scope, &state, transaction)?;
        let basis = ReadBasis { transaction, cells: None };
        Ok(Snapshot { state, basis, now: None, last_commit_at: self.writer.last_commit_at() })
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        self.writer.commit(commit)
    }

    fn commit_with_callback(&self, commit: Commit, callback: CommitCallback) {
        self.writer.submit_with_callback(commit, callback);
    }

    fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> Result<(), StoreError> {
        self.writer.commit_exclusively(scope, step)
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        self.database()?.sessions_due(now)
    }

    fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        self.database()?.sessions_named(name)
    }

    fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        self.database()?.open_sessions(limit)
    }

    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        self.database()?.agents_seen()
    }

    fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
        self.database()?.count_open_requests(now)
    }

    fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        self.database()?.count_questions(agent)
    }

    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        self.database()?.open_requests(now, after, limit)
    }

    fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        self.database()?.repeats_due(now, limit)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError> {
        self.database()?.in_read_transaction(|database| list_grants(database, query))
    }

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        self.database()?.in_read_transaction(|database| list_closed_requests(database, query))
    }

    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.database()?.find_ids(kind, part, limit)
    }

    fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        let bytes = result.text.len();
        self.writer.write_apart(bytes, |database| database.keep_result(result, now))
    }

    fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        self.database()?.find_result(call, now)
    }

    fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
        self.writer.write_apart(0, |database| database.drop_results(calls))
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.head()
    }

    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.in_read_transaction(|database| database.read_entries(from, limit))
    }
}

//! The store for more than one machine: several nodes share one PostgreSQL database.
//!
//! The database's clock decides. A node caches snapshots of sessions in use and compares the
//! versions of their cells at every read: versions decide, notifications are only hints. A commit
//! is one statement that locks the ledger's end, so that nodes take turns and each commit is
//! checked against the commits of the others. A commit that others made stale is repeated in a
//! transaction that holds this lock: it waits for its turn and cannot lose again.

mod connection;
mod database;
mod exclusive;
mod ledger;
mod listen;
mod listing;
mod reader;
mod results;
mod schema;
mod session_cache;
mod sessions;
mod writer;

pub use reader::PostgresReader;

use crate::closed_requests::{ClosedRequestPage, ClosedRequestQuery, list_closed_requests};
use crate::limits::{ANSWER_TIMEOUT, LONG_READ_TIMEOUT, MAX_RECENT_READS};
use crate::listing::{GrantPage, GrantQuery, ObjectKind, list_grants};
use crate::load::contains_rows;
use crate::prepared_commit::CommitJob;
use crate::{
    CallsRead, Commit, CredentialStanding, ExclusiveStep, KeptResult, QuestionCount, ReadBasis,
    ReadScope, ScopeKind, Snapshot, Store, StoreError, WakeCallback, lock,
};
use connection::PostgresConnection;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_ledger::{Entry, Head};
use database::{PostgresDatabase, StoreInstants};
use exclusive::ExclusiveTransaction;
use listen::Listener;
use session_cache::{SessionSnapshots, cache_session};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use writer::PostgresWriter;

/// How a node reaches the database.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    pub url: String,
    /// The schema of the tables; created if it is missing.
    pub schema: String,
    pub change_feed: ChangeFeed,
    /// Whose clock decides. Only tests use another than the database's.
    pub clock: DatabaseClock,
    /// How long a commit waits for the database before it is in doubt.
    pub timeout: Duration,
}

/// How a node learns of commits on other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeFeed {
    /// By `LISTEN` on a connection of its own.
    Listen,
    /// By asking at intervals, behind a pooler that shares connections.
    Poll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseClock {
    Decides,
    Ignored,
}

impl PostgresSettings {
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            schema: "countersign".to_owned(),
            change_feed: ChangeFeed::Listen,
            clock: DatabaseClock::Decides,
            timeout: ANSWER_TIMEOUT,
        }
    }
}

pub struct Postgres {
    settings: PostgresSettings,
    /// For readers; the writer has its own connection.
    connection: PostgresConnection,
    /// For commits that hold the lock while a step decides, one at a time.
    exclusive: Mutex<PostgresConnection>,
    session_cache: SessionSnapshots,
    /// Recent reads of several sessions or of none. The commit that follows checks their versions.
    recent_reads: Mutex<Vec<(ReadScope, CachedSnapshot)>>,
    /// How many callers are committing.
    active_commits: AtomicUsize,
    writer: PostgresWriter,
    listener: Listener,
    key: Key,
}

#[derive(Clone)]
pub(crate) struct CachedSnapshot {
    pub state: Arc<State>,
    pub versions: Arc<CellVersions>,
    pub commits_since_read: usize,
    /// How many notifications had come before it was read.
    pub notifications: u64,
}

/// The cells of a snapshot and the version of each.
pub(crate) type CellVersions = std::collections::BTreeMap<String, CellVersion>;

/// How often a cell has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellVersion {
    contents: i64,
    /// Counts only decisive changes.
    decisive: i64,
}

impl CellVersion {
    /// Whether a step that reads these calls may rest on either version.
    fn is_same_for(self, other: Self, calls: CallsRead) -> bool {
        match calls {
            CallsRead::All => self.contents == other.contents,
            CallsRead::OnlyRows => self.decisive == other.decisive,
        }
    }
}

impl Postgres {
    pub fn open(settings: PostgresSettings) -> Result<Self, StoreError> {
        let mut first = PostgresDatabase::open(&settings)?;
        schema::migrate(&mut first, &settings.schema)?;
        let key = first.load_or_create_key()?;
        let connection = PostgresConnection::open(&settings)?;
        let exclusive = Mutex::new(PostgresConnection::open(&settings)?);
        let writer = PostgresWriter::start(first, settings.timeout)?;
        let listener = Listener::start(&settings)?;
        Ok(Self {
            settings,
            connection,
            exclusive,
            session_cache: SessionSnapshots::default(),
            recent_reads: Mutex::new(Vec::new()),
            active_commits: AtomicUsize::new(0),
            writer,
            listener,
            key,
        })
    }

    /// Drops a schema with everything in it. For tests and trials.
    pub fn drop_schema(settings: &PostgresSettings) -> Result<(), StoreError> {
        let mut database = PostgresDatabase::open(settings)?;
        let drop = format!("DROP SCHEMA {} CASCADE", settings.schema);
        database.execute_batch("removing the tables", &drop)
    }

    /// Runs a query of some sessions or less.
    fn query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut PostgresDatabase) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.connection.run(self.settings.timeout, query)
    }

    /// Runs a query that may read much.
    fn query_long<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut PostgresDatabase) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.connection.run(LONG_READ_TIMEOUT, query)
    }

    fn lock_session_cache(
        &self,
    ) -> Result<MutexGuard<'_, HashMap<SessionKey, CachedSnapshot>>, StoreError> {
        lock(&self.session_cache)
    }

    fn to_snapshot(&self, cached: CachedSnapshot, instants: StoreInstants) -> Snapshot {
        let now = (self.settings.clock == DatabaseClock::Decides).then_some(instants.now);
        let basis = ReadBasis { transaction: 0, cells: Some(cached.versions) };
        Snapshot { state: cached.state, basis, now, last_commit_at: instants.last_commit_at }
    }

    fn lock_recent_reads(
        &self,
    ) -> Result<MutexGuard<'_, Vec<(ReadScope, CachedSnapshot)>>, StoreError> {
        lock(&self.recent_reads)
    }

    /// The cached snapshot of a scope. A caller that commits alone takes it out, so that it can be
    /// changed in place; with other committers around, it stays for them.
    fn take_cached(
        &self,
        scope: &ReadScope,
        others: usize,
    ) -> Result<Option<CachedSnapshot>, StoreError> {
        match (scope.single_session(), others) {
            (Some(session), 0) => return Ok(self.lock_session_cache()?.remove(session)),
            (Some(session), _) => return Ok(self.lock_session_cache()?.get(session).cloned()),
            (None, _) => {}
        }
        let mut recent = self.lock_recent_reads()?;
        let at = recent.iter().position(|(read, _)| read == scope);
        Ok(at.map(|at| recent.swap_remove(at).1))
    }

    /// Caches a read for the commit that follows it.
    fn cache_read(&self, scope: &ReadScope, snapshot: &CachedSnapshot) -> Result<(), StoreError> {
        if scope.single_session().is_some() {
            return cache_session(&self.session_cache, scope, snapshot);
        }
        if !matches!(scope.kind, ScopeKind::Sessions | ScopeKind::Projects) {
            return Ok(());
        }
        let mut recent = self.lock_recent_reads()?;
        recent.retain(|(read, _)| read != scope);
        if recent.len() >= MAX_RECENT_READS {
            recent.remove(0);
        }
        recent.push((scope.clone(), snapshot.clone()));
        Ok(())
    }
}

impl Store for Postgres {
    fn read(&self, scope: &ReadScope) -> Result<Snapshot, StoreError> {
        let cached = match scope.single_session() {
            Some(session) => self.lock_session_cache()?.get(session).cloned(),
            None => None,
        };
        // After a notification the versions have most likely changed: read everything at once.
        let notifications = self.listener.notifications();
        let may_be_current = |cached: &CachedSnapshot| {
            cached.notifications == notifications && contains_rows(&cached.state, &scope.rows)
        };
        if let Some(cached) = cached.filter(may_be_current) {
            let names: Vec<String> = cached.versions.keys().cloned().collect();
            let (versions, instants) =
                self.query(move |database| database.read_versions(&names))?;
            if versions == *cached.versions {
                return Ok(self.to_snapshot(cached, instants));
            }
        }
        let wanted = scope.clone();
        let load = move |database: &mut PostgresDatabase| database.load_snapshot(&wanted);
        let (mut loaded, instants) = match scope.kind {
            ScopeKind::Sessions => self.query(load)?,
            _ => self.query_long(load)?,
        };
        loaded.notifications = notifications;
        self.cache_read(scope, &loaded)?;
        Ok(self.to_snapshot(loaded, instants))
    }

    fn commit(&self, commit: Commit) -> Result<(), StoreError> {
        let scope = commit.scope.clone();
        let others = self.active_commits.fetch_add(1, Ordering::SeqCst);
        let job =
            self.take_cached(&scope, others).and_then(|cached| CommitJob::prepare(commit, cached));
        let committed = job.and_then(|job| self.writer.commit(job));
        self.active_commits.fetch_sub(1, Ordering::SeqCst);
        cache_session(&self.session_cache, &scope, &committed?)
    }

    fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> Result<(), StoreError> {
        let connection = lock(&self.exclusive)?;
        let timeout = self.settings.timeout;
        let wanted = scope.clone();
        let (loaded, instants) =
            connection.run(timeout, move |database| writer::read_exclusively(database, &wanted))?;
        let transaction = ExclusiveTransaction::new(&connection, timeout);
        let snapshot = self.to_snapshot(loaded.clone(), instants);
        let basis = snapshot.basis.clone();
        let Some((at, changes)) = step(snapshot) else { return Ok(()) };
        let commit = Commit { scope: scope.clone(), basis, at, changes };
        let job = CommitJob::prepare(commit, Some(loaded))?;
        transaction.commit(job)
    }

    fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        self.query(move |database| database.sessions_due(now))
    }

    fn find_credential(&self, hash: Digest) -> Result<Option<CredentialStanding>, StoreError> {
        self.query(move |database| database.find_credential(&hash))
    }

    fn list_credentials(&self) -> Result<Vec<CredentialStanding>, StoreError> {
        self.query(PostgresDatabase::list_credentials)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        let name = name.clone();
        self.query(move |database| database.sessions_named(&name))
    }

    fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        self.query(move |database| database.open_sessions(limit))
    }

    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        self.query(|database| database.agents_seen())
    }

    fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
        self.query(move |database| database.count_open_requests(now))
    }

    fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        let agent = agent.clone();
        self.query(move |database| database.count_questions(&agent))
    }

    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        self.query(move |database| database.open_requests(now, after, limit))
    }

    fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        self.query(move |database| database.repeats_due(now, limit))
    }

    fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError> {
        let query = query.clone();
        self.query_long(move |database| {
            database.in_read_transaction(|database| list_grants(database, &query))
        })
    }

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError> {
        let query = query.clone();
        self.query_long(move |database| {
            database.in_read_transaction(|database| list_closed_requests(database, &query))
        })
    }

    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let part = part.to_owned();
        self.query(move |database| database.find_ids(kind, &part, limit))
    }

    fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        let result = result.clone();
        self.query(move |database| database.keep_result(&result, now))
    }

    fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        self.query(move |database| database.find_result(call, now))
    }

    fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
        let calls = calls.to_vec();
        self.query(move |database| database.drop_results(&calls))
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.query(PostgresDatabase::head)
    }

    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.query_long(move |database| database.read_entries(from, limit))
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn set_wake_callback(&self, wake: WakeCallback) {
        self.listener.set_wake_callback(wake);
    }
}

//! The single writer of a node: sends all queued commits in one statement.

use super::database::{PostgresDatabase, StoreInstants};
use super::{CachedSnapshot, CellVersion, CellVersions};
use crate::cells::{Cell, cell_names, collect_changed_cells, stale_conflict};
use crate::globals::setting_change;
use crate::limits::MAX_POSTGRES_BATCH;
use crate::load::contains_rows;
use crate::prepared_commit::CommitJob;
use crate::queue::{BatchWriter, QueuedJob, WriteQueue};
use crate::rows::{Row, changed_rows};
use crate::{CallsRead, ReadScope, StoreError};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionKey;
use countersign_core::state::Conflict;
use countersign_ledger::UnlinkedEntry;
use postgres::types::Type;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

type CommitResult = Result<CachedSnapshot, StoreError>;
type PostgresJob = CommitJob<CachedSnapshot>;

pub(super) struct PostgresWriter {
    queue: WriteQueue<PostgresJob, CachedSnapshot, PostgresBatchWriter>,
    timeout: Duration,
}

impl PostgresWriter {
    pub fn start(database: PostgresDatabase, timeout: Duration) -> Result<Self, StoreError> {
        Ok(Self { queue: WriteQueue::start(PostgresBatchWriter { database })?, timeout })
    }

    pub fn commit(&self, job: PostgresJob) -> CommitResult {
        self.queue.run_with_timeout(job, self.timeout)
    }
}

struct PostgresBatchWriter {
    database: PostgresDatabase,
}

/// How a batch reads what is not cached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Others may commit meanwhile; then nothing is written.
    Shared,
    /// In a transaction that holds the lock of the ledger's end.
    Exclusive,
}

/// What a batch will write, and the versions that it was prepared on.
#[derive(Default)]
struct BatchDraft {
    read_versions: CellVersions,
    changed_cells: BTreeSet<String>,
    /// Those of them that changed decisively.
    decisive_cells: BTreeSet<String>,
    /// By table and key. The last row of a key counts.
    rows: HashMap<(&'static str, String), Row>,
    /// In the order in which they were first touched.
    order: Vec<(&'static str, String)>,
    entries: Vec<UnlinkedEntry>,
    pauses: Vec<String>,
    resumes: Vec<String>,
    /// The last value of a setting counts.
    settings: BTreeMap<Cow<'static, str>, Option<String>>,
    erased: Vec<i64>,
    notify_nodes: bool,
    snapshots: HashMap<SessionKey, CachedSnapshot>,
}

impl BatchWriter<PostgresJob, CachedSnapshot> for PostgresBatchWriter {
    const MAX_BATCH: usize = MAX_POSTGRES_BATCH;

    fn write_together(
        &mut self,
        batch: &[QueuedJob<PostgresJob, CachedSnapshot>],
    ) -> Result<Vec<CommitResult>, StoreError> {
        let jobs: Vec<&PostgresJob> = batch.iter().map(|queued| &queued.job).collect();
        let cached = jobs.iter().map(|job| job.take_cached()).collect();
        if let Some(results) = write_jobs(&mut self.database, &jobs, cached, Access::Shared)? {
            return Ok(results);
        }
        // Others committed first. What was cached is stale, and the next attempt waits for its turn.
        self.database.begin_exclusive()?;
        let nothing_cached = jobs.iter().map(|_| None).collect();
        let written = write_jobs(&mut self.database, &jobs, nothing_cached, Access::Exclusive);
        end_exclusive(&mut self.database, written)
    }
}

/// Begins an exclusive transaction and reads in it. The transaction stays open.
pub(super) fn read_exclusively(
    database: &mut PostgresDatabase,
    scope: &ReadScope,
) -> Result<(CachedSnapshot, StoreInstants), StoreError> {
    database.begin_exclusive()?;
    database.load_snapshot_exclusively(scope).inspect_err(|_| database.roll_back())
}

/// Commits what was decided on `read_exclusively`, and ends the transaction.
pub(super) fn write_exclusively(
    database: &mut PostgresDatabase,
    job: &PostgresJob,
) -> Result<(), StoreError> {
    let written = write_jobs(database, &[job], vec![job.take_cached()], Access::Exclusive);
    let results = end_exclusive(database, written)?;
    results.into_iter().try_for_each(|result| result.map(drop))
}

fn end_exclusive(
    database: &mut PostgresDatabase,
    written: Result<Option<Vec<CommitResult>>, StoreError>,
) -> Result<Vec<CommitResult>, StoreError> {
    match written {
        Ok(Some(results)) => database.commit_exclusive().map(|()| results),
        Ok(None) => {
            database.roll_back();
            Err(StoreError::unavailable("writing", &"the lock of the ledger was lost"))
        }
        Err(error) => {
            database.roll_back();
            Err(error)
        }
    }
}

/// Writes jobs in one statement. None if others have changed what they read; then nothing is
/// written.
fn write_jobs(
    database: &mut PostgresDatabase,
    jobs: &[&PostgresJob],
    cached: Vec<Option<CachedSnapshot>>,
    access: Access,
) -> Result<Option<Vec<CommitResult>>, StoreError> {
    let mut draft = BatchDraft::default();
    let mut results = Vec::with_capacity(jobs.len());
    for (job, cached) in jobs.iter().zip(cached) {
        results.push(draft.apply_job(database, job, cached, access)?);
    }
    if !draft.entries.is_empty() && !draft.write(database)? {
        return Ok(None);
    }
    let advance = |(job, result): (&&PostgresJob, CommitResult)| {
        result.map(|own| draft.advance(draft.last_snapshot(job).unwrap_or(own)))
    };
    Ok(Some(jobs.iter().zip(results).map(advance).collect()))
}

impl BatchDraft {
    /// The outer error fails the batch, the inner one only this commit.
    fn apply_job(
        &mut self,
        database: &mut PostgresDatabase,
        job: &PostgresJob,
        cached: Option<CachedSnapshot>,
        access: Access,
    ) -> Result<CommitResult, StoreError> {
        let session = job.scope.single_session();
        let in_batch = session.and_then(|session| self.snapshots.get(session).cloned());
        let is_complete =
            |snapshot: &CachedSnapshot| contains_rows(&snapshot.state, &job.scope.rows);
        let mut snapshot = match in_batch.or(cached).filter(is_complete) {
            Some(snapshot) => snapshot,
            // A read would not see what this batch has not written yet.
            None if !self.entries.is_empty() => return Err(needs_own_batch()),
            None if access == Access::Exclusive => {
                database.load_snapshot_exclusively(&job.scope)?.0
            }
            None => database.load_snapshot(&job.scope)?.0,
        };
        if let Some(conflict) = self.find_conflict(job, &snapshot) {
            return Ok(Err(conflict.into()));
        }
        let state = Arc::make_mut(&mut snapshot.state);
        job.changes.iter().for_each(|change| state.apply(job.at, change));
        let touched = state.take_touched();
        snapshot.commits_since_read += 1;
        let changed = collect_changed_cells(&snapshot.state, &touched, &job.changes);
        if self.is_stale(session, &snapshot) {
            return Err(needs_own_batch());
        }
        for (cell, version) in snapshot.versions.iter() {
            self.read_versions.entry(cell.clone()).or_insert(*version);
        }
        self.changed_cells.extend(cell_names(&changed.contents));
        self.decisive_cells.extend(cell_names(&changed.decisive));
        changed_rows(&snapshot.state, &touched, &job.prepared.call_texts)?
            .into_iter()
            .for_each(|row| self.put_row(row));
        job.changes.iter().for_each(|change| self.record_globals(change));
        self.entries.extend(job.prepared.bodies.iter().map(|body| body.unlinked(job.at)));
        if let Some(session) = session {
            self.snapshots.insert(session.clone(), snapshot.clone());
        }
        Ok(Ok(snapshot))
    }

    /// The conflict of a job with what others, or earlier jobs of this batch, have changed since
    /// its step read.
    fn find_conflict(&self, job: &PostgresJob, snapshot: &CachedSnapshot) -> Option<Conflict> {
        let calls = job.scope.calls;
        let changed_in_batch = match calls {
            CallsRead::All => &self.changed_cells,
            CallsRead::OnlyRows => &self.decisive_cells,
        };
        let is_stale = |(cell, now): (&String, &CellVersion)| {
            let read = job.basis.cells.as_ref().and_then(|cells| cells.get(cell));
            changed_in_batch.contains(cell)
                || read.is_none_or(|read| !read.is_same_for(*now, calls))
        };
        let stale = snapshot.versions.iter().find(|entry| is_stale(*entry));
        stale
            .map(|(cell, _)| stale_conflict(cell))
            .or_else(|| snapshot.state.conflict(&job.changes))
    }

    /// Returns false, and writes nothing, if a cell has changed meanwhile.
    fn write(&self, database: &mut PostgresDatabase) -> Result<bool, StoreError> {
        let (read_cells, versions): (Vec<_>, Vec<_>) = self
            .read_versions
            .iter()
            .map(|(cell, version)| (cell.as_str(), version.contents))
            .unzip();
        let changed_cells: Vec<&str> = self.changed_cells.iter().map(String::as_str).collect();
        let decisive_cells: Vec<&str> = self.decisive_cells.iter().map(String::as_str).collect();
        let rows: Vec<&Row> = self.order.iter().filter_map(|key| self.rows.get(key)).collect();
        let columns = RowColumns::from_rows(&rows);
        let entries = &self.entries;
        let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.word()).collect();
        let beginnings: Vec<&str> = entries.iter().map(|entry| entry.beginning.as_str()).collect();
        let middles: Vec<&str> = entries.iter().map(|entry| entry.middle.as_str()).collect();
        let sealed: Vec<_> = entries.iter().map(|entry| entry.content.as_ref()).collect();
        let salts: Vec<_> = sealed.iter().map(|held| held.map(|held| &held.salt.0[..])).collect();
        let sealings: Vec<_> =
            sealed.iter().map(|held| held.map(|held| held.text.as_str())).collect();
        let (keys, values): (Vec<&str>, Vec<Option<&str>>) =
            self.settings.iter().map(|(key, value)| (&**key, value.as_deref())).unzip();
        let answer = database.query_writing(
            "SELECT {s}.commit_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                 $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)",
            &[
                (&read_cells, Type::TEXT_ARRAY),
                (&versions, Type::INT8_ARRAY),
                (&changed_cells, Type::TEXT_ARRAY),
                (&decisive_cells, Type::TEXT_ARRAY),
                (&columns.kind, Type::TEXT_ARRAY),
                (&columns.key, Type::TEXT_ARRAY),
                (&columns.session, Type::TEXT_ARRAY),
                (&columns.project, Type::TEXT_ARRAY),
                (&columns.agent, Type::TEXT_ARRAY),
                (&columns.run, Type::TEXT_ARRAY),
                (&columns.state, Type::TEXT_ARRAY),
                (&columns.due, Type::INT8_ARRAY),
                (&columns.body, Type::TEXT_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
                (&beginnings, Type::TEXT_ARRAY),
                (&middles, Type::TEXT_ARRAY),
                (&salts, Type::BYTEA_ARRAY),
                (&sealings, Type::TEXT_ARRAY),
                (&self.erased, Type::INT8_ARRAY),
                (&self.pauses, Type::TEXT_ARRAY),
                (&self.resumes, Type::TEXT_ARRAY),
                (&keys, Type::TEXT_ARRAY),
                (&values, Type::TEXT_ARRAY),
                (&self.notify_nodes, Type::BOOL),
            ],
        )?;
        Ok(answer.first().is_some_and(|row| row.try_get(0).unwrap_or(false)))
    }
}

/// The job cannot be written together with the others of its batch.
fn needs_own_batch() -> StoreError {
    StoreError::unavailable("writing", &"the batch has changed what it reads")
}

impl BatchDraft {
    /// Whether the batch has changed a cell that this snapshot was read without.
    fn is_stale(&self, session: Option<&SessionKey>, snapshot: &CachedSnapshot) -> bool {
        let own = session.map(|session| Cell::Session(session.clone()).to_string());
        let is_continued = session.is_some_and(|session| self.snapshots.contains_key(session));
        snapshot.versions.keys().any(|cell| {
            self.changed_cells.contains(cell) && !(is_continued && Some(cell) == own.as_ref())
        })
    }

    fn put_row(&mut self, row: Row) {
        let key = (row.kind.table(), row.key.clone());
        if self.rows.insert(key.clone(), row).is_none() {
            self.order.push(key);
        }
    }

    /// Paused agents and settings have no rows. Some changes must wake waiters on other nodes.
    fn record_globals(&mut self, change: &Change) {
        self.settings.extend(setting_change(change).map(|setting| (setting.key, setting.value)));
        match change {
            Change::AgentPaused { agent } => self.pauses.push(agent.as_str().to_owned()),
            Change::AgentResumed { agent } => self.resumes.push(agent.as_str().to_owned()),
            Change::ArgumentsErased { erased } => {
                self.erased
                    .extend(erased.entries.iter().filter_map(|seq| i64::try_from(*seq).ok()));
            }
            Change::RequestAnswered { .. }
            | Change::GrantRevoked { .. }
            | Change::GrantMinted { .. }
            | Change::NoticeRaised { .. }
            | Change::ConsentReset { .. } => self.notify_nodes = true,
            _ => {}
        }
    }

    /// The state of a job's session after the whole batch. Its versions are those after the whole
    /// batch too, and any caller of the batch may be the last that caches what it gets.
    fn last_snapshot(&self, job: &PostgresJob) -> Option<CachedSnapshot> {
        self.snapshots.get(job.scope.single_session()?).cloned()
    }

    /// A snapshot after the commit: the version of each changed cell has grown by one.
    fn advance(&self, mut snapshot: CachedSnapshot) -> CachedSnapshot {
        for (cell, version) in Arc::make_mut(&mut snapshot.versions) {
            let before = self.read_versions.get(cell).copied().unwrap_or(*version);
            version.contents = before.contents + i64::from(self.changed_cells.contains(cell));
            version.decisive = before.decisive + i64::from(self.decisive_cells.contains(cell));
        }
        snapshot
    }
}

/// The rows as one array for each column.
#[derive(Default)]
struct RowColumns<'a> {
    kind: Vec<&'a str>,
    key: Vec<&'a str>,
    session: Vec<Option<&'a str>>,
    project: Vec<Option<&'a str>>,
    agent: Vec<Option<&'a str>>,
    run: Vec<Option<&'a str>>,
    state: Vec<Option<&'a str>>,
    due: Vec<Option<i64>>,
    body: Vec<Option<&'a str>>,
}

impl<'a> RowColumns<'a> {
    fn from_rows(rows: &[&'a Row]) -> Self {
        let mut columns = Self::default();
        for row in rows {
            let content = row.content.as_ref();
            columns.kind.push(row.kind.table());
            columns.key.push(&row.key);
            columns.session.push(content.and_then(|content| content.session.as_deref()));
            columns.project.push(content.and_then(|content| content.project.as_deref()));
            columns.agent.push(content.and_then(|content| content.agent.as_deref()));
            columns.run.push(content.and_then(|content| content.run.as_deref()));
            columns.state.push(content.map(|content| content.state));
            columns.due.push(content.and_then(|content| content.due));
            columns.body.push(content.map(|content| content.body.as_str()));
        }
        columns
    }
}

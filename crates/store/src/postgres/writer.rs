//! The single writer of a node: sends all queued commits in one statement.

use super::database::PostgresDatabase;
use super::{CachedSnapshot, CellVersions, cell_names};
use crate::StoreError;
use crate::cells::{Cell, collect_changed_cells};
use crate::globals::setting_change;
use crate::limits::{MAX_COMMIT_ATTEMPTS, MAX_POSTGRES_BATCH};
use crate::load::contains_rows;
use crate::prepared_commit::CommitJob;
use crate::queue::{BatchWriter, QueuedJob, WriteQueue};
use crate::rows::{Row, changed_rows};
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionName;
use postgres::types::Type;
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
    pub fn start(mut database: PostgresDatabase, timeout: Duration) -> Result<Self, StoreError> {
        let head = database.head()?;
        Ok(Self { queue: WriteQueue::start(PostgresBatchWriter { database, head })?, timeout })
    }

    pub fn commit(&self, job: PostgresJob) -> CommitResult {
        self.queue.run_with_timeout(job, self.timeout)
    }
}

struct PostgresBatchWriter {
    database: PostgresDatabase,
    /// Where this node believes that the ledger ends.
    head: Head,
}

/// What a batch will write, and the versions that it was prepared on.
struct BatchDraft {
    /// The ledger's end after the batch.
    head: Head,
    read_versions: CellVersions,
    changed_cells: BTreeSet<String>,
    /// By table and key. The last row of a key counts.
    rows: HashMap<(&'static str, String), Row>,
    /// In the order in which they were first touched.
    order: Vec<(&'static str, String)>,
    entries: Vec<Entry>,
    pauses: Vec<String>,
    resumes: Vec<String>,
    /// The last value of a setting counts.
    settings: BTreeMap<&'static str, Option<String>>,
    erased: Vec<i64>,
    notify_nodes: bool,
    snapshots: HashMap<SessionName, CachedSnapshot>,
}

impl BatchWriter<PostgresJob, CachedSnapshot> for PostgresBatchWriter {
    const MAX_BATCH: usize = MAX_POSTGRES_BATCH;

    fn write_together(
        &mut self,
        batch: &[QueuedJob<PostgresJob, CachedSnapshot>],
    ) -> Result<Vec<CommitResult>, StoreError> {
        for attempt in 0..MAX_COMMIT_ATTEMPTS {
            let mut draft = BatchDraft::new(self.head);
            let mut results = Vec::with_capacity(batch.len());
            for QueuedJob { job, .. } in batch {
                // A cached snapshot may be stale: the second attempt reads it again.
                let cached = job.take_cached().filter(|_| attempt == 0);
                results.push(self.apply_job(job, cached, &mut draft)?);
            }
            if draft.entries.is_empty() || self.write(&draft)? {
                self.head = draft.head;
                let advance = |result: CommitResult| result.map(|cached| draft.advance(cached));
                return Ok(results.into_iter().map(advance).collect());
            }
            self.head = self.database.head()?;
        }
        Err(StoreError::unavailable("writing", &"other nodes were faster every time"))
    }
}

impl PostgresBatchWriter {
    /// The outer error fails the batch, the inner one only this commit.
    fn apply_job(
        &mut self,
        job: &PostgresJob,
        cached: Option<CachedSnapshot>,
        draft: &mut BatchDraft,
    ) -> Result<CommitResult, StoreError> {
        let session = job.scope.single_session();
        let in_batch = session.and_then(|session| draft.snapshots.get(session).cloned());
        let is_complete =
            |snapshot: &CachedSnapshot| contains_rows(&snapshot.state, &job.scope.rows);
        let mut snapshot = match in_batch.or(cached).filter(is_complete) {
            Some(snapshot) => snapshot,
            // A read would not see what this batch has not written yet.
            None if !draft.entries.is_empty() => return Err(needs_own_batch()),
            None => self.database.load_snapshot(&job.scope)?.0,
        };
        if let Some(conflict) = snapshot.state.conflict(&job.changes) {
            return Ok(Err(conflict.into()));
        }
        let state = Arc::make_mut(&mut snapshot.state);
        job.changes.iter().for_each(|change| state.apply(job.at, change));
        let touched = state.take_touched();
        snapshot.commits_since_read += 1;
        let changed = collect_changed_cells(&snapshot.state, &touched, &job.changes);
        if draft.is_stale(session, &snapshot) {
            return Err(needs_own_batch());
        }
        for (cell, version) in &snapshot.versions {
            draft.read_versions.entry(cell.clone()).or_insert(*version);
        }
        draft.changed_cells.extend(cell_names(&changed));
        changed_rows(&snapshot.state, &touched, &job.prepared.call_texts)?
            .into_iter()
            .for_each(|row| draft.put_row(row));
        job.changes.iter().for_each(|change| draft.record_globals(change));
        for body in &job.prepared.bodies {
            let entry = Entry::chained(draft.head, job.at, body.clone());
            draft.head = entry.head();
            draft.entries.push(entry);
        }
        if let Some(session) = session {
            draft.snapshots.insert(session.clone(), snapshot.clone());
        }
        Ok(Ok(snapshot))
    }

    /// Returns false, and writes nothing, if the ledger's end or a cell has changed meanwhile.
    fn write(&mut self, draft: &BatchDraft) -> Result<bool, StoreError> {
        let (read_cells, versions): (Vec<_>, Vec<_>) =
            draft.read_versions.iter().map(|(cell, version)| (cell.as_str(), *version)).unzip();
        let changed_cells: Vec<&str> = draft.changed_cells.iter().map(String::as_str).collect();
        let rows: Vec<&Row> = draft.order.iter().filter_map(|key| draft.rows.get(key)).collect();
        let columns = RowColumns::from_rows(&rows);
        let entries = &draft.entries;
        let seqs: Vec<i64> =
            entries.iter().map(|entry| i64::try_from(entry.seq).unwrap_or(i64::MAX)).collect();
        let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.word()).collect();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.bytes.as_str()).collect();
        let hashes: Vec<&[u8]> = entries.iter().map(|entry| &entry.hash.bytes()[..]).collect();
        let sealed: Vec<_> = entries.iter().map(Entry::content).collect();
        let salts: Vec<_> = sealed.iter().map(|held| held.map(|held| &held.salt.0[..])).collect();
        let sealings: Vec<_> =
            sealed.iter().map(|held| held.map(|held| held.text.as_str())).collect();
        let (keys, values): (Vec<&str>, Vec<Option<&str>>) =
            draft.settings.iter().map(|(key, value)| (*key, value.as_deref())).unzip();
        let next = i64::try_from(self.head.next).unwrap_or(i64::MAX);
        let tip: &[u8] = self.head.hash.bytes();
        let answer = self.database.query_writing(
            "SELECT {s}.commit_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                 $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)",
            &[
                (&next, Type::INT8),
                (&tip, Type::BYTEA),
                (&read_cells, Type::TEXT_ARRAY),
                (&versions, Type::INT8_ARRAY),
                (&changed_cells, Type::TEXT_ARRAY),
                (&columns.kind, Type::TEXT_ARRAY),
                (&columns.key, Type::TEXT_ARRAY),
                (&columns.session, Type::TEXT_ARRAY),
                (&columns.project, Type::TEXT_ARRAY),
                (&columns.agent, Type::TEXT_ARRAY),
                (&columns.run, Type::TEXT_ARRAY),
                (&columns.state, Type::TEXT_ARRAY),
                (&columns.due, Type::INT8_ARRAY),
                (&columns.body, Type::TEXT_ARRAY),
                (&seqs, Type::INT8_ARRAY),
                (&kinds, Type::TEXT_ARRAY),
                (&texts, Type::TEXT_ARRAY),
                (&hashes, Type::BYTEA_ARRAY),
                (&salts, Type::BYTEA_ARRAY),
                (&sealings, Type::TEXT_ARRAY),
                (&draft.erased, Type::INT8_ARRAY),
                (&draft.pauses, Type::TEXT_ARRAY),
                (&draft.resumes, Type::TEXT_ARRAY),
                (&keys, Type::TEXT_ARRAY),
                (&values, Type::TEXT_ARRAY),
                (&draft.notify_nodes, Type::BOOL),
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
    fn new(head: Head) -> Self {
        Self {
            head,
            read_versions: CellVersions::new(),
            changed_cells: BTreeSet::new(),
            rows: HashMap::new(),
            order: Vec::new(),
            entries: Vec::new(),
            pauses: Vec::new(),
            resumes: Vec::new(),
            settings: BTreeMap::new(),
            erased: Vec::new(),
            notify_nodes: false,
            snapshots: HashMap::new(),
        }
    }

    /// Whether the batch has changed a cell that this snapshot was read without.
    fn is_stale(&self, session: Option<&SessionName>, snapshot: &CachedSnapshot) -> bool {
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

    /// A snapshot after the commit: the version of each changed cell has grown by one.
    fn advance(&self, mut snapshot: CachedSnapshot) -> CachedSnapshot {
        for (cell, version) in &mut snapshot.versions {
            let before = self.read_versions.get(cell).copied().unwrap_or(*version);
            *version = before + i64::from(self.changed_cells.contains(cell));
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

//! The single writer of the SQLite store: writes all queued commits in one transaction and replies
//! when they are on the disk.
//!
//! See docs/decisions/0021-commit-latency.md.

use super::checkpoint::{self, CheckpointThread, CheckpointTrigger};
use super::database::SqliteDatabase;
use super::folder::{LockedFolder, OpenedFiles};
use super::read_cache::{ReadCache, SqliteJob};
use super::reserve::DiskReserve;
use super::session_cache::SessionCache;
use super::working_copies::{WorkingCopies, WorkingCopy};
use crate::cells::{CellChanges, collect_changed_cells};
use crate::globals::{SettingChange, setting_change};
use crate::instant::latest_instant;
use crate::limits::{
    CHECKPOINT_PAGES, LEDGER_TAIL_ENTRIES, MAX_SQLITE_BATCH, PAGE_BYTES, PAGES_PER_COMMIT,
};
use crate::load::{contains_rows, load_state};
use crate::prepared_commit::CommitJob;
use crate::queue::{BatchWriter, QueuedJob, WriteQueue};
use crate::rows::changed_rows;
use crate::{Commit, CommitCallback, ExclusiveStep, ReadBasis, ReadScope, Snapshot, StoreError};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_core::state::TouchedRows;
use countersign_ledger::Head;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

type CommitResult = Result<(), StoreError>;

/// What made the store unusable, once something has.
type Damage = Arc<OnceLock<StoreError>>;

/// What the writer shares with readers.
#[derive(Clone)]
pub(super) struct SharedCaches {
    pub sessions: Arc<SessionCache>,
    pub reads: Arc<ReadCache>,
}

pub(super) struct SqliteWriter {
    queue: WriteQueue<SqliteJob, (), SqliteBatchWriter>,
    /// Declared after the queue, which must end before this is waited for.
    _checkpoints: CheckpointThread,
    damage: Damage,
    last_commit_at: Arc<AtomicI64>,
    read_cache: Arc<ReadCache>,
}

impl SqliteWriter {
    pub fn start(
        database: SqliteDatabase,
        folder: LockedFolder,
        head: Head,
        caches: SharedCaches,
    ) -> Result<Self, StoreError> {
        let damage = Damage::default();
        let path = folder.file.clone();
        let from = head.next.saturating_sub(LEDGER_TAIL_ENTRIES);
        let tail = database.read_entries(from, usize::MAX)?;
        let last_commit_at = Arc::new(AtomicI64::new(latest_instant(&tail).micros()));
        let (checkpoint, requests) = checkpoint::trigger_channel();
        let read_cache = Arc::clone(&caches.reads);
        let queue = WriteQueue::start(SqliteBatchWriter {
            database,
            _folder: folder,
            files: OpenedFiles::read(&path)?,
            head,
            caches,
            copies: WorkingCopies::new(),
            cell_changes: CellChanges::default(),
            damage: Arc::clone(&damage),
            last_commit_at: Arc::clone(&last_commit_at),
            log_pages: 0,
            checkpoint,
            reserve: DiskReserve::open(&path),
        })?;
        let writer = queue.writer();
        let checkpoints = CheckpointThread::start(&path, requests, move || {
            let Some(writer) = writer.upgrade() else { return ControlFlow::Break(()) };
            if let Ok(mut writer) = writer.lock() {
                writer.restart_log();
            }
            ControlFlow::Continue(())
        })?;
        Ok(Self { queue, _checkpoints: checkpoints, damage, last_commit_at, read_cache })
    }

    pub fn commit(&self, commit: Commit) -> CommitResult {
        self.queue.run(self.prepare_job(commit)?)
    }

    pub fn submit_with_callback(&self, commit: Commit, callback: CommitCallback) {
        match self.prepare_job(commit) {
            Err(error) => callback(Err(error)),
            Ok(job) => self.queue.submit_with_callback(job, |finished| callback(finished.result)),
        }
    }

    fn prepare_job(&self, commit: Commit) -> Result<SqliteJob, StoreError> {
        self.check_trusted()?;
        let cached = self.read_cache.take(&commit.scope)?;
        CommitJob::prepare(commit, cached)
    }

    /// Decides and commits while this thread alone has the writer.
    pub fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> CommitResult {
        self.check_trusted()?;
        self.queue.run_exclusively(|writer| {
            let snapshot = writer.read(scope).inspect_err(|error| writer.note_failure(error))?;
            let basis = snapshot.basis.clone();
            let Some((at, changes)) = step(snapshot) else { return Ok(None) };
            CommitJob::prepare(Commit { scope: scope.clone(), basis, at, changes }, None).map(Some)
        })
    }

    /// Writes about so many bytes that belong to no commit, between two batches.
    pub fn write_apart(
        &self,
        bytes: usize,
        write: impl FnOnce(&SqliteDatabase) -> Result<(), StoreError>,
    ) -> CommitResult {
        self.check_trusted()?;
        self.queue.run_exclusively(|writer| {
            writer.files.check_in_place()?;
            let written = write(&writer.database);
            written.inspect_err(|error| writer.note_failure(error))?;
            // Nothing is acknowledged that was written to a file which is gone.
            writer.files.check_in_place()?;
            writer.log_pages += bytes / PAGE_BYTES + PAGES_PER_COMMIT;
            if writer.log_pages >= CHECKPOINT_PAGES {
                writer.checkpoint.request();
            }
            Ok(None)
        })
    }

    pub fn last_commit_at(&self) -> Time {
        Time::from_micros(self.last_commit_at.load(Ordering::SeqCst))
    }

    /// Refuses everything once something stored was unreadable.
    pub fn check_trusted(&self) -> Result<(), StoreError> {
        self.damage.get().map_or(Ok(()), |damage| Err(damage.clone()))
    }

    pub fn distrust(&self, error: &StoreError) {
        record_damage(&self.damage, error);
    }
}

fn record_damage(damage: &Damage, error: &StoreError) {
    if matches!(error, StoreError::Damaged { .. }) {
        // The first damage stays.
        let _set = damage.set(error.clone());
    }
}

/// Whether a commit deletes texts for good.
fn erases_arguments(job: &SqliteJob) -> bool {
    job.changes.iter().any(|change| matches!(change, Change::ArgumentsErased { .. }))
}

pub(super) struct SqliteBatchWriter {
    database: SqliteDatabase,
    _folder: LockedFolder,
    files: OpenedFiles,
    head: Head,
    caches: SharedCaches,
    copies: WorkingCopies,
    cell_changes: CellChanges,
    damage: Damage,
    last_commit_at: Arc<AtomicI64>,
    /// An estimate of the pages in the log.
    log_pages: usize,
    checkpoint: CheckpointTrigger,
    reserve: DiskReserve,
}

impl BatchWriter<SqliteJob, ()> for SqliteBatchWriter {
    const MAX_BATCH: usize = MAX_SQLITE_BATCH;

    fn write_together(
        &mut self,
        batch: &[QueuedJob<SqliteJob, ()>],
    ) -> Result<Vec<CommitResult>, StoreError> {
        self.reserve.restore();
        match self.write_or_roll_back(batch) {
            Err(error) if self.reserve.release(&error) => self.write_or_roll_back(batch),
            written => written,
        }
    }

    fn note_failure(&mut self, error: &StoreError) {
        record_damage(&self.damage, error);
    }
}

impl SqliteBatchWriter {
    fn write_or_roll_back(
        &mut self,
        batch: &[QueuedJob<SqliteJob, ()>],
    ) -> Result<Vec<CommitResult>, StoreError> {
        let head = self.head;
        let written = self.write_transaction(batch);
        if written.is_err() {
            let _rolled_back = self.database.run("ROLLBACK");
            // It changed nothing, so a snapshot that is read from now on lacks nothing of it.
            self.caches.reads.set_completed(self.cell_changes.transaction);
            self.head = head;
            self.copies.clear();
            self.caches.sessions.clear()?;
        }
        written
    }

    fn write_transaction(
        &mut self,
        batch: &[QueuedJob<SqliteJob, ()>],
    ) -> Result<Vec<CommitResult>, StoreError> {
        self.files.check_in_place()?;
        self.database.run("BEGIN IMMEDIATE")?;
        self.cell_changes.transaction = self.caches.reads.completed_transactions() + 1;
        let mut sessions = BTreeSet::new();
        let mut results = Vec::with_capacity(batch.len());
        for queued in batch {
            results.push(self.apply_job(&queued.job, &mut sessions)?);
        }
        self.database.run("COMMIT")?;
        // Nothing is acknowledged that was written to a file which is gone.
        self.files.check_in_place()?;
        self.caches.reads.set_completed(self.cell_changes.transaction);
        if batch.iter().any(|queued| erases_arguments(&queued.job)) {
            self.database.truncate_log();
        }
        let at = batch.iter().map(|queued| queued.job.at.micros()).max();
        self.last_commit_at.fetch_max(at.unwrap_or(i64::MIN), Ordering::SeqCst);
        self.publish(sessions)?;
        let changes = batch.iter().map(|queued| queued.job.changes.len()).sum::<usize>();
        self.log_pages += changes + PAGES_PER_COMMIT;
        if self.log_pages >= CHECKPOINT_PAGES {
            self.checkpoint.request();
        }
        Ok(results)
    }

    /// Moves the rest of the log and writes the start of the new one, so that no decision has to.
    pub fn restart_log(&mut self) {
        let restarted =
            self.database.checkpoint().and_then(|()| self.database.set_setting("log", "begun"));
        // A log that could not be moved is moved at the next checkpoint.
        if restarted.is_ok() {
            self.log_pages = 0;
        }
    }

    /// A snapshot of everything that is committed. What readers have of a session is that too, between
    /// two transactions: with many open questions in one session, loading all of them for each
    /// further one would cost more and more.
    fn read(&mut self, scope: &ReadScope) -> Result<Snapshot, StoreError> {
        let transaction = self.caches.reads.completed_transactions();
        let published = match scope.single_session() {
            Some(session) => self.caches.sessions.get(session)?,
            None => None,
        };
        let published = published.map(|(state, _)| state);
        let state = match published.filter(|state| contains_rows(state, &scope.rows)) {
            Some(state) => state,
            None => Arc::new(load_state(&mut self.database, scope)?),
        };
        Ok(Snapshot {
            state,
            basis: ReadBasis { transaction, cells: None },
            now: None,
            last_commit_at: Time::from_micros(self.last_commit_at.load(Ordering::SeqCst)),
        })
    }

    /// The outer error fails the transaction, the inner one only this commit.
    fn apply_job(
        &mut self,
        job: &SqliteJob,
        sessions: &mut BTreeSet<SessionKey>,
    ) -> Result<CommitResult, StoreError> {
        if let Err(refused) = self.reserve.check_allowed(&job.changes) {
            return Ok(Err(refused));
        }
        let session = job.scope.single_session();
        let mut copy = self.working_copy(job, session)?;
        if let Some(conflict) = copy.find_conflict(job, &self.cell_changes) {
            self.copies.put_back(&job.scope, copy, &TouchedRows::default());
            return Ok(Err(conflict.into()));
        }
        let touched = copy.apply(job.at, &job.changes);
        for row in changed_rows(copy.state(), &touched, &job.prepared.call_texts)? {
            self.database.write_row(&row)?;
        }
        job.changes.iter().try_for_each(|change| self.write_globals(change))?;
        for body in &job.prepared.bodies {
            let link = body.linked(self.head, job.at);
            self.database.append_entry(&link, body)?;
            self.head = link.head();
        }
        let changed = collect_changed_cells(copy.state(), &touched, &job.changes);
        copy.drop_ended_calls(&touched);
        self.cell_changes.record(&changed);
        self.copies.drop_stale(&changed.contents, session);
        sessions.extend(session.cloned());
        self.copies.put_back(&job.scope, copy, &touched);
        Ok(Ok(()))
    }

    fn working_copy(
        &mut self,
        job: &SqliteJob,
        session: Option<&SessionKey>,
    ) -> Result<WorkingCopy, StoreError> {
        let copy = session.and_then(|session| self.copies.take(session, &job.scope.rows));
        if let Some(copy) = copy {
            return Ok(copy);
        }
        match job.take_cached().and_then(|read| read.into_current(&self.cell_changes)) {
            Some(state) => Ok(WorkingCopy::new(state)),
            None => {
                let state = load_state(&mut self.database, &job.scope)?;
                Ok(WorkingCopy::new(Arc::new(state)))
            }
        }
    }

    /// Paused agents and settings have no rows in the state.
    fn write_globals(&self, change: &Change) -> Result<(), StoreError> {
        match change {
            Change::AgentPaused { agent } => self.database.pause(agent),
            Change::AgentResumed { agent } => self.database.resume(agent),
            Change::ArgumentsErased { erased } => self.database.erase_sealed(&erased.entries),
            _ => match setting_change(change) {
                Some(SettingChange { key, value: Some(value) }) => {
                    self.database.set_setting(&key, &value)
                }
                Some(SettingChange { key, value: None }) => self.database.delete_setting(&key),
                None => Ok(()),
            },
        }
    }

    fn publish(&mut self, sessions: BTreeSet<SessionKey>) -> Result<(), StoreError> {
        let publication = self.copies.publish(sessions);
        if self.caches.sessions.is_enabled() {
            return self.caches.sessions.publish(publication, self.cell_changes.transaction);
        }
        self.copies.clear();
        self.caches.sessions.clear()
    }
}

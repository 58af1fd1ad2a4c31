//! The one thread that writes: it takes what waits, writes it in one transaction, and answers
//! when the disk has it.

use super::checkpoint::{self, Checkpoints, Due};
use super::database::Database;
use super::folder::{Owned, identity};
use super::reads::{Moves, Read, Reads};
use super::slices::Slices;
use super::workings::{Working, Workings};
use crate::beforehand::Beforehand;
use crate::cells::of_changes;
use crate::globals::moved;
use crate::instant::{TAIL, latest};
use crate::load::load;
use crate::queue::{Batches, Queue, Waiting};
use crate::rows::changed;
use crate::{Need, StoreError, Then, Ticket, only_session};
use countersign_core::ledger::Head;
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::state::Touched;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

type Answer = Result<(), StoreError>;

struct Job {
    need: Need,
    at: Time,
    changes: Arc<Vec<Change>>,
    beforehand: Beforehand,
    /// What it was decided on, if that was read from the file.
    read: Mutex<Option<Read>>,
}

pub(super) struct Writer {
    queue: Queue<Job, (), Work>,
    /// After the queue, so that it has ended before this is waited for.
    _checkpoints: Checkpoints,
    /// What made the store unbelievable, once something has.
    distrusted: Arc<OnceLock<(String, String)>>,
    last: Arc<AtomicI64>,
    reads: Arc<Reads>,
}

impl Writer {
    pub fn start(
        database: Database,
        owned: Owned,
        head: Head,
        (slices, reads): (Arc<Slices>, Arc<Reads>),
    ) -> Result<Self, StoreError> {
        let distrusted = Arc::new(OnceLock::new());
        let (file, path) = (identity(&owned.file)?, owned.file.clone());
        let tail = database.page(head.next.saturating_sub(TAIL), usize::MAX)?;
        let last = Arc::new(AtomicI64::new(latest(&tail).micros()));
        let (due, told) = checkpoint::due();
        let queue = Queue::start(Work {
            database,
            owned,
            file,
            head,
            slices,
            workings: Workings::none(),
            moves: Moves::default(),
            reads: Arc::clone(&reads),
            distrusted: Arc::clone(&distrusted),
            last: Arc::clone(&last),
            logged: 0,
            due,
        })?;
        let checkpoints = Checkpoints::start(&path, told, queue.work())?;
        Ok(Self { queue, _checkpoints: checkpoints, distrusted, last, reads })
    }

    pub fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Answer {
        self.queue.ask(self.job(need, at, changes)?)
    }

    pub fn submit(
        &self,
        need: &Need,
        at: Time,
        changes: Vec<Change>,
    ) -> Result<Ticket, StoreError> {
        let handed = self.queue.post(self.job(need, at, changes)?)?;
        Ok(Ticket::new(move || handed.wait(None)))
    }

    /// The same, and calls back when it is durable or has failed.
    pub fn submit_then(&self, need: &Need, at: Time, changes: Vec<Change>, then: Then) {
        match self.job(need, at, changes) {
            Err(error) => then(Err(error)),
            Ok(job) => self.queue.post_then(job, |(ended, _)| then(ended)),
        }
    }

    fn job(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<Job, StoreError> {
        self.stands()?;
        let beforehand = Beforehand::of(&changes)?;
        let (need, changes) = (need.clone(), Arc::new(changes));
        let read = Mutex::new(self.reads.take(&need)?);
        Ok(Job { need, at, changes, beforehand, read })
    }

    /// The instant of what was committed last.
    pub fn last(&self) -> Time {
        Time::from_micros(self.last.load(Ordering::SeqCst))
    }

    /// Refuses everything once something stored could not be believed.
    pub fn stands(&self) -> Answer {
        match self.distrusted.get() {
            None => Ok(()),
            Some((what, cause)) => {
                Err(StoreError::Damaged { what: what.clone(), cause: cause.clone() })
            }
        }
    }

    pub fn distrust(&self, error: &StoreError) {
        distrust(&self.distrusted, error);
    }
}

fn distrust(distrusted: &OnceLock<(String, String)>, error: &StoreError) {
    if let StoreError::Damaged { what, cause } = error {
        // Whoever was first has said it.
        let _first = distrusted.set((what.clone(), cause.clone()));
    }
}

/// Whether something leaves the store for good.
fn erases(job: &Job) -> bool {
    job.changes.iter().any(|change| matches!(change, Change::ArgumentsErased { .. }))
}

pub(super) struct Work {
    database: Database,
    owned: Owned,
    /// The file that was opened, should another one be put in its place.
    file: (u64, u64),
    head: Head,
    slices: Arc<Slices>,
    workings: Workings,
    moves: Moves,
    reads: Arc<Reads>,
    distrusted: Arc<OnceLock<(String, String)>>,
    last: Arc<AtomicI64>,
    /// Pages since the log was last moved, about.
    logged: usize,
    due: Due,
}

impl Batches<Job, ()> for Work {
    const MOST: usize = 256;

    fn batch(&mut self, batch: Vec<Waiting<Job, ()>>) {
        match self.together(&batch) {
            Ok(answers) => {
                for (waiting, answer) in batch.into_iter().zip(answers) {
                    waiting.reply(answer);
                }
            }
            Err(error) if batch.len() == 1 => {
                distrust(&self.distrusted, &error);
                batch.into_iter().for_each(|waiting| waiting.reply(Err(error.clone())));
            }
            // One of them spoils the others: each for itself.
            Err(_) => batch.into_iter().for_each(|waiting| self.batch(vec![waiting])),
        }
    }
}

impl Work {
    /// All of a batch in one transaction, or none of it.
    fn together(&mut self, batch: &[Waiting<Job, ()>]) -> Result<Vec<Answer>, StoreError> {
        let head = self.head;
        let written = self.written(batch);
        if written.is_err() {
            let _undone = self.database.run("ROLLBACK");
            self.head = head;
            self.workings.clear();
            self.slices.clear()?;
        }
        written
    }

    fn written(&mut self, batch: &[Waiting<Job, ()>]) -> Result<Vec<Answer>, StoreError> {
        if identity(&self.owned.file)? != self.file {
            return Err(StoreError::Damaged {
                what: "the database file".to_owned(),
                cause: "another file was put in its place".to_owned(),
            });
        }
        self.database.run("BEGIN IMMEDIATE")?;
        self.moves.now = self.reads.seen() + 1;
        let mut used = BTreeSet::new();
        let mut answers = Vec::with_capacity(batch.len());
        for waiting in batch {
            answers.push(self.one(&waiting.job, &mut used)?);
        }
        self.database.run("COMMIT")?;
        self.reads.through(self.moves.now);
        if batch.iter().any(|waiting| erases(&waiting.job)) {
            self.database.scrub();
        }
        let at = batch.iter().map(|waiting| waiting.job.at.micros()).max();
        self.last.fetch_max(at.unwrap_or(i64::MIN), Ordering::SeqCst);
        self.publish(used)?;
        let changes = batch.iter().map(|waiting| waiting.job.changes.len()).sum::<usize>();
        self.logged += changes + checkpoint::ENDS;
        if self.logged >= checkpoint::PAGES {
            self.due.now();
        }
        Ok(answers)
    }

    /// Moves the rest of the log and writes its new beginning, so that no decision has to.
    pub fn begin_log_anew(&mut self) {
        let begun = self.database.checkpoint().and_then(|()| self.database.set("log", "begun"));
        // A log that stays as it is, is moved the next time.
        if begun.is_ok() {
            self.logged = 0;
        }
    }

    /// The outer error spoils the transaction, the inner one only this commit.
    fn one(&mut self, job: &Job, used: &mut BTreeSet<SessionName>) -> Result<Answer, StoreError> {
        let session = only_session(&job.need);
        let mut working = self.slice(job, session)?;
        if let Some(conflict) = working.state().conflict(&job.changes) {
            self.workings.keep(&job.need, working, &Touched::default());
            return Ok(Err(conflict.into()));
        }
        let touched = working.apply(job.at, &job.changes);
        for row in changed(working.state(), &touched, &job.beforehand.calls)? {
            self.database.write(&row)?;
        }
        job.changes.iter().try_for_each(|change| self.globals(change))?;
        for body in &job.beforehand.bodies {
            let link = body.linked(self.head, job.at);
            self.database.append(&link, body)?;
            self.head = link.head();
        }
        let moved = of_changes(working.state(), &touched, &job.changes);
        working.let_go(&touched);
        self.moves.note(&moved);
        self.workings.forget(&moved, session);
        used.extend(session.cloned());
        self.workings.keep(&job.need, working, &touched);
        Ok(Ok(()))
    }

    fn slice(&mut self, job: &Job, session: Option<&SessionName>) -> Result<Working, StoreError> {
        let known = session.and_then(|session| self.workings.take(session, &job.need.things));
        if let Some(working) = known {
            return Ok(working);
        }
        let read = job.read.lock().ok().and_then(|mut read| read.take());
        match read.and_then(|read| self.moves.still(read)) {
            Some(state) => Ok(Working::of(state)),
            None => Ok(Working::of(Arc::new(load(&mut self.database, &job.need)?))),
        }
    }

    /// Who is paused and present stands in no row of the state.
    fn globals(&self, change: &Change) -> Result<(), StoreError> {
        match change {
            Change::AgentPaused { agent } => self.database.pause(agent),
            Change::AgentResumed { agent } => self.database.resume(agent),
            Change::ArgumentsErased { erased } => self.database.erase(&erased.entries),
            _ => match moved(change) {
                Some((key, Some(value))) => self.database.set(key, &value),
                Some((key, None)) => self.database.unset(key),
                None => Ok(()),
            },
        }
    }

    fn publish(&mut self, used: BTreeSet<SessionName>) -> Result<(), StoreError> {
        let published = self.workings.publish(used);
        if self.slices.remember() {
            return self.slices.publish(published);
        }
        self.workings.clear();
        self.slices.clear()
    }
}

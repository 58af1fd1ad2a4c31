//! The one thread that writes: it takes what waits, writes it in one transaction, and answers
//! when the disk has it.

use super::database::Database;
use super::folder::{Owned, identity};
use super::slices::{Slices, weight};
use crate::cells::{Cell, of_changes, of_slice};
use crate::globals::{bodies, moved};
use crate::instant::{TAIL, latest};
use crate::load::{holds, load};
use crate::queue::{Batches, Queue, Waiting};
use crate::rows::changed;
use crate::{Need, StoreError, only_session};
use countersign_core::change::Change;
use countersign_core::ledger::{Body, Entry, Head};
use countersign_core::names::SessionName;
use countersign_core::state::State;
use countersign_core::time::Time;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

/// A slice that has grown by this many commits is read anew, without what is over.
const GROWN: usize = 128;

type Answer = Result<(), StoreError>;

struct Job {
    need: Need,
    at: Time,
    changes: Vec<Change>,
    bodies: Vec<Body>,
}

pub(super) struct Writer {
    queue: Queue<Job, ()>,
    /// What made the store unbelievable, once something has.
    distrusted: Arc<OnceLock<(String, String)>>,
    last: Arc<AtomicI64>,
}

impl Writer {
    pub fn start(
        database: Database,
        owned: Owned,
        head: Head,
        slices: Arc<Slices>,
    ) -> Result<Self, StoreError> {
        let distrusted = Arc::new(OnceLock::new());
        let file = identity(&owned.file)?;
        let tail = database.page(head.next.saturating_sub(TAIL), usize::MAX)?;
        let last = Arc::new(AtomicI64::new(latest(&tail).micros()));
        let queue = Queue::start(Work {
            database,
            owned,
            file,
            head,
            slices,
            working: HashMap::new(),
            gone: BTreeSet::new(),
            distrusted: Arc::clone(&distrusted),
            last: Arc::clone(&last),
        })?;
        Ok(Self { queue, distrusted, last })
    }

    pub fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Answer {
        self.stands()?;
        let bodies = bodies(&changes)?;
        self.queue.ask(Job { need: need.clone(), at, changes, bodies }, None)
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

struct Working {
    state: Arc<State>,
    cells: BTreeSet<Cell>,
    commits: usize,
}

struct Work {
    database: Database,
    owned: Owned,
    /// The file that was opened, should another one be put in its place.
    file: (u64, u64),
    head: Head,
    slices: Arc<Slices>,
    /// Slices with everything that was written to the open transaction.
    working: HashMap<SessionName, Working>,
    /// Sessions whose slices no longer hold.
    gone: BTreeSet<SessionName>,
    distrusted: Arc<OnceLock<(String, String)>>,
    last: Arc<AtomicI64>,
}

impl Batches<Job, ()> for Work {
    const MOST: usize = 256;

    fn batch(&mut self, batch: Vec<Waiting<Job, ()>>) {
        match self.together(&batch) {
            Ok(answers) => {
                for (waiting, answer) in batch.iter().zip(answers) {
                    waiting.reply(answer);
                }
            }
            Err(error) if batch.len() == 1 => {
                distrust(&self.distrusted, &error);
                batch.iter().for_each(|waiting| waiting.reply(Err(error.clone())));
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
            self.working.clear();
            self.gone.clear();
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
        let mut used = BTreeSet::new();
        let mut answers = Vec::with_capacity(batch.len());
        for waiting in batch {
            answers.push(self.one(&waiting.job, &mut used)?);
        }
        self.database.run("COMMIT")?;
        if batch.iter().any(|waiting| erases(&waiting.job)) {
            self.database.scrub();
        }
        let at = batch.iter().map(|waiting| waiting.job.at.micros()).max();
        self.last.fetch_max(at.unwrap_or(i64::MIN), Ordering::SeqCst);
        self.publish(used)?;
        Ok(answers)
    }

    /// The outer error spoils the transaction, the inner one only this commit.
    fn one(&mut self, job: &Job, used: &mut BTreeSet<SessionName>) -> Result<Answer, StoreError> {
        let session = only_session(&job.need);
        let (mut state, commits) = self.slice(&job.need, session)?;
        if let Some(conflict) = state.conflict(&job.changes) {
            self.keep(&job.need, state, commits);
            return Ok(Err(conflict.into()));
        }
        let changing = Arc::make_mut(&mut state);
        job.changes.iter().for_each(|change| changing.apply(job.at, change));
        let touched = changing.take_touched();
        for row in changed(&state, &touched)? {
            self.database.write(&row)?;
        }
        job.changes.iter().try_for_each(|change| self.globals(change))?;
        for body in &job.bodies {
            let entry = Entry::chained(self.head, job.at, body.clone());
            self.database.append(&entry)?;
            self.head = entry.head();
        }
        self.forget(&of_changes(&state, &touched, &job.changes));
        used.extend(session.cloned());
        self.keep(&job.need, state, commits + 1);
        Ok(Ok(()))
    }

    fn slice(
        &mut self,
        need: &Need,
        session: Option<&SessionName>,
    ) -> Result<(Arc<State>, usize), StoreError> {
        let known = session.and_then(|session| self.working.remove(session));
        match known.filter(|known| holds(&known.state, &need.things)) {
            Some(Working { state, commits, .. }) => Ok((state, commits)),
            None => Ok((Arc::new(load(&mut self.database, need)?), 0)),
        }
    }

    /// A session that is not open yet has a slice that depends on who opens it: not kept.
    fn keep(&mut self, need: &Need, state: Arc<State>, commits: usize) {
        let session = only_session(need);
        if let Some(session) = session.filter(|session| state.sessions.contains_key(session)) {
            let cells = of_slice(need, &state);
            self.working.insert(session.clone(), Working { state, cells, commits });
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

    /// Drops the slices of others that this commit has moved something in.
    fn forget(&mut self, moved: &BTreeSet<Cell>) {
        let stale = |working: &Working| !working.cells.is_disjoint(moved);
        let dropped: Vec<SessionName> = self
            .working
            .iter()
            .filter(|(_, working)| stale(working))
            .map(|(name, _)| name.clone())
            .collect();
        for name in dropped {
            self.working.remove(&name);
            self.gone.insert(name);
        }
    }

    fn publish(&mut self, used: BTreeSet<SessionName>) -> Result<(), StoreError> {
        let mut now = Vec::with_capacity(used.len());
        for name in used {
            let Some(working) = self.working.get(&name) else { continue };
            if working.commits >= GROWN {
                self.working.remove(&name);
                self.gone.insert(name);
            } else {
                now.push((name.clone(), Arc::clone(&working.state)));
                self.gone.remove(&name);
            }
        }
        self.slices.publish(&self.gone, now)?;
        self.gone.clear();
        self.bound()
    }

    /// Lets go of all slices, the readers' too: those that the writer does not know, it could not
    /// drop when they no longer hold.
    fn bound(&mut self) -> Result<(), StoreError> {
        let held: usize = self.working.values().map(|working| weight(&working.state)).sum();
        if held <= super::slices::MOST && self.slices.remember() {
            return Ok(());
        }
        self.working.clear();
        self.slices.clear()
    }
}

//! The one thread of a node that writes: what waits goes together, in one statement.

use super::database::Database;
use super::{Kept, Versions, names};
use crate::beforehand::Beforehand;
use crate::cells::{Cell, of_changes};
use crate::globals::moved;
use crate::load::holds;
use crate::queue::{Batches, Queue, Waiting};
use crate::rows::{Row, changed};
use crate::{Need, StoreError, only_session};
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use postgres::types::Type;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Deciding a batch again because another node was faster: more often means that something is
/// wrong.
const ATTEMPTS: usize = 5;

type Answer = Result<Kept, StoreError>;

struct Job {
    need: Need,
    known: Mutex<Option<Kept>>,
    at: Time,
    changes: Vec<Change>,
    beforehand: Beforehand,
}

pub(super) struct Writer {
    queue: Queue<Job, Kept, Work>,
    patience: Duration,
}

impl Writer {
    pub fn start(mut database: Database, patience: Duration) -> Result<Self, StoreError> {
        let head = database.head()?;
        Ok(Self { queue: Queue::start(Work { database, head })?, patience })
    }

    pub fn commit(
        &self,
        need: &Need,
        known: Option<Kept>,
        at: Time,
        changes: Vec<Change>,
    ) -> Answer {
        let beforehand = Beforehand::of(&changes)?;
        let (need, known) = (need.clone(), Mutex::new(known));
        let job = Job { need, known, at, changes, beforehand };
        self.queue.ask_within(job, self.patience)
    }

    /// The same, handed over: what comes back waits.
    pub fn submit(
        &self,
        need: &Need,
        known: Option<Kept>,
        at: Time,
        changes: Vec<Change>,
    ) -> Result<impl FnOnce() -> Answer + Send + 'static, StoreError> {
        let beforehand = Beforehand::of(&changes)?;
        let handed = self.queue.post(Job {
            need: need.clone(),
            known: Mutex::new(known),
            at,
            changes,
            beforehand,
        })?;
        let patience = self.patience;
        Ok(move || handed.wait(Some(patience)))
    }
}

struct Work {
    database: Database,
    /// Where this node believes that the ledger ends.
    head: Head,
}

/// What a batch would write, and what it would write it on.
#[derive(Default)]
struct CallDraft {
    held: Versions,
    moved: BTreeSet<String>,
    /// By table and key: of several the last counts.
    rows: HashMap<(&'static str, String), Row>,
    /// In the order in which they were first touched.
    order: Vec<(&'static str, String)>,
    entries: Vec<Entry>,
    pauses: Vec<String>,
    resumes: Vec<String>,
    /// Of several values of one setting the last counts.
    settings: BTreeMap<&'static str, Option<String>>,
    erased: Vec<i64>,
    tell: bool,
    working: HashMap<SessionName, Kept>,
}

impl Batches<Job, Kept> for Work {
    const MOST: usize = 128;

    fn batch(&mut self, batch: Vec<Waiting<Job, Kept>>) {
        match self.together(&batch) {
            Ok(answers) => {
                for (waiting, answer) in batch.into_iter().zip(answers) {
                    waiting.reply(answer);
                }
            }
            // It may be written already: once more would be twice.
            Err(StoreError::InDoubt { cause }) => {
                for waiting in batch {
                    waiting.reply(Err(StoreError::InDoubt { cause: cause.clone() }));
                }
            }
            Err(error) if batch.len() == 1 => {
                batch.into_iter().for_each(|waiting| waiting.reply(Err(error.clone())));
            }
            Err(_) => batch.into_iter().for_each(|waiting| self.batch(vec![waiting])),
        }
    }
}

impl Work {
    fn together(&mut self, batch: &[Waiting<Job, Kept>]) -> Result<Vec<Answer>, StoreError> {
        for attempt in 0..ATTEMPTS {
            let mut draft = CallDraft::default();
            let mut head = self.head;
            let mut answers = Vec::with_capacity(batch.len());
            for Waiting { job, .. } in batch {
                // What a node believed may be old: the second time it looks itself.
                let known = job.known.lock().ok().and_then(|mut known| known.take());
                let known = known.filter(|_| attempt == 0);
                answers.push(self.one(job, known, &mut draft, &mut head)?);
            }
            if draft.entries.is_empty() || self.write(&draft)? {
                self.head = head;
                return Ok(answers.into_iter().map(|a| a.map(|k| draft.after(k))).collect());
            }
            self.head = self.database.head()?;
        }
        Err(StoreError::Unavailable {
            what: "writing".to_owned(),
            cause: "other nodes were faster every time".to_owned(),
        })
    }

    fn one(
        &mut self,
        job: &Job,
        known: Option<Kept>,
        draft: &mut CallDraft,
        head: &mut Head,
    ) -> Result<Answer, StoreError> {
        let session = only_session(&job.need);
        let in_batch = session.and_then(|session| draft.working.get(session).cloned());
        let fits = |kept: &Kept| holds(&kept.state, &job.need.things);
        let mut kept = match in_batch.or(known).filter(fits) {
            Some(kept) => kept,
            // What this batch has not written yet, a fresh look would not see.
            None if !draft.entries.is_empty() => return Err(alone()),
            None => self.database.slice(&job.need)?.0,
        };
        if let Some(conflict) = kept.state.conflict(&job.changes) {
            return Ok(Err(conflict.into()));
        }
        let state = Arc::make_mut(&mut kept.state);
        job.changes.iter().for_each(|change| state.apply(job.at, change));
        let touched = state.take_touched();
        kept.commits += 1;
        let moved = of_changes(&kept.state, &touched, &job.changes);
        if draft.is_stale(session, &kept) {
            return Err(alone());
        }
        for (cell, version) in &kept.versions {
            draft.held.entry(cell.clone()).or_insert(*version);
        }
        draft.moved.extend(names(&moved));
        changed(&kept.state, &touched, &job.beforehand.calls)?
            .into_iter()
            .for_each(|row| draft.put(row));
        job.changes.iter().for_each(|change| draft.note(change));
        for body in &job.beforehand.bodies {
            let entry = Entry::chained(*head, job.at, body.clone());
            *head = entry.head();
            draft.entries.push(entry);
        }
        if let Some(session) = session {
            draft.working.insert(session.clone(), kept.clone());
        }
        Ok(Ok(kept))
    }

    /// False if the ledger's end or a cell was elsewhere: then nothing was written.
    fn write(&mut self, draft: &CallDraft) -> Result<bool, StoreError> {
        let (held, versions): (Vec<_>, Vec<_>) =
            draft.held.iter().map(|(cell, version)| (cell.as_str(), *version)).unzip();
        let moved: Vec<&str> = draft.moved.iter().map(String::as_str).collect();
        let rows: Vec<&Row> = draft.order.iter().filter_map(|key| draft.rows.get(key)).collect();
        let columns = Columns::of(&rows);
        let entries = &draft.entries;
        let seqs: Vec<i64> =
            entries.iter().map(|entry| i64::try_from(entry.seq).unwrap_or(i64::MAX)).collect();
        let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.word()).collect();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.bytes.as_str()).collect();
        let hashes: Vec<&[u8]> = entries.iter().map(|entry| &entry.hash.bytes()[..]).collect();
        let apart: Vec<_> = entries.iter().map(Entry::held).collect();
        let salts: Vec<_> = apart.iter().map(|held| held.map(|held| &held.salt.0[..])).collect();
        let sealings: Vec<_> =
            apart.iter().map(|held| held.map(|held| held.text.as_str())).collect();
        let (keys, values): (Vec<&str>, Vec<Option<&str>>) =
            draft.settings.iter().map(|(key, value)| (*key, value.as_deref())).unzip();
        let next = i64::try_from(self.head.next).unwrap_or(i64::MAX);
        let tip: &[u8] = self.head.hash.bytes();
        let answer = self.database.tell(
            "SELECT {s}.commit_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                 $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)",
            &[
                (&next, Type::INT8),
                (&tip, Type::BYTEA),
                (&held, Type::TEXT_ARRAY),
                (&versions, Type::INT8_ARRAY),
                (&moved, Type::TEXT_ARRAY),
                (&columns.kept, Type::TEXT_ARRAY),
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
                (&draft.tell, Type::BOOL),
            ],
        )?;
        Ok(answer.first().is_some_and(|row| row.try_get(0).unwrap_or(false)))
    }
}

/// Not together with the others of its batch.
fn alone() -> StoreError {
    let what = "writing".to_owned();
    StoreError::Unavailable { what, cause: "the batch has moved what it needs".to_owned() }
}

impl CallDraft {
    /// Whether what this batch has moved before is not in the slice that comes next.
    fn is_stale(&self, session: Option<&SessionName>, kept: &Kept) -> bool {
        let own = session.map(|session| Cell::Session(session.clone()).to_string());
        let continues = session.is_some_and(|session| self.working.contains_key(session));
        kept.versions
            .keys()
            .any(|cell| self.moved.contains(cell) && !(continues && Some(cell) == own.as_ref()))
    }

    fn put(&mut self, row: Row) {
        let key = (row.kept.table(), row.key.clone());
        if self.rows.insert(key.clone(), row).is_none() {
            self.order.push(key);
        }
    }

    /// Who is paused and present stands in no row; and who waits elsewhere is told of answers.
    fn note(&mut self, change: &Change) {
        self.settings.extend(moved(change));
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
            | Change::ConsentReset { .. } => self.tell = true,
            _ => {}
        }
    }

    /// A slice after the commit: what it moved stands one further.
    fn after(&self, mut kept: Kept) -> Kept {
        for (cell, version) in &mut kept.versions {
            let before = self.held.get(cell).copied().unwrap_or(*version);
            *version = before + i64::from(self.moved.contains(cell));
        }
        kept
    }
}

/// The rows, column by column.
#[derive(Default)]
struct Columns<'a> {
    kept: Vec<&'a str>,
    key: Vec<&'a str>,
    session: Vec<Option<&'a str>>,
    project: Vec<Option<&'a str>>,
    agent: Vec<Option<&'a str>>,
    run: Vec<Option<&'a str>>,
    state: Vec<Option<&'a str>>,
    due: Vec<Option<i64>>,
    body: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn of(rows: &[&'a Row]) -> Self {
        let mut columns = Self::default();
        for row in rows {
            let held = row.held.as_ref();
            columns.kept.push(row.kept.table());
            columns.key.push(&row.key);
            columns.session.push(held.and_then(|held| held.session.as_deref()));
            columns.project.push(held.and_then(|held| held.project.as_deref()));
            columns.agent.push(held.and_then(|held| held.agent.as_deref()));
            columns.run.push(held.and_then(|held| held.run.as_deref()));
            columns.state.push(held.map(|held| held.state));
            columns.due.push(held.and_then(|held| held.due));
            columns.body.push(held.map(|held| held.body.as_str()));
        }
        columns
    }
}

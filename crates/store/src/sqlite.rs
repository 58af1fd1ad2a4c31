//! The embedded store: one SQLite file in a folder that only its owner can enter.
//!
//! One thread writes. Whoever commits waits until its rows and ledger entries are on the disk,
//! together with those of everybody who came meanwhile. Readers see only what is durable: for a
//! session in use a slice in memory, otherwise the database.

mod checkpoint;
mod database;
mod folder;
mod listing;
#[cfg(test)]
mod plans;
mod queries;
mod reader;
mod reads;
mod schema;
mod slices;
mod workings;
mod writer;

pub use reader::SqliteReader;

use crate::listing::{Listed, Listing, Sought, list};
use crate::load::{holds, load};
use crate::{Need, Slice, Store, StoreError, Then, Ticket, only_session};
use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use database::Database;
use reads::Reads;
use slices::Slices;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use writer::Writer;

pub struct Sqlite {
    /// For readers; the writer has a connection of its own.
    database: Mutex<Database>,
    slices: Arc<Slices>,
    reads: Arc<Reads>,
    writer: Writer,
    key: Key,
}

impl Sqlite {
    /// Opens the store in a folder, or makes one there.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let owned = folder::take(folder)?;
        let mut first = Database::open(&owned.file)?;
        schema::migrate(&mut first)?;
        let (head, key) = (first.head()?, first.key()?);
        let (slices, reads) = (Arc::new(Slices::none()), Arc::new(Reads::default()));
        let database = Mutex::new(Database::open(&owned.file)?);
        let writer = Writer::start(first, owned, head, (Arc::clone(&slices), Arc::clone(&reads)))?;
        Ok(Self { database, slices, reads, writer, key })
    }

    /// Keeps nothing in memory between two steps. For tests: it is slower and decides the same.
    pub fn forgetful(self) -> Self {
        self.slices.forget_everything();
        self
    }

    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        self.database.lock().map_err(|_| StoreError::poisoned())
    }
}

impl Store for Sqlite {
    fn at_hand(&self, need: &Need) -> Result<Option<Slice>, StoreError> {
        self.writer.stands()?;
        let kept = only_session(need).map(|session| self.slices.get(session)).transpose()?;
        let kept = kept.flatten().filter(|state| holds(state, &need.things));
        Ok(kept.map(|state| Slice { state, now: None, last: self.writer.last() }))
    }

    fn read(&self, need: &Need) -> Result<Slice, StoreError> {
        if let Some(slice) = self.at_hand(need)? {
            return Ok(slice);
        }
        let seen = self.reads.seen();
        let state = self.database()?.at_one_instant(|database| load(database, need));
        let state = Arc::new(state.inspect_err(|error| self.writer.distrust(error))?);
        self.reads.keep(need, &state, seen)?;
        Ok(Slice { state, now: None, last: self.writer.last() })
    }

    fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        self.writer.commit(need, at, changes)
    }

    fn submit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<Ticket, StoreError> {
        self.writer.submit(need, at, changes)
    }

    fn commit_then(&self, need: &Need, at: Time, changes: Vec<Change>, then: Then) {
        self.writer.submit_then(need, at, changes, then);
    }

    fn due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        self.database()?.due(now)
    }

    fn asked(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        self.database()?.asked(now, after, most)
    }

    fn repeats(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        self.database()?.repeats(now, most)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn grants(&self, listing: &Listing) -> Result<Listed, StoreError> {
        self.database()?.at_one_instant(|database| list(database, listing))
    }

    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.database()?.find(sought, part, most)
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.head()
    }

    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.at_one_instant(|database| database.page(from, most))
    }
}

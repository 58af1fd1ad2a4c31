//! The store for more than one machine: several nodes share one PostgreSQL database.
//!
//! The database's clock decides. A node keeps slices of sessions in use and asks, at every read,
//! whether their cells have moved: the versions are the truth, notifications only a hint. All
//! that a commit writes goes in one statement that holds the ledger's end, so that nodes take
//! turns and each commit is checked against what the others wrote before.

mod database;
mod gather;
mod listen;
mod listing;
mod reader;
mod schema;
mod writer;

pub use reader::PostgresReader;

use crate::cells::Cell;
use crate::listing::{Listed, Listing, Sought, list};
use crate::load::holds;
use crate::{Breadth, Need, Slice, Store, StoreError, Ticket, Wake, only_session};
use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Change;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use database::{Database, Instants};
use listen::Listener;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use writer::Writer;

/// How a node reaches the database.
#[derive(Clone, Debug)]
pub struct PostgresSettings {
    pub url: String,
    /// The schema that holds the tables; made if it is not there.
    pub schema: String,
    pub hints: Hints,
    /// Whose clock decides. Only tests have another than the database's.
    pub clock: DatabaseClock,
    /// Longer than this, an answer of the database is no answer.
    pub patience: Duration,
}

/// How a node learns that another one changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// LISTEN on a connection of its own.
    Listen,
    /// Behind a pooler that hands connections round: ask again every so often.
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
            hints: Hints::Listen,
            clock: DatabaseClock::Decides,
            patience: Duration::from_secs(5),
        }
    }
}

/// Slices that a node keeps at most.
const MOST: usize = 512;

/// A slice that has grown by this many commits is read anew, without what is over.
const GROWN: usize = 128;

/// As many as are answered at the same time on one node, give or take a few.
const RECENT: usize = 16;

pub struct Postgres {
    settings: PostgresSettings,
    /// For readers; the writer has a connection of its own.
    database: Mutex<Database>,
    kept: Slices,
    /// What was read lately for more than one session or for none: the commit that follows looks
    /// whether it still holds.
    recent: Mutex<Vec<(Need, Kept)>>,
    /// How many commit just now.
    committing: AtomicUsize,
    writer: Writer,
    listener: Listener,
    key: Key,
}

#[derive(Clone)]
pub(crate) struct Kept {
    pub state: Arc<State>,
    pub versions: Versions,
    /// By how many commits it has grown since it was read.
    pub commits: usize,
    /// What had been heard from other nodes before it was read.
    pub heard: u64,
}

/// Slices of sessions in use, shared with commits that nobody waits for.
type Slices = Arc<Mutex<HashMap<SessionName, Kept>>>;

/// The cells of a slice and where each of them stood.
pub(crate) type Versions = std::collections::BTreeMap<String, i64>;

impl Postgres {
    pub fn open(settings: PostgresSettings) -> Result<Self, StoreError> {
        let mut first = Database::open(&settings)?;
        schema::migrate(&mut first, &settings.schema)?;
        let key = first.key()?;
        let database = Mutex::new(Database::open(&settings)?);
        let writer = Writer::start(first, settings.patience)?;
        let listener = Listener::start(&settings)?;
        let (kept, recent) = (Slices::default(), Mutex::new(Vec::new()));
        let committing = AtomicUsize::new(0);
        Ok(Self { settings, database, kept, recent, committing, writer, listener, key })
    }

    /// Removes a schema with everything in it: what tests and trials leave behind.
    pub fn remove(settings: &PostgresSettings) -> Result<(), StoreError> {
        let mut database = Database::open(settings)?;
        let removed = database.batch(&format!("DROP SCHEMA {} CASCADE", settings.schema));
        removed.map_err(|error| database::failed("removing the tables", &error))
    }

    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        self.database.lock().map_err(|_| StoreError::poisoned())
    }

    fn kept(&self) -> Result<MutexGuard<'_, HashMap<SessionName, Kept>>, StoreError> {
        self.kept.lock().map_err(|_| StoreError::poisoned())
    }

    fn sliced(&self, state: Arc<State>, Instants { now, last }: Instants) -> Slice {
        let now = (self.settings.clock == DatabaseClock::Decides).then_some(now);
        Slice { state, now, last }
    }

    fn recent(&self) -> Result<MutexGuard<'_, Vec<(Need, Kept)>>, StoreError> {
        self.recent.lock().map_err(|_| StoreError::poisoned())
    }

    /// What this node last saw of what is needed. Who commits alone takes it out, so that it can be
    /// changed where it is; beside others everybody needs it.
    fn known(&self, need: &Need, others: usize) -> Result<Option<Kept>, StoreError> {
        match (only_session(need), others) {
            (Some(session), 0) => return Ok(self.kept()?.remove(session)),
            (Some(session), _) => return Ok(self.kept()?.get(session).cloned()),
            (None, _) => {}
        }
        let mut recent = self.recent()?;
        let at = recent.iter().position(|(read, _)| read == need);
        Ok(at.map(|at| recent.swap_remove(at).1))
    }

    /// For the commit that follows a read.
    fn remember(&self, need: &Need, kept: &Kept) -> Result<(), StoreError> {
        if only_session(need).is_some() {
            return keep(&self.kept, need, kept);
        }
        if !matches!(need.breadth, Breadth::Sessions | Breadth::Projects) {
            return Ok(());
        }
        let mut recent = self.recent()?;
        recent.retain(|(read, _)| read != need);
        if recent.len() >= RECENT {
            recent.remove(0);
        }
        recent.push((need.clone(), kept.clone()));
        Ok(())
    }
}

fn keep(all: &Slices, need: &Need, kept: &Kept) -> Result<(), StoreError> {
    let session = only_session(need);
    let Some(session) = session.filter(|session| kept.state.sessions.contains_key(session)) else {
        return Ok(());
    };
    if kept.commits >= GROWN {
        return Ok(());
    }
    let mut all = all.lock().map_err(|_| StoreError::poisoned())?;
    if all.len() >= MOST {
        all.clear();
    }
    all.insert(session.clone(), kept.clone());
    Ok(())
}

/// The names under which the database keeps the versions of these cells.
pub(crate) fn names(cells: &BTreeSet<Cell>) -> Vec<String> {
    cells.iter().map(ToString::to_string).collect()
}

impl Store for Postgres {
    fn read(&self, need: &Need) -> Result<Slice, StoreError> {
        let known = match only_session(need) {
            Some(session) => self.kept()?.get(session).cloned(),
            None => None,
        };
        // After a hint the versions have moved most likely: one look for everything.
        let heard = self.listener.heard();
        let fits = |known: &Kept| known.heard == heard && holds(&known.state, &need.things);
        let mut database = self.database()?;
        if let Some(known) = known.filter(fits) {
            let names: Vec<String> = known.versions.keys().cloned().collect();
            // Whatever went wrong, the slice is asked for next.
            if let Ok((versions, instants)) = database.versions(&names)
                && versions == known.versions
            {
                return Ok(self.sliced(known.state, instants));
            }
        }
        let (mut kept, instants) = database.slice(need)?;
        kept.heard = heard;
        drop(database);
        self.remember(need, &kept)?;
        Ok(self.sliced(kept.state, instants))
    }

    fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        let others = self.committing.fetch_add(1, Ordering::SeqCst);
        let known = self.known(need, others);
        let kept = known.and_then(|known| self.writer.commit(need, known, at, changes));
        self.committing.fetch_sub(1, Ordering::SeqCst);
        keep(&self.kept, need, &kept?)
    }

    fn submit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<Ticket, StoreError> {
        // Nobody waits for it, so that others may need the slice meanwhile.
        let known = self.known(need, 1)?;
        let wait = self.writer.submit(need, known, at, changes)?;
        let (all, need) = (Arc::clone(&self.kept), need.clone());
        Ok(Ticket::new(move || keep(&all, &need, &wait()?)))
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
        self.database()?.page(from, most)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn wake(&self, wake: Wake) {
        self.listener.wake(wake);
    }
}

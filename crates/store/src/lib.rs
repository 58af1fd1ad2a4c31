//! Where state and ledger are kept: one contract, so that every store behaves alike.
//!
//! A store reads and commits; it decides nothing. A commit carries changes and is refused whole
//! if any of them conflicts with what happened since the read.

mod beforehand;
mod cells;
mod globals;
mod instant;
mod listing;
mod load;
mod memory;
mod need;
mod postgres;
mod queue;
mod record;
mod rows;
mod sqlite;
mod ticket;

pub use listing::{Listed, Listing, Of, Sought, Which};
pub use memory::Memory;
pub use need::{Breadth, Need, Thing};
pub use postgres::{DatabaseClock, Hints, Postgres, PostgresReader, PostgresSettings};
pub use record::Record;
pub use sqlite::{Sqlite, SqliteReader};
pub use ticket::Ticket;

use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head, LedgerError};
use countersign_core::model::change::Change;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::state::{Conflict, State};
use std::sync::Arc;

pub trait Store: Send + Sync {
    /// What a step needs, as it is now: nothing acknowledged before is missing.
    fn read(&self, need: &Need) -> Result<Slice, StoreError>;

    /// The same, if it can be had without waiting for a disk or for another machine.
    fn at_hand(&self, _need: &Need) -> Result<Option<Slice>, StoreError> {
        Ok(None)
    }

    /// Applies changes together with their ledger entries: all of them or none, and durably
    /// before it returns. `need` is what they were decided on.
    fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<(), StoreError>;

    /// The same, handed over and not waited for: whoever has to see it waits for the ticket.
    fn submit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<Ticket, StoreError> {
        let done = self.commit(need, at, changes);
        Ok(Ticket::new(|| done))
    }

    /// The same, calling back when it is durable or has failed. Whoever calls back is the writer,
    /// so that nothing may be waited for there.
    fn commit_then(&self, need: &Need, at: Time, changes: Vec<Change>, then: Then) {
        then(self.commit(need, at, changes));
    }

    /// Sessions in which time has ended something that is not written down yet.
    fn due(&self, now: Time) -> Result<Vec<SessionName>, StoreError>;

    /// Requests that are open at an instant, after one of them, so many at most, the oldest first.
    fn asked(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError>;

    /// Calls whose next attempt is due, so many at most, the longest due first.
    fn repeats(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError>;

    /// A page of grants.
    fn grants(&self, listing: &Listing) -> Result<Listed, StoreError>;

    /// Ids that begin or end like this, so many at most.
    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError>;

    /// Calls back when another node may have changed something that somebody here waits for.
    fn wake(&self, _wake: Wake) {}

    /// What digests are keyed with. A store that nothing leaves has no need of a key.
    fn key(&self) -> Option<&Key> {
        None
    }

    /// Entries of the ledger from a place on, so many at most, the oldest first.
    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError>;

    /// Where the ledger ends now.
    fn head(&self) -> Result<Head, StoreError>;
}

/// Hears how a commit ended.
pub type Then = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What a store does when it hears of changes that were not committed through it.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// An older program refuses what a newer one wrote.
pub(crate) fn is_known(found: usize, known: usize) -> Result<(), StoreError> {
    if found <= known {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("the store has version {found}, and this program knows {known}"),
        remedy: "use the newer program that wrote it".to_owned(),
    })
}

/// The one session of a need that a slice kept in memory can serve.
pub(crate) fn only_session(need: &Need) -> Option<&SessionName> {
    match (need.breadth, need.sessions.as_slice()) {
        (Breadth::Sessions, [session]) => Some(session),
        _ => None,
    }
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn read(&self, need: &Need) -> Result<Slice, StoreError> {
        (**self).read(need)
    }

    fn at_hand(&self, need: &Need) -> Result<Option<Slice>, StoreError> {
        (**self).at_hand(need)
    }

    fn commit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<(), StoreError> {
        (**self).commit(need, at, changes)
    }

    fn commit_then(&self, need: &Need, at: Time, changes: Vec<Change>, then: Then) {
        (**self).commit_then(need, at, changes, then);
    }

    fn submit(&self, need: &Need, at: Time, changes: Vec<Change>) -> Result<Ticket, StoreError> {
        (**self).submit(need, at, changes)
    }

    fn due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        (**self).due(now)
    }

    fn asked(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        (**self).asked(now, after, most)
    }

    fn repeats(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        (**self).repeats(now, most)
    }

    fn grants(&self, listing: &Listing) -> Result<Listed, StoreError> {
        (**self).grants(listing)
    }

    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        (**self).find(sought, part, most)
    }

    fn wake(&self, wake: Wake) {
        (**self).wake(wake);
    }

    fn key(&self) -> Option<&Key> {
        (**self).key()
    }

    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        (**self).page(from, most)
    }

    fn head(&self) -> Result<Head, StoreError> {
        (**self).head()
    }
}

/// A part of the state.
#[derive(Clone, Debug)]
pub struct Slice {
    pub state: Arc<State>,
    /// The store's own clock, where that one decides.
    pub now: Option<Time>,
    /// The instant of what was committed last: nothing is decided for an earlier one.
    pub last: Time,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Conflict(#[from] Conflict),
    #[error("the ledger takes no entry: {0}")]
    Ledger(#[from] LedgerError),
    /// What is stored cannot be believed, so nothing is decided on it.
    #[error("the store is damaged: {what}: {cause}; repair it, then run `ledger verify`")]
    Damaged { what: String, cause: String },
    /// Nothing was written, and nothing of it will be.
    #[error("the store is not available: {what}: {cause}")]
    Unavailable { what: String, cause: String },
    /// The connection was lost between writing and hearing of it: treated as not written.
    #[error("the store went away while it wrote, and may have written: {cause}")]
    InDoubt { cause: String },
    /// There is none where it was looked for.
    #[error("{what}; {remedy}")]
    Absent { what: String, remedy: String },
    /// It cannot be used as it is: where it lies, who uses it, or which version wrote it.
    #[error("{what}; {remedy}")]
    Unusable { what: String, remedy: String },
}

impl StoreError {
    /// Another thread panicked while it held the store.
    pub(crate) fn poisoned() -> Self {
        let what = "a thread broke down while it held it".to_owned();
        Self::Damaged { what, cause: "restart first".to_owned() }
    }

    pub(crate) fn unwritable(cause: &impl ToString) -> Self {
        let what = "something cannot be written as JSON".to_owned();
        Self::Unavailable { what, cause: cause.to_string() }
    }
}

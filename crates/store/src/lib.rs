//! The stores for state and ledger: memory, SQLite and PostgreSQL behind one trait.
//!
//! A store reads and commits; it decides nothing. It refuses a whole commit if one of its changes
//! conflicts with a commit that came after the read.
//!
//! See docs/decisions/0015-sqlite-and-postgresql.md.

mod cells;
mod closed_requests;
mod globals;
mod instant;
mod limits;
mod listing;
mod load;
mod memory;
#[cfg(test)]
mod migration_contract;
mod postgres;
mod prepared_commit;
mod questions;
mod queue;
mod reader;
mod results;
mod rows;
mod scope;
mod sqlite;

pub use closed_requests::{ClosedRequestPage, ClosedRequestQuery};
pub use globals::CredentialStanding;
pub use listing::{GrantOwnerFilter, GrantPage, GrantQuery, GrantStatusFilter, ObjectKind};
pub use memory::Memory;
pub use postgres::{ChangeFeed, DatabaseClock, Postgres, PostgresReader, PostgresSettings};
pub use reader::StoreReader;
pub use results::KeptResult;
pub use scope::{CallsRead, ReadScope, RowKey, ScopeKind, SessionOpener};
pub use sqlite::{DATABASE_FILE, LOG_FILE, Sqlite, SqliteReader};

use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::change::Change;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::{Conflict, State};
use countersign_ledger::{Entry, Head, LedgerError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

pub trait Store: Send + Sync {
    /// Reads a part of the state. Every commit that was acknowledged before is in it.
    fn read(&self, scope: &ReadScope) -> Result<Snapshot, StoreError>;

    /// Reads the same, if that takes no disk access and no network round trip.
    fn read_cached(&self, _scope: &ReadScope) -> Result<Option<Snapshot>, StoreError> {
        Ok(None)
    }

    /// Applies the changes and their ledger entries, all of them or none, durably before it
    /// returns. It is a conflict if something that the step read has changed since.
    fn commit(&self, commit: Commit) -> Result<(), StoreError>;

    /// Commits and calls back when the commit is durable or has failed. The callback may run on
    /// the writer thread, so it must not block.
    fn commit_with_callback(&self, commit: Commit, callback: CommitCallback) {
        callback(self.commit(commit));
    }

    /// Reads, runs the step and commits its changes while no other commit can come between, so
    /// that there is no conflict. Other commits wait, so this is for steps that met one.
    fn commit_exclusively(
        &self,
        scope: &ReadScope,
        step: &mut ExclusiveStep<'_>,
    ) -> Result<(), StoreError> {
        let snapshot = self.read(scope)?;
        let basis = snapshot.basis.clone();
        match step(snapshot) {
            None => Ok(()),
            Some((at, changes)) => self.commit(Commit { scope: scope.clone(), basis, at, changes }),
        }
    }

    /// Sessions in which something has expired that no ledger entry says yet.
    fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError>;

    /// The sessions of all agents that have this name.
    fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError>;

    /// Sessions that have not ended, at most `limit`, the one used last first.
    fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError>;

    /// Every agent that ever opened a session.
    fn agents_seen(&self) -> Result<Vec<Agent>, StoreError>;

    /// The number of requests that are open at `now`.
    fn count_open_requests(&self, now: Time) -> Result<usize, StoreError>;

    /// How many questions are recorded as open. It is read outside of every cell, so that two
    /// agents that ask do not conflict, and takes as long with few open questions as with many.
    fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError>;

    /// Requests that are open at `now` and come after `after`, oldest first.
    fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError>;

    /// Calls whose next attempt is due, longest due first.
    fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError>;

    fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError>;

    fn list_closed_requests(
        &self,
        query: &ClosedRequestQuery,
    ) -> Result<ClosedRequestPage, StoreError>;

    /// Ids that start or end with `part`.
    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// Keeps the result of a call until its end, durably before it returns. Results that have ended by
    /// `now`, and the oldest beyond a number, are dropped.
    fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError>;

    /// The kept result of a call, if it has not ended by `now`.
    fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError>;

    /// Drops the results of these calls before their end.
    fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError>;

    /// Sets what is called when another node may have changed something that a caller waits for.
    fn set_wake_callback(&self, _wake: WakeCallback) {}

    /// What the record says about a credential, by the hash of its token. Nothing in a store of one
    /// process: its own file says it.
    fn find_credential(&self, _hash: Digest) -> Result<Option<CredentialStanding>, StoreError> {
        Ok(None)
    }

    /// All credentials that the record knows, where nodes share one.
    fn list_credentials(&self) -> Result<Vec<CredentialStanding>, StoreError> {
        Ok(Vec::new())
    }

    /// Whether several nodes can use the record.
    fn is_shared(&self) -> bool {
        false
    }

    /// The key of the digests. A store that no data leaves has none.
    fn key(&self) -> Option<&Key> {
        None
    }

    /// Ledger entries from `from` on, oldest first.
    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// The end of the ledger.
    fn head(&self) -> Result<Head, StoreError>;
}

/// The changes of a step, with what it was decided on.
#[derive(Clone, Debug)]
pub struct Commit {
    pub scope: ReadScope,
    /// The version of what was read.
    pub basis: ReadBasis,
    pub at: Time,
    pub changes: Vec<Change>,
}

/// Says which version of the state a snapshot is. Only the store that made it can read it.
#[derive(Clone, Debug, Default)]
pub struct ReadBasis {
    /// The last transaction that the snapshot surely contains.
    transaction: u64,
    /// The versions of its cells, where several nodes write.
    cells: Option<Arc<postgres::CellVersions>>,
}

/// Decides on a snapshot: the time of the decision and its changes, or none if there are none.
pub type ExclusiveStep<'a> = dyn FnMut(Snapshot) -> Option<(Time, Vec<Change>)> + 'a;

/// Receives the result of a commit.
pub type CommitCallback = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Called when changes may have been committed on another node.
pub type WakeCallback = Arc<dyn Fn() + Send + Sync>;

/// Refuses a store that a newer program has migrated.
pub(crate) fn check_not_newer(found: usize, known: usize) -> Result<(), StoreError> {
    if found <= known {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("the store has version {found}, and this program knows {known}"),
        remedy: "use the newer program that wrote it".to_owned(),
    })
}

/// A pointer to a store is a store.
macro_rules! forward_store {
    ($pointer:ident) => {
        impl<S: Store + ?Sized> Store for $pointer<S> {
            fn read(&self, scope: &ReadScope) -> Result<Snapshot, StoreError> {
                (**self).read(scope)
            }

            fn read_cached(&self, scope: &ReadScope) -> Result<Option<Snapshot>, StoreError> {
                (**self).read_cached(scope)
            }

            fn commit(&self, commit: Commit) -> Result<(), StoreError> {
                (**self).commit(commit)
            }

            fn commit_with_callback(&self, commit: Commit, callback: CommitCallback) {
                (**self).commit_with_callback(commit, callback);
            }

            fn commit_exclusively(
                &self,
                scope: &ReadScope,
                step: &mut ExclusiveStep<'_>,
            ) -> Result<(), StoreError> {
                (**self).commit_exclusively(scope, step)
            }

            fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
                (**self).sessions_due(now)
            }

            fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
                (**self).sessions_named(name)
            }

            fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
                (**self).open_sessions(limit)
            }

            fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
                (**self).agents_seen()
            }

            fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
                (**self).count_open_requests(now)
            }

            fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
                (**self).count_questions(agent)
            }

            fn open_requests(
                &self,
                now: Time,
                after: Option<RequestId>,
                limit: usize,
            ) -> Result<Vec<RequestId>, StoreError> {
                (**self).open_requests(now, after, limit)
            }

            fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
                (**self).repeats_due(now, limit)
            }

            fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, StoreError> {
                (**self).list_grants(query)
            }

            fn list_closed_requests(
                &self,
                query: &ClosedRequestQuery,
            ) -> Result<ClosedRequestPage, StoreError> {
                (**self).list_closed_requests(query)
            }

            fn find_ids(
                &self,
                kind: ObjectKind,
                part: &str,
                limit: usize,
            ) -> Result<Vec<String>, StoreError> {
                (**self).find_ids(kind, part, limit)
            }

            fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
                (**self).keep_result(result, now)
            }

            fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
                (**self).find_result(call, now)
            }

            fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
                (**self).drop_results(calls)
            }

            fn set_wake_callback(&self, wake: WakeCallback) {
                (**self).set_wake_callback(wake);
            }

            fn find_credential(
                &self,
                hash: Digest,
            ) -> Result<Option<CredentialStanding>, StoreError> {
                (**self).find_credential(hash)
            }

            fn list_credentials(&self) -> Result<Vec<CredentialStanding>, StoreError> {
                (**self).list_credentials()
            }

            fn is_shared(&self) -> bool {
                (**self).is_shared()
            }

            fn key(&self) -> Option<&Key> {
                (**self).key()
            }

            fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
                (**self).read_entries(from, limit)
            }

            fn head(&self) -> Result<Head, StoreError> {
                (**self).head()
            }
        }
    };
}

forward_store!(Box);
forward_store!(Arc);

/// Open requests, without those about imported grants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionCount {
    pub of_agent: usize,
    pub in_all: usize,
}

/// A part of the state, as of one instant.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub state: Arc<State>,
    /// A commit hands it back.
    pub basis: ReadBasis,
    /// The time of the store's own clock, where the store has one.
    pub now: Option<Time>,
    /// The instant of the last commit. No decision may carry an earlier one.
    pub last_commit_at: Time,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Conflict(#[from] Conflict),
    #[error("the ledger takes no entry: {0}")]
    Ledger(#[from] LedgerError),
    /// Something stored is unreadable, so nothing is decided on it.
    #[error("the store is damaged: {what}: {cause}; repair it, then run `ledger verify`")]
    Damaged { what: String, cause: String },
    /// Nothing was written, and nothing of it will be.
    #[error("the store is not available: {what}: {cause}")]
    Unavailable { what: String, cause: String },
    /// The connection was lost between the write and its acknowledgement. Callers treat the commit
    /// as not written.
    #[error("the store went away while it wrote, and may have written: {cause}")]
    InDoubt { cause: String },
    /// There is no store at the given place.
    #[error("{what}; {remedy}")]
    Absent { what: String, remedy: String },
    /// The store cannot be used because of its place, its user or its version.
    #[error("{what}; {remedy}")]
    Unusable { what: String, remedy: String },
}

impl StoreError {
    pub(crate) fn damaged(what: &str, cause: &impl ToString) -> Self {
        Self::Damaged { what: what.to_owned(), cause: cause.to_string() }
    }

    pub(crate) fn unavailable(what: &str, cause: &impl ToString) -> Self {
        Self::Unavailable { what: what.to_owned(), cause: cause.to_string() }
    }

    pub(crate) fn unwritable(cause: &impl ToString) -> Self {
        Self::unavailable("something cannot be written as JSON", cause)
    }
}

/// Locks, or fails if another thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>, StoreError> {
    let what = "a thread broke down while it held it";
    mutex.lock().map_err(|_| StoreError::damaged(what, &"restart first"))
}

/// Starts a thread; `what` names its work in the error.
pub(crate) fn spawn_thread(
    name: &str,
    what: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StoreError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| StoreError::unavailable(what, &error))
}

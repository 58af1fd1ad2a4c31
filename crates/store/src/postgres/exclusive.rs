//! A transaction that no other commit can come beside: it holds the lock of the ledger's end.

use super::connection::PostgresConnection;
use super::database::{PostgresDatabase, write_error};
use super::{CachedSnapshot, writer};
use crate::StoreError;
use crate::prepared_commit::CommitJob;
use std::time::Duration;

/// A transaction that holds the lock of the ledger's end. If it is dropped without a commit, it is
/// rolled back, also if the step panics: other nodes wait for the lock.
pub(super) struct ExclusiveTransaction<'a> {
    connection: &'a PostgresConnection,
    timeout: Duration,
    is_open: bool,
}

impl<'a> ExclusiveTransaction<'a> {
    /// Takes a connection on which the transaction has begun.
    pub fn new(connection: &'a PostgresConnection, timeout: Duration) -> Self {
        Self { connection, timeout, is_open: true }
    }

    /// Ends the transaction, whether it is committed or fails.
    pub fn commit(mut self, job: CommitJob<CachedSnapshot>) -> Result<(), StoreError> {
        self.is_open = false;
        self.connection.run(self.timeout, move |database| writer::write_exclusively(database, &job))
    }
}

impl Drop for ExclusiveTransaction<'_> {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        // A connection that does not answer is given up, and the database ends its transaction.
        let _rolled_back = self.connection.run(self.timeout, |database| {
            database.roll_back();
            Ok(())
        });
    }
}

impl PostgresDatabase {
    /// Begins a transaction that no other node can commit beside: each commit locks the ledger's end.
    pub fn begin_exclusive(&mut self) -> Result<(), StoreError> {
        self.reconnect_if_closed()?;
        let sql = "BEGIN; SET LOCAL lock_timeout = '1500ms';
            SET LOCAL idle_in_transaction_session_timeout = '5s';
            SELECT 1 FROM {s}.head FOR UPDATE";
        let sql = sql.replace("{s}", self.schema());
        // A transaction that failed takes no other statement before it is rolled back.
        self.execute_batch("waiting for other nodes", &sql).inspect_err(|_| self.roll_back())
    }

    /// Ends a transaction that has written nothing, or must not have.
    pub fn roll_back(&mut self) {
        // If this fails, the connection is lost, and the transaction with it.
        let _rolled_back = self.execute_batch("rolling back", "ROLLBACK");
    }

    pub fn commit_exclusive(&mut self) -> Result<(), StoreError> {
        self.client()?.batch_execute("COMMIT").map_err(|error| write_error(&error))
    }
}

//! Kept results in SQLite.

use super::database::{SqliteDatabase, sqlite_error};
use crate::limits::MAX_KEPT_RESULTS;
use crate::{KeptResult, StoreError};
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use rusqlite::{OptionalExtension, params};

const KEEP: &str = "INSERT INTO results (call, text, until) VALUES (?1, ?2, ?3)
     ON CONFLICT (call) DO UPDATE SET text = ?2, until = ?3";

/// A result that has not ended.
pub(super) const FIND_RESULT: &str = "SELECT text FROM results WHERE call = ?1 AND until > ?2";

pub(super) const DROP_ENDED_RESULTS: &str =
    "DELETE FROM results INDEXED BY results_until WHERE until <= ?1";

/// Those that end first go first.
const DROP_SURPLUS: &str = "DELETE FROM results WHERE call IN
     (SELECT call FROM results ORDER BY until DESC LIMIT -1 OFFSET ?1)";

impl SqliteDatabase {
    pub fn keep_result(&self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        self.in_write_transaction(|| {
            let KeptResult { call, text, until } = result;
            self.execute(KEEP, params![call.to_key(), text, until.micros()])?;
            self.execute(DROP_ENDED_RESULTS, params![now.micros()])?;
            let most = i64::try_from(MAX_KEPT_RESULTS).unwrap_or(i64::MAX);
            self.execute(DROP_SURPLUS, params![most])
        })
    }

    pub fn find_result(&self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        let looking = |error| sqlite_error("looking for a result", &error);
        let mut statement = self.connection.prepare_cached(FIND_RESULT).map_err(looking)?;
        let found = statement.query_row(params![call.to_key(), now.micros()], |row| row.get(0));
        found.optional().map_err(looking)
    }

    pub fn drop_results(&self, calls: &[CallId]) -> Result<(), StoreError> {
        self.in_write_transaction(|| {
            let drop = |call: &CallId| {
                self.execute("DELETE FROM results WHERE call = ?1", [call.to_key()])
            };
            calls.iter().try_for_each(drop)
        })
    }

    fn in_write_transaction(
        &self,
        write: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.run("BEGIN IMMEDIATE")?;
        let written = write().and_then(|()| self.run("COMMIT"));
        if written.is_err() {
            let _rolled_back = self.run("ROLLBACK");
        }
        written
    }
}

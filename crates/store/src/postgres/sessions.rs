//! Finds sessions: those in which something is due, by their name, or the open ones.

use super::database::{PostgresDatabase, column, session_of_row};
use crate::StoreError;
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use postgres::Row;
use postgres::types::Type;

impl PostgresDatabase {
    pub fn sessions_due(&mut self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        let rows = self.query(
            "SELECT DISTINCT CASE kept WHEN 'sessions' THEN key ELSE session END FROM {s}.records
             WHERE due <= $1 AND kept <> 'calls' AND session IS NOT NULL",
            &[(&now.micros(), Type::INT8)],
        )?;
        rows.iter().map(session_of_row).collect()
    }

    pub fn sessions_named(&mut self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        let sql = "SELECT key FROM {s}.records WHERE kept = 'sessions' AND session = $1 AND active";
        self.query(sql, &[(&name.as_str(), Type::TEXT)])?.iter().map(session_of_row).collect()
    }

    pub fn open_sessions(&mut self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = "SELECT key FROM {s}.records WHERE kept = 'sessions' AND due IS NOT NULL
             ORDER BY due DESC LIMIT $1";
        self.query(sql, &[(&limit, Type::INT8)])?.iter().map(session_of_row).collect()
    }

    /// A session's key begins with its agent and a blank.
    pub fn agents_seen(&mut self) -> Result<Vec<Agent>, StoreError> {
        let sql =
            "SELECT DISTINCT split_part(key, ' ', 1) FROM {s}.records WHERE kept = 'sessions'";
        let parse = |row: &Row| {
            let name: String = column(row, 0)?;
            Agent::parse(&name).map_err(|error| StoreError::damaged("an agent's name", &error))
        };
        self.query(sql, &[])?.iter().map(parse).collect()
    }
}

//! One connection to the database file: its settings and its queries.

use super::queries::{OPEN_SESSIONS, SESSIONS_DUE, WriteStatements, select_sql, write_statements};
use crate::StoreError;
use crate::globals::{DECISION_SETTINGS, KEY, generate_key, parse_key, restore_setting};
use crate::limits::{MIN_SQLITE_VERSION, SQLITE_BUSY_TIMEOUT, SQLITE_CACHED_STATEMENTS};
use crate::listing::parse_call_id;
use crate::load::{RowFilter, RowSource};
use crate::rows::{Row, RowContent, RowKind, StoredRow};
use countersign_core::encoding::digest::Key;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, params};
use std::path::Path;

pub(super) struct SqliteDatabase {
    pub connection: Connection,
}

impl SqliteDatabase {
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        check_sqlite_version()?;
        let opening = |error| sqlite_error("opening it", &error);
        let connection = Connection::open(file).map_err(opening)?;
        connection.busy_timeout(SQLITE_BUSY_TIMEOUT).map_err(opening)?;
        connection.set_prepared_statement_cache_capacity(SQLITE_CACHED_STATEMENTS);
        let set = connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA secure_delete = ON;
             PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;",
        );
        set.map_err(opening)?;
        let mode: String = connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .map_err(opening)?;
        if mode != "wal" {
            return Err(StoreError::Unusable {
                what: format!("the database is in `{mode}` mode and not in WAL mode"),
                remedy: "use a local disk".to_owned(),
            });
        }
        Ok(Self { connection })
    }

    /// Opens the file while another process may write to it. In a read-only folder no process can
    /// write, and there the file is opened as immutable.
    pub fn open_read_only(file: &Path) -> Result<Self, StoreError> {
        check_sqlite_version()?;
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Self::configure_read_only(Connection::open_with_flags(file, read_only))?;
        let asked = database
            .connection
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        match asked {
            Ok(_) => Ok(database),
            Err(error) if is_read_only(&error) => {
                let flags = read_only | OpenFlags::SQLITE_OPEN_URI;
                Self::configure_read_only(Connection::open_with_flags(immutable_uri(file), flags))
            }
            Err(error) => Err(sqlite_error("opening it", &error)),
        }
    }

    fn configure_read_only(opened: rusqlite::Result<Connection>) -> Result<Self, StoreError> {
        let opening = |error| sqlite_error("opening it", &error);
        let connection = opened.map_err(opening)?;
        connection.busy_timeout(SQLITE_BUSY_TIMEOUT).map_err(opening)?;
        connection.set_prepared_statement_cache_capacity(SQLITE_CACHED_STATEMENTS);
        let set = connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
        );
        set.map_err(opening)?;
        Ok(Self { connection })
    }

    pub fn version(&self) -> Result<usize, StoreError> {
        let found: i64 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|error| sqlite_error("reading its version", &error))?;
        usize::try_from(found).map_err(|_| StoreError::damaged("its version", &"below zero"))
    }

    /// Runs several reads as of one instant.
    pub fn in_read_transaction<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run("BEGIN DEFERRED")?;
        let found = read(self);
        self.run("COMMIT")?;
        found
    }

    pub fn run(&self, sql: &str) -> Result<(), StoreError> {
        let mut statement =
            self.connection.prepare_cached(sql).map_err(|e| sqlite_error(sql, &e))?;
        statement.execute([]).map(|_| ()).map_err(|error| sqlite_error(sql, &error))
    }

    /// Moves pages from the log to the file, except those that a reader still needs. It does not
    /// block the writer.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        let moved = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        moved.map_err(|error| sqlite_error("moving the log", &error))
    }

    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .map_err(|e| sqlite_error("preparing a write", &e))?;
        statement.execute(values).map(|_| ()).map_err(|error| sqlite_error("writing", &error))
    }

    pub fn write_row(&self, row: &Row) -> Result<(), StoreError> {
        let WriteStatements { insert, upsert, delete } = write_statements(row.kind);
        let Some(content) = &row.content else { return self.execute(delete, [&row.key]) };
        let RowContent { session, project, agent, run, state, due, body, is_new } = content;
        let sql = if *is_new { insert } else { upsert };
        self.execute(sql, params![row.key, session, project, agent, run, state, due, body])
    }

    /// Empties the write-ahead log, so that no erased text stays in it. A reader can delay this to
    /// the next checkpoint.
    pub fn truncate_log(&self) {
        let _later = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    pub fn pause(&self, agent: &Agent) -> Result<(), StoreError> {
        self.execute("INSERT OR IGNORE INTO paused (agent) VALUES (?1)", [agent.as_str()])
    }

    pub fn resume(&self, agent: &Agent) -> Result<(), StoreError> {
        self.execute("DELETE FROM paused WHERE agent = ?1", [agent.as_str()])
    }

    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO settings (key, value) VALUES (?1, ?2)
                   ON CONFLICT (key) DO UPDATE SET value = ?2";
        self.execute(sql, [key, value])
    }

    pub fn delete_setting(&self, key: &str) -> Result<(), StoreError> {
        self.execute("DELETE FROM settings WHERE key = ?1", [key])
    }

    /// The store's key, generated with an empty store.
    pub fn load_or_create_key(&self) -> Result<Key, StoreError> {
        let sql = "INSERT OR IGNORE INTO settings (key, value) VALUES (?1, ?2)";
        if self.setting(KEY)?.is_none() && self.last_entry_seq()?.is_none() {
            self.execute(sql, [KEY, &generate_key()?])?;
        }
        self.stored_key()
    }

    pub fn stored_key(&self) -> Result<Key, StoreError> {
        parse_key(self.setting(KEY)?.as_deref())
    }

    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM settings WHERE key = ?1";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional());
        found.map_err(|error| sqlite_error("reading a setting", &error))
    }

    /// Sessions in which something has expired.
    pub fn sessions_due(&self, now: Time) -> Result<Vec<SessionKey>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(SESSIONS_DUE)
            .map_err(|error| sqlite_error("looking for expired rows", &error))?;
        let names = statement
            .query_map([now.micros()], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| sqlite_error("looking for expired rows", &error))?;
        names.iter().map(|name| parse_session(name)).collect()
    }

    pub fn sessions_named(&self, name: &SessionName) -> Result<Vec<SessionKey>, StoreError> {
        let looking = |error| sqlite_error("looking for sessions by name", &error);
        let sql = "SELECT key FROM sessions WHERE session = ?1 AND state = 'open' ORDER BY place";
        let mut statement = self.connection.prepare_cached(sql).map_err(looking)?;
        let keys = statement
            .query_map([name.as_str()], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        keys.iter().map(|key| parse_session(key)).collect()
    }

    pub fn open_sessions(&self, limit: usize) -> Result<Vec<SessionKey>, StoreError> {
        let looking = |error| sqlite_error("looking for open sessions", &error);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(OPEN_SESSIONS).map_err(looking)?;
        let keys = statement
            .query_map([limit], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        keys.iter().map(|key| parse_session(key)).collect()
    }

    /// A session's key begins with its agent and a blank.
    pub fn agents_seen(&self) -> Result<Vec<Agent>, StoreError> {
        let looking = |error| sqlite_error("looking for agents", &error);
        let sql = "SELECT DISTINCT substr(key, 1, instr(key, ' ') - 1) FROM sessions";
        let mut statement = self.connection.prepare_cached(sql).map_err(looking)?;
        let names = statement
            .query_map([], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        let parse = |name: &String| {
            Agent::parse(name).map_err(|error| StoreError::damaged("an agent's name", &error))
        };
        names.iter().map(parse).collect()
    }

    /// Calls whose next attempt is due.
    pub fn repeats_due(&self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        let looking = |error| sqlite_error("looking for calls to repeat", &error);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = "SELECT key FROM calls WHERE due <= ?1 ORDER BY due LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(looking)?;
        let keys = statement
            .query_map([now.micros(), limit], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        keys.iter().map(|key| parse_call_id(key)).collect()
    }
}

fn check_sqlite_version() -> Result<(), StoreError> {
    if rusqlite::version_number() >= MIN_SQLITE_VERSION {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("SQLite {} is older than 3.51.3", rusqlite::version()),
        remedy: "build with the bundled SQLite".to_owned(),
    })
}

/// Whether SQLite could not create the files that readers share with a writer.
fn is_read_only(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// A URI under which SQLite reads the file alone, without its log.
fn immutable_uri(file: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                address.push(char::from(*byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address.push_str("?immutable=1");
    address
}

impl RowSource for SqliteDatabase {
    fn fetch_rows(
        &mut self,
        kind: RowKind,
        filter: RowFilter<'_>,
    ) -> Result<Vec<StoredRow>, StoreError> {
        let (sql, value) = select_sql(kind, filter);
        let table = kind.table();
        let reading = |error| sqlite_error(&format!("reading {table}"), &error);
        let mut statement = self.connection.prepare_cached(&sql).map_err(reading)?;
        let found = statement
            .query_map([value], |row| Ok(StoredRow { key: row.get(0)?, body: row.get(1)? }));
        found.and_then(Iterator::collect).map_err(reading)
    }

    fn load_globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        let reading = |error| sqlite_error("reading who is paused", &error);
        let mut statement =
            self.connection.prepare_cached("SELECT agent FROM paused").map_err(reading)?;
        let agents = statement
            .query_map([], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(reading)?;
        for agent in agents {
            let agent = Agent::parse(&agent)
                .map_err(|error| StoreError::damaged("who is paused", &error))?;
            state.paused.insert(agent);
        }
        for key in DECISION_SETTINGS {
            if let Some(value) = self.setting(key)? {
                restore_setting(state, key, &value);
            }
        }
        Ok(())
    }

    fn find_session(&mut self, kind: RowKind, key: &str) -> Result<Option<String>, StoreError> {
        let sql = format!("SELECT session FROM {} WHERE key = ?1", kind.table());
        let found = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row([key], |row| row.get::<_, Option<String>>(0)).optional()
        });
        Ok(found.map_err(|error| sqlite_error("looking for a session", &error))?.flatten())
    }
}

/// The cause of an error when the disk is full.
pub(super) const DISK_FULL: &str = "the disk is full";

/// An error of SQLite, with a cause that the reader can act on.
pub(super) fn sqlite_error(doing: &str, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    let cause = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => DISK_FULL.to_owned(),
        Some(ErrorCode::ReadOnly) => "it may only be read".to_owned(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process holds it".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            return StoreError::damaged("the database file", error);
        }
        _ => error.to_string(),
    };
    StoreError::unavailable(doing, &cause)
}

fn parse_session(key: &str) -> Result<SessionKey, StoreError> {
    SessionKey::parse(key).map_err(|error| StoreError::damaged("a session's key", &error))
}

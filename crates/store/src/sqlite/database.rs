//! One connection to the file: the queries, and how they are set up.

use super::queries::{DUE, PAGE, SEALED, Writing, selecting, writing};
use crate::StoreError;
use crate::globals::{KEY, READ, fresh_key, read_key, restore};
use crate::load::{By, Rows};
use crate::rows::{Held as HeldRow, Kept, Row};
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::ledger::sealed::{Held, Salt, Sealed};
use countersign_core::ledger::{Body, Entry, Head, Link};
use countersign_core::model::change::Kind;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, params};
use std::path::Path;
use std::time::Duration;

/// Below this, commits in WAL mode can lose pages when a checkpoint meets a reader.
const OLDEST: i32 = 3_051_003;

pub(super) struct Database {
    pub connection: Connection,
}

impl Database {
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        is_new_enough()?;
        let opening = |error| failed("opening it", &error);
        let connection = Connection::open(file).map_err(opening)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(opening)?;
        connection.set_prepared_statement_cache_capacity(96);
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

    /// Opens it beside whoever writes. In a folder that takes no files nobody writes, and then
    /// the file is read as it stands.
    pub fn open_to_read(file: &Path) -> Result<Self, StoreError> {
        is_new_enough()?;
        let beside = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Self::set_to_read(Connection::open_with_flags(file, beside))?;
        let asked = database
            .connection
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        match asked {
            Ok(_) => Ok(database),
            Err(error) if is_closed(&error) => {
                let flags = beside | OpenFlags::SQLITE_OPEN_URI;
                Self::set_to_read(Connection::open_with_flags(as_it_stands(file), flags))
            }
            Err(error) => Err(failed("opening it", &error)),
        }
    }

    fn set_to_read(opened: rusqlite::Result<Connection>) -> Result<Self, StoreError> {
        let opening = |error| failed("opening it", &error);
        let connection = opened.map_err(opening)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(opening)?;
        connection.set_prepared_statement_cache_capacity(96);
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
            .map_err(|error| failed("reading its version", &error))?;
        usize::try_from(found).map_err(|_| damaged("its version", &"below zero"))
    }

    /// Reads several things as of one instant.
    pub fn at_one_instant<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run("BEGIN DEFERRED")?;
        let found = read(self);
        self.run("COMMIT")?;
        found
    }

    pub fn run(&self, sql: &str) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| failed(sql, &e))?;
        statement.execute([]).map(|_| ()).map_err(|error| failed(sql, &error))
    }

    /// Moves what is in the log to the file, so far as nobody reads it there. Whoever writes
    /// meanwhile is not held up.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        let moved = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        moved.map_err(|error| failed("moving the log", &error))
    }

    fn execute(&self, sql: &str, values: impl Params) -> Result<(), StoreError> {
        let mut statement =
            self.connection.prepare_cached(sql).map_err(|e| failed("preparing a write", &e))?;
        statement.execute(values).map(|_| ()).map_err(|error| failed("writing", &error))
    }

    pub fn write(&self, row: &Row) -> Result<(), StoreError> {
        let Writing { first, put, delete } = writing(row.kept);
        let Some(held) = &row.held else { return self.execute(delete, [&row.key]) };
        let HeldRow { session, project, agent, run, state, due, body, is_first } = held;
        let put = if *is_first { first } else { put };
        self.execute(put, params![row.key, session, project, agent, run, state, due, body])
    }

    pub fn append(&self, link: &Link, body: &Body) -> Result<(), StoreError> {
        let sql = "INSERT INTO entries (seq, kind, bytes, hash) VALUES (?1, ?2, ?3, ?4)";
        let seq = place(link.seq)?;
        self.execute(sql, params![seq, body.kind().word(), link.bytes, link.hash.bytes()])?;
        let Some(held) = body.held() else { return Ok(()) };
        let sql = "INSERT INTO sealed (seq, salt, text) VALUES (?1, ?2, ?3)";
        self.execute(sql, params![seq, held.salt.0, held.text])
    }

    /// Empties the write-ahead log, so that nothing erased stays there. A reader in the way delays
    /// that to the next checkpoint.
    pub fn scrub(&self) {
        let _later = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Deletes what entries keep apart; what they say stays.
    pub fn erase(&self, entries: &[u64]) -> Result<(), StoreError> {
        for seq in entries {
            self.execute("DELETE FROM sealed WHERE seq = ?1", [place(*seq)?])?;
        }
        Ok(())
    }

    pub fn pause(&self, agent: &Agent) -> Result<(), StoreError> {
        self.execute("INSERT OR IGNORE INTO paused (agent) VALUES (?1)", [agent.as_str()])
    }

    pub fn resume(&self, agent: &Agent) -> Result<(), StoreError> {
        self.execute("DELETE FROM paused WHERE agent = ?1", [agent.as_str()])
    }

    pub fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO settings (key, value) VALUES (?1, ?2)
                   ON CONFLICT (key) DO UPDATE SET value = ?2";
        self.execute(sql, [key, value])
    }

    pub fn unset(&self, key: &str) -> Result<(), StoreError> {
        self.execute("DELETE FROM settings WHERE key = ?1", [key])
    }

    /// The store's key; made when it is asked for the first time.
    pub fn key(&self) -> Result<Key, StoreError> {
        let sql = "INSERT OR IGNORE INTO settings (key, value) VALUES (?1, ?2)";
        if self.setting(KEY)?.is_none() && self.last()?.is_none() {
            self.execute(sql, [KEY, &fresh_key()?])?;
        }
        self.known_key()
    }

    pub fn known_key(&self) -> Result<Key, StoreError> {
        read_key(self.setting(KEY)?.as_deref())
    }

    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM settings WHERE key = ?1";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional());
        found.map_err(|error| failed("reading a setting", &error))
    }

    pub fn head(&self) -> Result<Head, StoreError> {
        let last = self.last()?;
        last.map_or(Ok(Head::empty()), |seq| {
            let entries = self.page(seq, 1)?;
            let entry = entries.first().ok_or_else(|| damaged("the ledger", &"its end is gone"))?;
            Ok(entry.head())
        })
    }

    fn last(&self) -> Result<Option<u64>, StoreError> {
        let found: Option<i64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM entries")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|error| failed("reading the ledger", &error))?;
        Ok(found.and_then(|seq| u64::try_from(seq).ok()))
    }

    /// Sessions in which an instant has come.
    pub fn due(&self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(DUE)
            .map_err(|error| failed("looking for what is over", &error))?;
        let names = statement
            .query_map([now.micros()], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| failed("looking for what is over", &error))?;
        names
            .iter()
            .map(|name| SessionName::parse(name).map_err(|e| damaged("a session's name", &e)))
            .collect()
    }

    /// Calls whose next attempt is due.
    pub fn repeats(&self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        let looking = |error| failed("looking for what is to be repeated", &error);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = "SELECT key FROM calls WHERE due <= ?1 ORDER BY due LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(looking)?;
        let keys = statement
            .query_map([now.micros(), most], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        keys.iter().map(|key| call_id(key)).collect()
    }

    pub fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let reading = |error| failed("reading the ledger", &error);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(PAGE).map_err(reading)?;
        let mut rows = statement.query(params![place(from)?, most]).map_err(reading)?;
        let mut prev = self.hash_before(from)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next().map_err(reading)? {
            let entry = entry(row, prev).map_err(reading)??;
            prev = entry.hash;
            entries.push(entry);
        }
        self.unseal(&mut entries)?;
        Ok(entries)
    }

    /// Puts what was kept apart beside the entries that it belongs to.
    fn unseal(&self, entries: &mut [Entry]) -> Result<(), StoreError> {
        let reading = |error| failed("reading the ledger", &error);
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(()) };
        let between = params![place(first.seq)?, place(last.seq)?];
        let mut statement = self.connection.prepare_cached(SEALED).map_err(reading)?;
        let mut rows = statement.query(between).map_err(reading)?;
        while let Some(row) = rows.next().map_err(reading)? {
            let (seq, salt, text) = held(row).map_err(reading)?;
            let at = entries.binary_search_by_key(&seq.unsigned_abs(), |entry| entry.seq);
            let entry = at.ok().and_then(|at| entries.get_mut(at));
            let sealed = entry.and_then(|entry| entry.sealed.as_mut());
            if let Some(sealed) = sealed {
                sealed.held = Some(Held { salt: Salt(salt), text });
            }
        }
        Ok(())
    }

    fn hash_before(&self, from: u64) -> Result<Digest, StoreError> {
        let sql = "SELECT hash FROM entries WHERE seq = ?1";
        let found: Option<[u8; 32]> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement.query_row([place(from).unwrap_or(0) - 1], |row| row.get(0)).optional()
            })
            .map_err(|error| failed("reading the ledger", &error))?;
        Ok(found.map_or(Digest::zero(), Digest::from_bytes))
    }
}

pub(crate) fn call_id(key: &str) -> Result<CallId, StoreError> {
    CallId::parse(key).ok_or_else(|| damaged("the key of a call", &key))
}

fn is_new_enough() -> Result<(), StoreError> {
    if rusqlite::version_number() >= OLDEST {
        return Ok(());
    }
    Err(StoreError::Unusable {
        what: format!("SQLite {} is older than 3.51.3", rusqlite::version()),
        remedy: "build with the bundled SQLite".to_owned(),
    })
}

/// Whether the files that readers share with a writer cannot be made.
fn is_closed(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// An address under which SQLite reads a file without any other beside it.
fn as_it_stands(file: &Path) -> String {
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

fn entry(row: &rusqlite::Row<'_>, prev: Digest) -> rusqlite::Result<Result<Entry, StoreError>> {
    let (seq, kind): (i64, &str) = (row.get(0)?, row.get_ref(1)?.as_str()?);
    let (bytes, hash): (String, [u8; 32]) = (row.get(2)?, row.get(3)?);
    let Some(kind) = Kind::from_word(kind) else {
        return Ok(Err(damaged(&format!("entry {seq}"), &format!("`{kind}` is no kind"))));
    };
    let seq = u64::try_from(seq).unwrap_or(0);
    let sealed = Entry::commitment_in(&bytes);
    let sealed = sealed.map(|commitment| Sealed { commitment, held: None });
    Ok(Ok(Entry { seq, kind, prev, bytes, hash: Digest::from_bytes(hash), sealed }))
}

fn held(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, [u8; 16], String)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn place(seq: u64) -> Result<i64, StoreError> {
    i64::try_from(seq).map_err(|_| damaged("the ledger", &"a place beyond all numbers"))
}

impl Rows for Database {
    fn fetch(&mut self, kept: Kept, by: By<'_>) -> Result<Vec<(String, String)>, StoreError> {
        let (sql, value) = selecting(kept, by);
        let table = kept.table();
        let reading = |error| failed(&format!("reading {table}"), &error);
        let mut statement = self.connection.prepare_cached(&sql).map_err(reading)?;
        let found = statement.query_map([value], |row| Ok((row.get(0)?, row.get(1)?)));
        found.and_then(Iterator::collect).map_err(reading)
    }

    fn globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        let reading = |error| failed("reading who is paused", &error);
        let mut statement =
            self.connection.prepare_cached("SELECT agent FROM paused").map_err(reading)?;
        let agents = statement
            .query_map([], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(reading)?;
        for agent in agents {
            let agent = Agent::parse(&agent).map_err(|error| damaged("who is paused", &error))?;
            state.paused.insert(agent);
        }
        for key in READ {
            if let Some(value) = self.setting(key)? {
                restore(state, key, &value);
            }
        }
        Ok(())
    }

    fn session_of(&mut self, kept: Kept, key: &str) -> Result<Option<String>, StoreError> {
        let sql = format!("SELECT session FROM {} WHERE key = ?1", kept.table());
        let found = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row([key], |row| row.get::<_, Option<String>>(0)).optional()
        });
        Ok(found.map_err(|error| failed("looking for a session", &error))?.flatten())
    }
}

/// What SQLite says, as something that can be acted on.
pub(super) fn failed(doing: &str, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode;
    let cause = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly) => "it may only be read".to_owned(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process holds it".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            return damaged("the database file", error);
        }
        _ => error.to_string(),
    };
    StoreError::Unavailable { what: doing.to_owned(), cause }
}

pub(super) fn damaged(what: &str, cause: &impl ToString) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), cause: cause.to_string() }
}

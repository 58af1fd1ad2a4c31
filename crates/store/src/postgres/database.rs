//! One connection to the database: its settings and its queries.
//!
//! Queries are not prepared on the server: behind a pooler, a prepared statement can be lost.

pub(super) mod gather;

use super::{CachedSnapshot, CellVersion, CellVersions, PostgresSettings};
use crate::cells::{cell_names, collect_snapshot_cells};
use crate::globals::{DECISION_SETTINGS, KEY, generate_key, parse_key, restore_setting};
use crate::instant::NEVER;
use crate::limits::{CONNECT_TIMEOUT, MAX_SCHEMA_NAME_BYTES};
use crate::listing::parse_call_id;
use crate::load::{RowFilter, RowSource, load_state};
use crate::rows::{RowKind, StoredRow};
use crate::{ChangeFeed, ReadScope, ScopeKind, StoreError, spawn_thread};
use countersign_core::encoding::digest::Key;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use countersign_ledger::Head;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Row};
use std::str::FromStr;
use std::sync::Arc;

pub(super) struct PostgresDatabase {
    /// None only while it is dropped.
    client: Option<Client>,
    settings: PostgresSettings,
    /// How often it was reconnected.
    connections: u64,
}

#[derive(Clone, Copy)]
pub(super) struct StoreInstants {
    pub now: Time,
    pub last_commit_at: Time,
}

pub(super) type SqlValues<'a> = &'a [(&'a (dyn ToSql + Sync), Type)];

impl PostgresDatabase {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        if !is_plain_identifier(&settings.schema) {
            return Err(StoreError::Unusable {
                what: format!("`{}` is no name for a schema", settings.schema),
                remedy: "use small letters, digits and `_`".to_owned(),
            });
        }
        let mut config = Config::from_str(&settings.url).map_err(|error| StoreError::Unusable {
            what: format!("the address of the database cannot be read: {error}"),
            remedy: "write it as postgres://user@host:port/name".to_owned(),
        })?;
        config.connect_timeout(CONNECT_TIMEOUT).application_name("countersign");
        config.tcp_user_timeout(CONNECT_TIMEOUT).keepalives_idle(CONNECT_TIMEOUT);
        if settings.change_feed == ChangeFeed::Listen {
            // A pooler refuses these options; its own timeouts apply instead.
            config.options("-c statement_timeout=5s -c idle_in_transaction_session_timeout=10s");
        }
        let client =
            config.connect(NoTls).map_err(|e| postgres_error("reaching the database", &e))?;
        let mut database =
            Self { client: Some(client), settings: settings.clone(), connections: 0 };
        database.check_primary()?;
        Ok(database)
    }

    /// Opens another connection, if this one is lost.
    pub fn reconnect_if_closed(&mut self) -> Result<(), StoreError> {
        if self.is_closed() {
            let connections = self.connections + 1;
            let mut reconnected = Self::open(&self.settings)?;
            reconnected.connections = connections;
            *self = reconnected;
        }
        Ok(())
    }

    fn check_primary(&mut self) -> Result<(), StoreError> {
        let rows = self.query("SELECT pg_is_in_recovery()", &[])?;
        let standby = rows.first().is_none_or(|row| row.try_get(0).unwrap_or(true));
        if standby {
            return Err(StoreError::Unusable {
                what: "this database is a standby".to_owned(),
                remedy: "name the primary: decisions are made only there".to_owned(),
            });
        }
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.client.as_ref().is_none_or(Client::is_closed)
    }

    pub(super) fn schema(&self) -> &str {
        &self.settings.schema
    }

    pub(super) fn client(&mut self) -> Result<&mut Client, StoreError> {
        let cause = "the connection is closed";
        self.client.as_mut().ok_or_else(|| StoreError::unavailable("asking the database", &cause))
    }

    pub fn execute_batch(&mut self, doing: &str, sql: &str) -> Result<(), StoreError> {
        self.client()?.batch_execute(sql).map_err(|error| postgres_error(doing, &error))
    }

    pub fn query(&mut self, sql: &str, values: SqlValues<'_>) -> Result<Vec<Row>, StoreError> {
        self.reconnect_if_closed()?;
        let sql = sql.replace("{s}", &self.settings.schema);
        self.client()?.query_typed(&sql, values).map_err(|error| postgres_error("asking", &error))
    }

    /// Sends a query that writes.
    pub fn query_writing(
        &mut self,
        sql: &str,
        values: SqlValues<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        self.reconnect_if_closed()?;
        let sql = sql.replace("{s}", &self.settings.schema);
        self.client()?.query_typed(&sql, values).map_err(|error| write_error(&error))
    }

    pub fn version(&mut self) -> Result<usize, StoreError> {
        let rows = self.query("SELECT coalesce(max(steps), 0) FROM {s}.version", &[])?;
        let steps: i64 = first_value(&rows)?;
        usize::try_from(steps).map_err(|_| StoreError::damaged("its version", &"below zero"))
    }

    /// The store's key, generated by the first node.
    pub fn load_or_create_key(&mut self) -> Result<Key, StoreError> {
        self.query_writing(
            "INSERT INTO {s}.settings SELECT $1, $2
                 WHERE NOT EXISTS (SELECT 1 FROM {s}.entries) ON CONFLICT DO NOTHING",
            &[(&KEY, Type::TEXT), (&generate_key()?, Type::TEXT)],
        )?;
        self.stored_key()
    }

    pub fn stored_key(&mut self) -> Result<Key, StoreError> {
        let sql = "SELECT value FROM {s}.settings WHERE key = $1";
        let rows = self.query(sql, &[(&KEY, Type::TEXT)])?;
        let stored: Option<String> = rows.first().map(|row| column(row, 0)).transpose()?;
        parse_key(stored.as_deref())
    }

    /// The versions of these cells, the time of the database, and the instant of the last commit.
    pub fn read_versions(
        &mut self,
        names: &[String],
    ) -> Result<(CellVersions, StoreInstants), StoreError> {
        let rows = self.query("SELECT {s}.cell_versions($1)", &[(&names, Type::TEXT_ARRAY)])?;
        let mut versions: Vec<Option<i64>> = first_value(&rows)?;
        let last = versions.pop().flatten().map_or(NEVER, Time::from_micros);
        let now = versions.pop().flatten().filter(|_| versions.len() == 2 * names.len());
        let now = now.ok_or_else(|| StoreError::damaged("an answer", &"versions are missing"))?;
        let (pairs, _) = versions.as_chunks::<2>();
        let versions = pairs.iter().map(|[contents, decisive]| CellVersion {
            contents: contents.unwrap_or_default(),
            decisive: decisive.unwrap_or_default(),
        });
        let versions = names.iter().cloned().zip(versions).collect();
        Ok((versions, StoreInstants { now: Time::from_micros(now), last_commit_at: last }))
    }

    /// A snapshot with the versions of its cells, all as of one instant.
    pub fn load_snapshot(
        &mut self,
        scope: &ReadScope,
    ) -> Result<(CachedSnapshot, StoreInstants), StoreError> {
        self.retry_if_disconnected(|database| {
            if scope.kind == ScopeKind::Sessions
                && let Some(gathered) = gather::gather_snapshot(database, scope)?
            {
                return Ok(gathered);
            }
            database.in_read_transaction(|database| database.load_snapshot_within(scope))
        })
    }

    /// The same as `load_snapshot`, inside of an exclusive transaction.
    pub fn load_snapshot_exclusively(
        &mut self,
        scope: &ReadScope,
    ) -> Result<(CachedSnapshot, StoreInstants), StoreError> {
        if scope.kind == ScopeKind::Sessions
            && let Some(gathered) = gather::gather_snapshot(self, scope)?
        {
            return Ok(gathered);
        }
        self.load_snapshot_within(scope)
    }

    /// The whole state and the ledger's end, as of one instant.
    pub fn read_everything(&mut self) -> Result<(State, Head), StoreError> {
        let all = ReadScope::with_kind(ScopeKind::Everything);
        self.in_read_transaction(|database| Ok((load_state(database, &all)?, database.head()?)))
    }

    /// Repeats a read over a new connection, if the old one was lost.
    fn retry_if_disconnected<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match read(self) {
            Err(_) if self.is_closed() => read(self),
            found => found,
        }
    }

    pub fn in_read_transaction<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reconnect_if_closed()?;
        let connections = self.connections;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.execute_batch("asking", begin)?;
        let found = read(self);
        let ended = self.execute_batch("asking", "COMMIT");
        let found = found?;
        // Reads over two connections are not of one instant.
        if self.connections != connections {
            return Err(StoreError::unavailable("asking", &"the connection was lost"));
        }
        ended.map(|()| found)
    }

    fn load_snapshot_within(
        &mut self,
        scope: &ReadScope,
    ) -> Result<(CachedSnapshot, StoreInstants), StoreError> {
        let state = load_state(self, scope)?;
        let (versions, now) =
            self.read_versions(&cell_names(&collect_snapshot_cells(scope, &state)))?;
        Ok((
            CachedSnapshot {
                state: Arc::new(state),
                versions: Arc::new(versions),
                commits_since_read: 0,
                notifications: 0,
            },
            now,
        ))
    }

    /// Calls whose next attempt is due.
    pub fn repeats_due(&mut self, now: Time, limit: usize) -> Result<Vec<CallId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.query(
            "SELECT key FROM {s}.records WHERE kept = 'calls' AND due <= $1 ORDER BY due LIMIT $2",
            &[(&now.micros(), Type::INT8), (&limit, Type::INT8)],
        )?;
        let id = |row: &Row| {
            let key: String = column(row, 0)?;
            parse_call_id(&key)
        };
        rows.iter().map(id).collect()
    }
}

/// Closing a connection blocks, which a thread that drives asynchronous tasks must not do: the store
/// may be dropped by one.
impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let client = self.client.take();
        if let Ok(closing) =
            spawn_thread("store closing", "closing a connection", move || drop(client))
        {
            let _closed = closing.join();
        }
    }
}

/// Whether a name needs no quotes in a statement.
fn is_plain_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && name.len() <= MAX_SCHEMA_NAME_BYTES
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

impl RowSource for PostgresDatabase {
    fn fetch_rows(
        &mut self,
        kind: RowKind,
        filter: RowFilter<'_>,
    ) -> Result<Vec<StoredRow>, StoreError> {
        let own = if kind == RowKind::Grants { " AND project IS NULL" } else { "" };
        let (condition, value) = match filter {
            RowFilter::Key(key) => ("key = $2".to_owned(), key),
            RowFilter::Session(name) => (format!("session = $2 AND active{own}"), name),
            RowFilter::Project(name) => ("project = $2 AND active".to_owned(), name),
            RowFilter::Agent(name) => ("agent = $2 AND active".to_owned(), name),
            RowFilter::Run(run) => ("run = $2".to_owned(), run),
            RowFilter::State(state) => ("state = $2".to_owned(), state),
            RowFilter::Active => ("active AND $2 = ''".to_owned(), ""),
            RowFilter::Projects => ("project IS NOT NULL AND active AND $2 = ''".to_owned(), ""),
            RowFilter::All => ("$2 = ''".to_owned(), ""),
        };
        let sql = format!(
            "SELECT key, body FROM {{s}}.records WHERE kept = $1 AND {condition} ORDER BY place"
        );
        let rows = self.query(&sql, &[(&kind.table(), Type::TEXT), (&value, Type::TEXT)])?;
        rows.iter()
            .map(|row| Ok(StoredRow { key: column(row, 0)?, body: column(row, 1)? }))
            .collect()
    }

    fn load_globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        for row in self.query("SELECT agent FROM {s}.paused", &[])? {
            let agent: String = column(&row, 0)?;
            let agent = Agent::parse(&agent)
                .map_err(|error| StoreError::damaged("who is paused", &error))?;
            state.paused.insert(agent);
        }
        let keys = DECISION_SETTINGS.as_slice();
        let sql = "SELECT key, value FROM {s}.settings WHERE key = ANY ($1)";
        for row in self.query(sql, &[(&keys, Type::TEXT_ARRAY)])? {
            let (key, value): (String, String) = (column(&row, 0)?, column(&row, 1)?);
            restore_setting(state, &key, &value);
        }
        Ok(())
    }

    fn find_session(&mut self, kind: RowKind, key: &str) -> Result<Option<String>, StoreError> {
        let rows = self.query(
            "SELECT session FROM {s}.records WHERE kept = $1 AND key = $2",
            &[(&kind.table(), Type::TEXT), (&key, Type::TEXT)],
        )?;
        rows.first().map_or(Ok(None), |row| column(row, 0))
    }
}

fn first_value<T>(rows: &[Row]) -> Result<T, StoreError>
where
    T: for<'a> postgres::types::FromSql<'a>,
{
    let row = rows.first().ok_or_else(|| StoreError::damaged("an answer", &"it is empty"))?;
    column(row, 0)
}

pub(super) fn column<T>(row: &Row, at: usize) -> Result<T, StoreError>
where
    T: for<'a> postgres::types::FromSql<'a>,
{
    row.try_get(at).map_err(|error| StoreError::damaged("an answer", &error))
}

/// An error of PostgreSQL, with its message if it sent one.
pub(super) fn postgres_error(doing: &str, error: &postgres::Error) -> StoreError {
    let cause = match error.as_db_error() {
        Some(reported) => reported.message().to_owned(),
        None => error.to_string(),
    };
    StoreError::unavailable(doing, &cause)
}

/// An error of a write. Without an answer from the database it is unknown whether it was done.
pub(super) fn write_error(error: &postgres::Error) -> StoreError {
    match error.as_db_error() {
        Some(reported) if reported.code() == &postgres::error::SqlState::ADMIN_SHUTDOWN => {
            StoreError::InDoubt { cause: reported.message().to_owned() }
        }
        Some(_) => postgres_error("writing", error),
        None => StoreError::InDoubt { cause: error.to_string() },
    }
}

pub(super) fn session_of_row(row: &Row) -> Result<SessionKey, StoreError> {
    let key: String = column(row, 0)?;
    SessionKey::parse(&key).map_err(|error| StoreError::damaged("a session's key", &error))
}

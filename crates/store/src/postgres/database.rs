//! One connection to the database: the queries, and how it is set up.
//!
//! Every query is sent whole, without a prepared statement that a pooler could lose.

use super::{Kept as KeptSlice, PostgresSettings, Versions, gather, names};
use crate::cells::of_slice;
use crate::globals::{KEY, READ, fresh_key, read_key, restore};
use crate::instant::NEVER;
use crate::load::{By, Rows, load};
use crate::rows::Kept;
use crate::{Breadth, Hints, Need, StoreError};
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::ledger::sealed::{Held, Salt, Sealed};
use countersign_core::ledger::{Entry, Head};
use countersign_core::model::change::Kind;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::time::Time;
use countersign_core::state::State;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Row};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Database {
    client: Client,
    settings: PostgresSettings,
    /// How often it was connected anew.
    lives: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Instants {
    pub now: Time,
    /// Of what was committed last.
    pub last: Time,
}

pub(super) type Values<'a> = &'a [(&'a (dyn ToSql + Sync), Type)];

impl Database {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        if !is_plain(&settings.schema) {
            return Err(StoreError::Unusable {
                what: format!("`{}` is no name for a schema", settings.schema),
                remedy: "use small letters, digits and `_`".to_owned(),
            });
        }
        let mut config = Config::from_str(&settings.url).map_err(|error| StoreError::Unusable {
            what: format!("the address of the database cannot be read: {error}"),
            remedy: "write it as postgres://user@host:port/name".to_owned(),
        })?;
        config.connect_timeout(Duration::from_secs(5)).application_name("countersign");
        if settings.hints == Hints::Listen {
            // A pooler takes no settings, and its own time limits hold instead.
            config.options("-c statement_timeout=5s -c idle_in_transaction_session_timeout=10s");
        }
        let client = config.connect(NoTls).map_err(|e| failed("reaching the database", &e))?;
        let mut database = Self { client, settings: settings.clone(), lives: 0 };
        database.is_primary()?;
        Ok(database)
    }

    /// Another connection, if this one is lost.
    pub fn again(&mut self) -> Result<(), StoreError> {
        if self.client.is_closed() {
            let lives = self.lives + 1;
            *self = Self { lives, ..Self::open(&self.settings.clone())? };
        }
        Ok(())
    }

    fn is_primary(&mut self) -> Result<(), StoreError> {
        let rows = self.ask("SELECT pg_is_in_recovery()", &[])?;
        let standby = rows.first().is_none_or(|row| row.try_get(0).unwrap_or(true));
        if standby {
            return Err(StoreError::Unusable {
                what: "this database is a standby".to_owned(),
                remedy: "name the primary: decisions are made only there".to_owned(),
            });
        }
        Ok(())
    }

    pub fn batch(&mut self, sql: &str) -> Result<(), postgres::Error> {
        self.client.batch_execute(sql)
    }

    pub fn ask(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        self.again()?;
        let sql = sql.replace("{s}", &self.settings.schema);
        self.client.query_typed(&sql, values).map_err(|error| failed("asking", &error))
    }

    /// Sends what writes.
    pub fn tell(&mut self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        self.again()?;
        let sql = sql.replace("{s}", &self.settings.schema);
        self.client.query_typed(&sql, values).map_err(|error| failed_to_write(&error))
    }

    pub fn version(&mut self) -> Result<usize, StoreError> {
        let rows = self.ask("SELECT coalesce(max(steps), 0) FROM {s}.version", &[])?;
        let steps: i64 = first(&rows)?;
        usize::try_from(steps).map_err(|_| damaged("its version", &"below zero"))
    }

    /// The store's key; the first node makes it.
    pub fn key(&mut self) -> Result<Key, StoreError> {
        self.tell(
            "INSERT INTO {s}.settings SELECT $1, $2
                 WHERE NOT EXISTS (SELECT 1 FROM {s}.entries) ON CONFLICT DO NOTHING",
            &[(&KEY, Type::TEXT), (&fresh_key()?, Type::TEXT)],
        )?;
        self.known_key()
    }

    pub fn known_key(&mut self) -> Result<Key, StoreError> {
        let sql = "SELECT value FROM {s}.settings WHERE key = $1";
        let rows = self.ask(sql, &[(&KEY, Type::TEXT)])?;
        let stored: Option<String> = rows.first().map(|row| column(row, 0)).transpose()?;
        read_key(stored.as_deref())
    }

    pub fn head(&mut self) -> Result<Head, StoreError> {
        let rows = self.ask("SELECT next, hash FROM {s}.head", &[])?;
        let row = rows.first().ok_or_else(|| damaged("the ledger", &"its end is gone"))?;
        Ok(Head { next: place(column(row, 0)?)?, hash: hash(column(row, 1)?)? })
    }

    /// Where these cells stand, what time it is there, and when something was committed last.
    pub fn versions(&mut self, names: &[String]) -> Result<(Versions, Instants), StoreError> {
        let rows = self.ask("SELECT {s}.standing($1)", &[(&names, Type::TEXT_ARRAY)])?;
        let mut standing: Vec<Option<i64>> = first(&rows)?;
        let last = standing.pop().flatten().map_or(NEVER, Time::from_micros);
        let now = standing.pop().flatten().filter(|_| standing.len() == names.len());
        let now = now.ok_or_else(|| damaged("an answer", &"versions are missing"))?;
        let standing = standing.into_iter().map(Option::unwrap_or_default);
        let versions = names.iter().cloned().zip(standing).collect();
        Ok((versions, Instants { now: Time::from_micros(now), last }))
    }

    /// A slice with the versions of its cells, all as of one instant.
    pub fn slice(&mut self, need: &Need) -> Result<(KeptSlice, Instants), StoreError> {
        self.anew(|database| {
            if need.breadth == Breadth::Sessions
                && let Some(gathered) = gather::slice(database, need)?
            {
                return Ok(gathered);
            }
            database.at_one_instant(|database| database.slice_within(need))
        })
    }

    /// The whole state and the ledger's end, as of one instant.
    pub fn snapshot(&mut self) -> Result<(State, Head), StoreError> {
        let all = Need::all(Breadth::Everything);
        self.at_one_instant(|database| Ok((load(database, &all)?, database.head()?)))
    }

    /// Reads once more, over a new connection, if the old one was lost.
    fn anew<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match read(self) {
            Err(_) if self.client.is_closed() => read(self),
            found => found,
        }
    }

    pub fn at_one_instant<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.again()?;
        let lives = self.lives;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.batch(begin).map_err(|error| failed("asking", &error))?;
        let found = read(self);
        let ended = self.batch("COMMIT").map_err(|error| failed("asking", &error));
        let found = found?;
        // What was read over two connections is not of one instant.
        if self.lives != lives {
            let (what, cause) = ("asking".to_owned(), "the connection was lost".to_owned());
            return Err(StoreError::Unavailable { what, cause });
        }
        ended.map(|()| found)
    }

    fn slice_within(&mut self, need: &Need) -> Result<(KeptSlice, Instants), StoreError> {
        let state = load(self, need)?;
        let (versions, now) = self.versions(&names(&of_slice(need, &state)))?;
        Ok((KeptSlice { state: Arc::new(state), versions, commits: 0, heard: 0 }, now))
    }

    pub fn due(&mut self, now: Time) -> Result<Vec<SessionName>, StoreError> {
        let rows = self.ask(
            "SELECT DISTINCT session FROM {s}.records WHERE due <= $1 AND kept <> 'calls' AND session IS NOT NULL",
            &[(&now.micros(), Type::INT8)],
        )?;
        let name = |row: &Row| {
            let name: String = column(row, 0)?;
            SessionName::parse(&name).map_err(|error| damaged("a session's name", &error))
        };
        rows.iter().map(name).collect()
    }

    /// Calls whose next attempt is due.
    pub fn repeats(&mut self, now: Time, most: usize) -> Result<Vec<CallId>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.ask(
            "SELECT key FROM {s}.records WHERE kept = 'calls' AND due <= $1 ORDER BY due LIMIT $2",
            &[(&now.micros(), Type::INT8), (&most, Type::INT8)],
        )?;
        let id = |row: &Row| {
            let key: String = column(row, 0)?;
            CallId::parse(&key).ok_or_else(|| damaged("the key of a call", &key))
        };
        rows.iter().map(id).collect()
    }

    pub fn page(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let before =
            self.ask("SELECT hash FROM {s}.entries WHERE seq = $1 - 1", &[(&from, Type::INT8)])?;
        let mut prev = before.first().map_or(Ok(Digest::zero()), |row| hash(column(row, 0)?))?;
        let rows = self.ask(
            "SELECT e.seq, e.kind, e.bytes, e.hash, a.salt, a.text
             FROM {s}.entries e LEFT JOIN {s}.sealed a ON a.seq = e.seq
             WHERE e.seq >= $1 ORDER BY e.seq LIMIT $2",
            &[(&from, Type::INT8), (&most, Type::INT8)],
        )?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let kind: String = column(row, 1)?;
            let kind = Kind::from_word(&kind)
                .ok_or_else(|| damaged("an entry", &format!("`{kind}` is no kind")))?;
            let seq = place(column(row, 0)?)?;
            let (bytes, hash): (String, _) = (column(row, 2)?, hash(column(row, 3)?)?);
            let held = held(column(row, 4)?, column(row, 5)?)?;
            let sealed = Entry::commitment_in(&bytes).map(|commitment| Sealed { commitment, held });
            entries.push(Entry { seq, kind, prev, bytes, hash, sealed });
            prev = hash;
        }
        Ok(entries)
    }
}

/// A name that needs no quotes, so that it can stand in a statement as it is.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && name.len() <= 48
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

impl Rows for Database {
    fn fetch(&mut self, kept: Kept, by: By<'_>) -> Result<Vec<(String, String)>, StoreError> {
        let own = if kept == Kept::Grants { " AND project IS NULL" } else { "" };
        let (condition, value) = match by {
            By::Key(key) => ("key = $2".to_owned(), key),
            By::Session(name) => (format!("session = $2 AND active{own}"), name),
            By::Project(name) => ("project = $2 AND active".to_owned(), name),
            By::Agent(name) => ("agent = $2 AND active".to_owned(), name),
            By::Run(run) => ("run = $2".to_owned(), run),
            By::State(state) => ("state = $2".to_owned(), state),
            By::Active => ("active AND $2 = ''".to_owned(), ""),
            By::Projects => ("project IS NOT NULL AND active AND $2 = ''".to_owned(), ""),
            By::All => ("$2 = ''".to_owned(), ""),
        };
        let sql = format!(
            "SELECT key, body FROM {{s}}.records WHERE kept = $1 AND {condition} ORDER BY place"
        );
        let rows = self.ask(&sql, &[(&kept.table(), Type::TEXT), (&value, Type::TEXT)])?;
        rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
    }

    fn globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        for row in self.ask("SELECT agent FROM {s}.paused", &[])? {
            let agent: String = column(&row, 0)?;
            let agent = Agent::parse(&agent).map_err(|error| damaged("who is paused", &error))?;
            state.paused.insert(agent);
        }
        let keys = READ.as_slice();
        let sql = "SELECT key, value FROM {s}.settings WHERE key = ANY ($1)";
        for row in self.ask(sql, &[(&keys, Type::TEXT_ARRAY)])? {
            let (key, value): (String, String) = (column(&row, 0)?, column(&row, 1)?);
            restore(state, &key, &value);
        }
        Ok(())
    }

    fn session_of(&mut self, kept: Kept, key: &str) -> Result<Option<String>, StoreError> {
        let rows = self.ask(
            "SELECT session FROM {s}.records WHERE kept = $1 AND key = $2",
            &[(&kept.table(), Type::TEXT), (&key, Type::TEXT)],
        )?;
        rows.first().map_or(Ok(None), |row| column(row, 0))
    }
}

fn first<T>(rows: &[Row]) -> Result<T, StoreError>
where
    T: for<'a> postgres::types::FromSql<'a>,
{
    let row = rows.first().ok_or_else(|| damaged("an answer", &"it is empty"))?;
    column(row, 0)
}

pub(super) fn column<T>(row: &Row, at: usize) -> Result<T, StoreError>
where
    T: for<'a> postgres::types::FromSql<'a>,
{
    row.try_get(at).map_err(|error| damaged("an answer", &error))
}

fn held(salt: Option<Vec<u8>>, text: Option<String>) -> Result<Option<Held>, StoreError> {
    let (Some(salt), Some(text)) = (salt, text) else { return Ok(None) };
    let salt = <[u8; 16]>::try_from(salt).map_err(|_| damaged("a salt", &"it has not 16 bytes"))?;
    Ok(Some(Held { salt: Salt(salt), text }))
}

fn hash(bytes: Vec<u8>) -> Result<Digest, StoreError> {
    let bytes = <[u8; 32]>::try_from(bytes);
    bytes.map(Digest::from_bytes).map_err(|_| damaged("a hash", &"it has not 32 bytes"))
}

fn place(seq: i64) -> Result<u64, StoreError> {
    u64::try_from(seq).map_err(|_| damaged("the ledger", &"a place below zero"))
}

/// What PostgreSQL says, as something that can be acted on.
pub(super) fn failed(doing: &str, error: &postgres::Error) -> StoreError {
    let cause = match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => error.to_string(),
    };
    StoreError::Unavailable { what: doing.to_owned(), cause }
}

/// The same for a write: without a word from the database nobody knows whether it was done.
fn failed_to_write(error: &postgres::Error) -> StoreError {
    match error.as_db_error() {
        Some(said) if said.code() == &postgres::error::SqlState::ADMIN_SHUTDOWN => {
            StoreError::InDoubt { cause: said.message().to_owned() }
        }
        Some(_) => failed("writing", error),
        None => StoreError::InDoubt { cause: error.to_string() },
    }
}

pub(super) fn damaged(what: &str, cause: &impl ToString) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), cause: cause.to_string() }
}

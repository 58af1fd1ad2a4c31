//! Empty stores for one story after the other.
//!
//! SQLite gets a new folder for each story. PostgreSQL gets one schema for all stories of a shard: to
//! create its tables and functions takes longer than a story, so their rows are removed instead.

use countersign_engine::{
    ChangeFeed, DatabaseClock, Memory, Postgres, PostgresSettings, Sqlite, Store,
};
use postgres::{Client, NoTls};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

pub(crate) trait EmptyStores {
    /// The name of the store in a test's name.
    fn name(&self) -> &'static str;

    /// Opens an empty store. The one that was opened before must be closed.
    fn open_empty(&mut self) -> Box<dyn Store>;
}

pub(crate) struct InMemory;

impl InMemory {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl EmptyStores for InMemory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn open_empty(&mut self) -> Box<dyn Store> {
        Box::new(Memory::empty())
    }
}

/// A temporary folder in memory where the system has one: stories do not test durability.
fn make_memory_folder() -> TempDir {
    let shared = Path::new("/dev/shm");
    tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) struct OnSqlite(TempDir);

impl OnSqlite {
    pub(crate) fn new() -> Self {
        Self(make_memory_folder())
    }
}

impl EmptyStores for OnSqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn open_empty(&mut self) -> Box<dyn Store> {
        self.0 = make_memory_folder();
        Box::new(Sqlite::open(&self.0.path().join("store")).unwrap())
    }
}

/// The store keeps nothing in memory between two steps, so each step reads what it needs from rows.
pub(crate) struct OnSqliteWithoutCache(TempDir);

impl OnSqliteWithoutCache {
    pub(crate) fn new() -> Self {
        Self(make_memory_folder())
    }
}

impl EmptyStores for OnSqliteWithoutCache {
    fn name(&self) -> &'static str {
        "sqlite_without_cache"
    }

    fn open_empty(&mut self) -> Box<dyn Store> {
        self.0 = make_memory_folder();
        Box::new(Sqlite::open(&self.0.path().join("store")).unwrap().without_cache())
    }
}

/// A schema of one shard, with a copy of the rows that an empty store has.
pub(crate) struct OnPostgres {
    settings: PostgresSettings,
    client: Client,
    /// Removes all rows and puts back those of an empty store.
    reset: String,
}

impl OnPostgres {
    pub(crate) fn new() -> Self {
        let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
        // `cargo test` runs several shards in one process.
        static SCHEMAS: AtomicUsize = AtomicUsize::new(0);
        let number = SCHEMAS.fetch_add(1, Ordering::SeqCst);
        settings.schema = format!("stories_{}_{number}", std::process::id());
        // A story has its own clock, and nothing else writes to its tables.
        (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
        drop(Postgres::open(settings.clone()).unwrap());
        let mut client = Client::connect(&settings.url, NoTls).unwrap();
        let reset = copy_rows(&mut client, &settings.schema);
        Self { settings, client, reset }
    }
}

impl EmptyStores for OnPostgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn open_empty(&mut self) -> Box<dyn Store> {
        self.client.batch_execute(&self.reset).unwrap();
        Box::new(Postgres::open(self.settings.clone()).unwrap())
    }
}

/// Copies the rows of each table to a schema beside it, and returns the statements that restore them.
/// No table is named here, so that a migration cannot be forgotten.
fn copy_rows(client: &mut Client, schema: &str) -> String {
    let tables = "SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename";
    let tables: Vec<String> =
        client.query(tables, &[&schema]).unwrap().iter().map(|row| row.get(0)).collect();
    assert!(!tables.is_empty(), "no tables in `{schema}`");
    client.batch_execute(&format!("CREATE SCHEMA {schema}_empty")).unwrap();
    // The ledger refuses to be emptied; a replica's connection does not run that trigger.
    let mut reset = "SET session_replication_role = replica;".to_owned();
    let places: Vec<String> = tables.iter().map(|table| format!("{schema}.{table}")).collect();
    reset.push_str(&format!("TRUNCATE {} RESTART IDENTITY;", places.join(", ")));
    for table in &tables {
        let copy = format!("CREATE TABLE {schema}_empty.{table} AS TABLE {schema}.{table}");
        let rows = client.execute(&copy, &[]).unwrap();
        if rows > 0 {
            let from = format!("TABLE {schema}_empty.{table}");
            reset.push_str(&format!("INSERT INTO {schema}.{table} {from};"));
        }
    }
    reset
}

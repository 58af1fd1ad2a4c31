//! The stores that cases run on: a new one for each case, removed afterwards.

use countersign_console::Failure;
use countersign_engine::{
    ChangeFeed, DatabaseClock, Memory, Postgres, PostgresSettings, Sqlite, Store, StoreError,
};
use tempfile::TempDir;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CaseStore {
    Memory,
    Sqlite,
    /// The address of a server. Each case has its own schema.
    Postgres(String),
}

/// An empty store, and what to remove after it is closed.
pub(super) struct EmptyStore {
    pub store: Box<dyn Store>,
    pub cleanup: StoreCleanup,
}

pub(super) enum StoreCleanup {
    Nothing,
    Folder(TempDir),
    Schema(PostgresSettings),
}

impl CaseStore {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "memory" => Ok(Self::Memory),
            "sqlite" => Ok(Self::Sqlite),
            _ => match text.strip_prefix("postgres:") {
                Some(address) if !address.is_empty() => Ok(Self::Postgres(address.to_owned())),
                _ => Err("write `memory`, `sqlite`, or `postgres:` and an address".to_owned()),
            },
        }
    }

    pub(super) fn open_empty(&self, number: usize) -> Result<EmptyStore, Failure> {
        match self {
            Self::Memory => {
                let store = Box::new(Memory::empty());
                Ok(EmptyStore { store, cleanup: StoreCleanup::Nothing })
            }
            Self::Sqlite => {
                let folder = tempfile::tempdir().map_err(|error| {
                    let message = format!("cannot create a folder for the store: {error}");
                    Failure::new(message, "free some space in the folder for temporary files")
                })?;
                let store = Sqlite::open(&folder.path().join("store")).map_err(store_failure)?;
                Ok(EmptyStore { store: Box::new(store), cleanup: StoreCleanup::Folder(folder) })
            }
            Self::Postgres(address) => {
                let mut settings = PostgresSettings::new(address);
                settings.schema = format!("countersign_test_{}_{number}", std::process::id());
                // A case has its own clock, and nothing else writes to its tables.
                (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
                let store = Postgres::open(settings.clone()).map_err(store_failure)?;
                Ok(EmptyStore { store: Box::new(store), cleanup: StoreCleanup::Schema(settings) })
            }
        }
    }
}

impl StoreCleanup {
    /// The store must be closed before.
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Nothing => Ok(()),
            Self::Folder(folder) => folder.close().map_err(|error| {
                let message = format!("cannot remove the folder of a store: {error}");
                Failure::new(message, "remove it from the folder for temporary files")
            }),
            Self::Schema(settings) => Postgres::drop_schema(&settings).map_err(store_failure),
        }
    }
}

fn store_failure(error: StoreError) -> Failure {
    Failure::new(error.to_string(), "name another store with `--store`, or repair this one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_one_word() {
        assert_eq!(CaseStore::parse("memory"), Ok(CaseStore::Memory));
        assert_eq!(CaseStore::parse("sqlite"), Ok(CaseStore::Sqlite));
        let address = "postgres://me@localhost/db";
        let named = CaseStore::parse(&format!("postgres:{address}"));
        assert_eq!(named, Ok(CaseStore::Postgres(address.to_owned())));
        for text in ["", "postgres", "postgres:", "mysql", "SQLite"] {
            assert!(CaseStore::parse(text).is_err(), "{text}");
        }
    }
}

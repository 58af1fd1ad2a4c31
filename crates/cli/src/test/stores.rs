//! Where stories are kept while they run: an empty store for each of them, gone afterwards.

use crate::failure::Failure;
use countersign_engine::{
    ChangeFeed, DatabaseClock, Memory, Postgres, PostgresSettings, Sqlite, Store, StoreError,
};
use tempfile::TempDir;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    Memory,
    Sqlite,
    /// The address of a server; each story has a schema of its own.
    Postgres(String),
}

/// An empty store, and what has to go with it.
pub(super) struct Empty {
    pub store: Box<dyn Store>,
    pub leftover: Leftover,
}

pub(super) enum Leftover {
    Nothing,
    Folder(TempDir),
    Schema(PostgresSettings),
}

impl Stores {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "memory" => Ok(Self::Memory),
            "sqlite" => Ok(Self::Sqlite),
            _ => match text.strip_prefix("postgres:") {
                Some(address) if !address.is_empty() => Ok(Self::Postgres(address.to_owned())),
                _ => Err("it is `memory`, `sqlite`, or `postgres:` and an address".to_owned()),
            },
        }
    }

    pub(super) fn empty(&self, number: usize) -> Result<Empty, Failure> {
        match self {
            Self::Memory => {
                let store = Box::new(Memory::empty());
                Ok(Empty { store, leftover: Leftover::Nothing })
            }
            Self::Sqlite => {
                let folder = tempfile::tempdir().map_err(|error| {
                    let message = format!("no folder for the store can be made: {error}");
                    Failure::new(message, "free some space where temporary files go")
                })?;
                let store = Sqlite::open(&folder.path().join("store")).map_err(unusable)?;
                Ok(Empty { store: Box::new(store), leftover: Leftover::Folder(folder) })
            }
            Self::Postgres(address) => {
                let mut settings = PostgresSettings::new(address);
                settings.schema = format!("countersign_test_{}_{number}", std::process::id());
                // A story has a clock of its own, and nobody else writes to its tables.
                (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
                let store = Postgres::open(settings.clone()).map_err(unusable)?;
                Ok(Empty { store: Box::new(store), leftover: Leftover::Schema(settings) })
            }
        }
    }
}

impl Leftover {
    /// After the store itself has gone.
    pub(super) fn remove(self) -> Result<(), Failure> {
        match self {
            Self::Nothing => Ok(()),
            Self::Folder(folder) => folder.close().map_err(|error| {
                let message = format!("the folder of a store could not be removed: {error}");
                Failure::new(message, "remove it by hand from where temporary files go")
            }),
            Self::Schema(settings) => Postgres::drop_schema(&settings).map_err(unusable),
        }
    }
}

fn unusable(error: StoreError) -> Failure {
    Failure::new(error.to_string(), "name another store with `--store`, or mend this one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_one_word() {
        assert_eq!(Stores::parse("memory"), Ok(Stores::Memory));
        assert_eq!(Stores::parse("sqlite"), Ok(Stores::Sqlite));
        let address = "postgres://me@localhost/db";
        let named = Stores::parse(&format!("postgres:{address}"));
        assert_eq!(named, Ok(Stores::Postgres(address.to_owned())));
        for text in ["", "postgres", "postgres:", "mysql", "SQLite"] {
            assert!(Stores::parse(text).is_err(), "{text}");
        }
    }
}

//! Where the record lies: in a folder of the user's, or in a database that several machines share.

use crate::failure::Failure;
use crate::settings::Settings;
use clap::Args;
use countersign_engine::{
    ChangeFeed, Postgres, PostgresReader, PostgresSettings, Sqlite, SqliteReader, Store,
    StoreError, StoreReader,
};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RecordOption {
    /// The folder of the record [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// What keeps it: sqlite, or postgres:ADDRESS [default: COUNTERSIGN_STORE, then sqlite]
    #[arg(long, value_name = "STORE", value_parser = Keeper::parse)]
    pub(crate) store: Option<Keeper>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    Sqlite,
    Postgres(String),
}

impl Keeper {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("postgres:") {
            _ if text == "sqlite" => Ok(Self::Sqlite),
            Some(address) if !address.is_empty() => Ok(Self::Postgres(address.to_owned())),
            _ => Err("it is `sqlite`, or `postgres:` and an address".to_owned()),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Folder(PathBuf),
    Database(String),
}

impl RecordOption {
    /// A record to look at: nothing is made, and nothing in it is changed.
    pub(crate) fn to_read(&self, settings: &Settings) -> Result<Box<dyn StoreReader>, Failure> {
        Ok(match self.place(settings)? {
            Place::Folder(folder) => boxed(SqliteReader::open(&folder)?),
            Place::Database(address) => boxed(PostgresReader::open(&database(&address))?),
        })
    }

    /// The same, if there is a record.
    pub(crate) fn if_any(
        &self,
        settings: &Settings,
    ) -> Result<Option<Box<dyn StoreReader>>, Failure> {
        let opened = match self.place(settings)? {
            Place::Folder(folder) => SqliteReader::open(&folder).map(boxed),
            Place::Database(address) => PostgresReader::open(&database(&address)).map(boxed),
        };
        match opened {
            Ok(record) => Ok(Some(record)),
            Err(StoreError::Absent { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A record to write to, made if it is not there.
    pub(crate) fn to_write(&self, settings: &Settings) -> Result<Box<dyn Store>, Failure> {
        Ok(match self.place(settings)? {
            Place::Folder(folder) => Box::new(Sqlite::open(&folder)?),
            Place::Database(address) => Box::new(Postgres::open(database(&address))?),
        })
    }

    /// The folder of the record, or of what lies beside it where a database keeps it.
    pub(crate) fn folder(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        match self.place(settings)? {
            Place::Folder(folder) => Ok(folder),
            Place::Database(_) => settings.data(),
        }
    }

    /// The folder of a record that one process writes at a time; none where a database keeps it.
    pub(crate) fn only_folder(&self, settings: &Settings) -> Result<Option<PathBuf>, Failure> {
        match self.place(settings)? {
            Place::Folder(folder) => Ok(Some(folder)),
            Place::Database(_) => Ok(None),
        }
    }

    /// What is typed goes before what the environment says.
    fn place(&self, settings: &Settings) -> Result<Place, Failure> {
        let keeper = match (&self.store, &self.data) {
            (Some(keeper), _) => keeper.clone(),
            (None, Some(_)) => Keeper::Sqlite,
            (None, None) => settings.keeper()?,
        };
        match (keeper, &self.data) {
            (Keeper::Postgres(_), Some(_)) => Err(Failure::usage(
                "a folder and a database are named, and the record lies in one of them",
                "leave out `--data`, or `--store`",
            )),
            (Keeper::Postgres(address), None) => Ok(Place::Database(address)),
            (Keeper::Sqlite, Some(folder)) => Ok(Place::Folder(folder.clone())),
            (Keeper::Sqlite, None) => Ok(Place::Folder(settings.data()?)),
        }
    }
}

fn boxed(record: impl StoreReader + 'static) -> Box<dyn StoreReader> {
    Box::new(record)
}

/// A command is over soon: it needs no connection of its own for news.
fn database(address: &str) -> PostgresSettings {
    let mut settings = PostgresSettings::new(address);
    settings.change_feed = ChangeFeed::Poll;
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keeper_is_named_by_one_word() {
        assert_eq!(Keeper::parse("sqlite"), Ok(Keeper::Sqlite));
        let address = "postgres://me@localhost/db";
        let named = Keeper::parse(&format!("postgres:{address}"));
        assert_eq!(named, Ok(Keeper::Postgres(address.to_owned())));
        for text in ["", "memory", "postgres", "postgres:", "SQLite"] {
            assert!(Keeper::parse(text).is_err(), "{text}");
        }
    }
}

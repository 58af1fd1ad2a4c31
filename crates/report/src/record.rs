//! Opens the record: in a folder of the user, or in a database that several machines share.

use clap::Args;
use countersign_console::Failure;
use countersign_core::model::time::Time;
use countersign_engine::{
    ChangeFeed, Clock, DATABASE_FILE, Entropy, Postgres, PostgresReader, PostgresSettings, Sqlite,
    SqliteReader, Store, StoreError, StoreReader,
};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct RecordOption {
    /// The folder of the record [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The store of the record: sqlite, or postgres:ADDRESS [default: COUNTERSIGN_STORE, then sqlite]
    #[arg(long, value_name = "STORE", value_parser = StoreChoice::parse)]
    pub store: Option<StoreChoice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    Sqlite,
    Postgres(String),
}

impl StoreChoice {
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix("postgres:") {
            _ if text == "sqlite" => Ok(Self::Sqlite),
            Some(address) if !address.is_empty() => Ok(Self::Postgres(address.to_owned())),
            _ => Err("write `sqlite`, or `postgres:` and an address".to_owned()),
        }
    }
}

/// Where the record is if the command line does not say, and what tells that there was one.
pub struct RecordDefaults {
    /// None if neither a setting nor the home of the user says.
    pub data: Option<PathBuf>,
    /// An error is the name of the setting that names no store.
    pub store: Result<StoreChoice, &'static str>,
    /// What a daemon creates after its record.
    pub credential_files: &'static [&'static str],
}

impl RecordDefaults {
    pub fn data(&self) -> Result<PathBuf, Failure> {
        self.data.clone().ok_or_else(|| {
            Failure::usage(
                "the folder of the record is not known",
                "name it with `--data DIR`, or set COUNTERSIGN_DATA or HOME",
            )
        })
    }

    fn store_choice(&self) -> Result<StoreChoice, Failure> {
        self.store.clone().map_err(|name| {
            // The message does not repeat the value, because an address may contain a password.
            let message = format!("{name} is neither `sqlite` nor `postgres:` and an address");
            Failure::usage(message, "set it to one of them, or remove it")
        })
    }
}

/// What only the binary knows: where the record is, and the clock and randomness of the machine.
pub struct ReportContext {
    pub record: RecordDefaults,
    pub clock: Box<dyn Clock>,
    pub entropy: Box<dyn Entropy>,
}

impl ReportContext {
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }
}

#[derive(Debug, PartialEq, Eq)]
enum RecordLocation {
    Folder(PathBuf),
    Database(String),
}

impl RecordLocation {
    fn open_reader(&self) -> Result<Box<dyn StoreReader>, StoreError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteReader::open(folder)?),
            Self::Database(address) => Box::new(PostgresReader::open(&postgres_settings(address))?),
        })
    }
}

impl RecordOption {
    /// Opens the record for reading. Creates nothing.
    pub fn open_reader(&self, defaults: &RecordDefaults) -> Result<Box<dyn StoreReader>, Failure> {
        Ok(self.location(defaults)?.open_reader()?)
    }

    /// None if there is no record.
    pub fn open_reader_if_present(
        &self,
        defaults: &RecordDefaults,
    ) -> Result<Option<Box<dyn StoreReader>>, Failure> {
        match self.location(defaults)?.open_reader() {
            Ok(record) => Ok(Some(record)),
            Err(StoreError::Absent { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the record for writing. Creates it if there is none, unless there was one.
    pub fn open_store(&self, defaults: &RecordDefaults) -> Result<Box<dyn Store>, Failure> {
        self.check_not_lost(defaults)?;
        self.open_or_create_store(defaults)
    }

    /// Fails if there was a record and there is none now.
    pub fn check_not_lost(&self, defaults: &RecordDefaults) -> Result<(), Failure> {
        match self.location(defaults)? {
            RecordLocation::Folder(folder) => check_not_lost(&folder, defaults.credential_files),
            RecordLocation::Database(_) => Ok(()),
        }
    }

    /// Also creates a record where an earlier one is missing.
    fn open_or_create_store(&self, defaults: &RecordDefaults) -> Result<Box<dyn Store>, Failure> {
        Ok(match self.location(defaults)? {
            RecordLocation::Folder(folder) => Box::new(Sqlite::open(&folder)?),
            RecordLocation::Database(address) => {
                Box::new(Postgres::open(postgres_settings(&address))?)
            }
        })
    }

    /// Opens the record for a daemon, also where an earlier record is missing. A daemon stays and wants
    /// to hear of other nodes at once. A pooler that shares connections refuses what this needs;
    /// behind one, the daemon asks at intervals.
    pub fn open_daemon_store(&self, defaults: &RecordDefaults) -> Result<Box<dyn Store>, Failure> {
        let RecordLocation::Database(address) = self.location(defaults)? else {
            return self.open_or_create_store(defaults);
        };
        match Postgres::open(PostgresSettings::new(&address)) {
            Ok(store) => Ok(Box::new(store)),
            Err(_) => self.open_or_create_store(defaults),
        }
    }

    /// The folder of the record. With a database: the folder of sockets and credentials.
    pub fn folder(&self, defaults: &RecordDefaults) -> Result<PathBuf, Failure> {
        self.local_folder(defaults)?.map_or_else(|| defaults.data(), Ok)
    }

    /// The folder of a record that only one process can write at a time. None with a database.
    pub fn local_folder(&self, defaults: &RecordDefaults) -> Result<Option<PathBuf>, Failure> {
        match self.location(defaults)? {
            RecordLocation::Folder(folder) => Ok(Some(folder)),
            RecordLocation::Database(_) => Ok(None),
        }
    }

    /// Options take precedence over the settings.
    fn location(&self, defaults: &RecordDefaults) -> Result<RecordLocation, Failure> {
        let store = match (&self.store, &self.data) {
            (Some(store), _) => store.clone(),
            (None, Some(_)) => StoreChoice::Sqlite,
            (None, None) => defaults.store_choice()?,
        };
        match (store, &self.data) {
            (StoreChoice::Postgres(_), Some(_)) => Err(Failure::usage(
                "`--data` names a folder and `--store` a database; the record is in one of them",
                "leave out `--data` or `--store`",
            )),
            (StoreChoice::Postgres(address), None) => Ok(RecordLocation::Database(address)),
            (StoreChoice::Sqlite, Some(folder)) => Ok(RecordLocation::Folder(folder.clone())),
            (StoreChoice::Sqlite, None) => Ok(RecordLocation::Folder(defaults.data()?)),
        }
    }
}

/// A daemon creates its credentials after its record. So where there are credentials and no record,
/// the record was lost, and with it every revocation. An empty file is no record either.
fn check_not_lost(folder: &Path, credential_files: &[&str]) -> Result<(), Failure> {
    let database = folder.join(DATABASE_FILE);
    let exists = match std::fs::metadata(&database) {
        Ok(metadata) => metadata.len() > 0,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        // Opening it says why.
        Err(_) => true,
    };
    let credentials = credential_files.iter().find(|name| folder.join(name).exists());
    match credentials {
        Some(credentials) if !exists => Err(Failure::new(
            format!(
                "the record `{}` is missing, but `{credentials}` beside it says that there was one",
                database.display()
            ),
            "restore it from a backup; to go on without its grants, revocations and ledger, run \
             `countersign serve --new-record`",
        )),
        _ => Ok(()),
    }
}

/// A command ends soon, so it needs no connection of its own for change notifications.
fn postgres_settings(address: &str) -> PostgresSettings {
    let mut settings = PostgresSettings::new(address);
    settings.change_feed = ChangeFeed::Poll;
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_one_word() {
        assert_eq!(StoreChoice::parse("sqlite"), Ok(StoreChoice::Sqlite));
        let address = "postgres://me@localhost/db";
        let named = StoreChoice::parse(&format!("postgres:{address}"));
        assert_eq!(named, Ok(StoreChoice::Postgres(address.to_owned())));
        for text in ["", "memory", "postgres", "postgres:", "SQLite"] {
            assert!(StoreChoice::parse(text).is_err(), "{text}");
        }
    }
}

//! The database, read beside the nodes that write to it.

use super::{PostgresSettings, database::Database, schema};
use crate::record::Record;
use crate::{Sought, StoreError};
use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head};
use countersign_core::state::State;
use std::sync::{Mutex, MutexGuard};

pub struct PostgresReader {
    database: Mutex<Database>,
    key: Key,
}

impl PostgresReader {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut database = Database::open(settings)?;
        schema::is_current(&mut database, &settings.schema)?;
        let key = database.known_key()?;
        Ok(Self { database: Mutex::new(database), key })
    }

    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        self.database.lock().map_err(|_| StoreError::poisoned())
    }
}

impl Record for PostgresReader {
    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.page(from, most)
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.head()
    }

    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.database()?.find(sought, part, most)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn snapshot(&self) -> Result<(State, Head), StoreError> {
        self.database()?.snapshot()
    }
}

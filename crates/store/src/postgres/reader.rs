//! The database, read beside the nodes that write to it.

use super::{PostgresSettings, database::Database, schema};
use crate::StoreError;
use crate::record::Record;
use countersign_core::ledger::{Entry, Head};
use countersign_core::state::State;
use std::sync::{Mutex, MutexGuard};

pub struct PostgresReader {
    database: Mutex<Database>,
}

impl PostgresReader {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut database = Database::open(settings)?;
        schema::is_current(&mut database, &settings.schema)?;
        Ok(Self { database: Mutex::new(database) })
    }

    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        self.database.lock().map_err(|_| StoreError::poisoned())
    }
}

impl Record for PostgresReader {
    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.page(from, most)
    }

    fn snapshot(&self) -> Result<(State, Head), StoreError> {
        self.database()?.snapshot()
    }
}

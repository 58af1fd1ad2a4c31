//! Read-only access to the database, while nodes may write to it.

use super::{PostgresSettings, database::PostgresDatabase, schema};
use crate::reader::StoreReader;
use crate::{ObjectKind, StoreError, lock};
use countersign_core::encoding::digest::Key;
use countersign_core::state::State;
use countersign_ledger::{Entry, Head};
use std::sync::{Mutex, MutexGuard};

pub struct PostgresReader {
    database: Mutex<PostgresDatabase>,
    key: Key,
}

impl PostgresReader {
    pub fn open(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut database = PostgresDatabase::open(settings)?;
        schema::check_version(&mut database, &settings.schema)?;
        let key = database.stored_key()?;
        Ok(Self { database: Mutex::new(database), key })
    }

    fn database(&self) -> Result<MutexGuard<'_, PostgresDatabase>, StoreError> {
        lock(&self.database)
    }
}

impl StoreReader for PostgresReader {
    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.read_entries(from, limit)
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.head()
    }

    fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.database()?.find_ids(kind, part, limit)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn snapshot(&self) -> Result<(State, Head), StoreError> {
        self.database()?.read_everything()
    }
}

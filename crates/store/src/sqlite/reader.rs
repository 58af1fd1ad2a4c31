//! Read-only access to the database file, while another process may write to it.

use super::database::SqliteDatabase;
use super::{folder, schema};
use crate::load::load_state;
use crate::reader::StoreReader;
use crate::{ObjectKind, ReadScope, ScopeKind, StoreError, lock};
use countersign_core::encoding::digest::Key;
use countersign_core::state::State;
use countersign_ledger::{Entry, Head};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

pub struct SqliteReader {
    database: Mutex<SqliteDatabase>,
    key: Key,
}

impl SqliteReader {
    /// Opens the store in a folder, without disturbing a process that writes to it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let file = folder::find_database_file(folder)?;
        let database = SqliteDatabase::open_read_only(&file)?;
        schema::check_version(&database)?;
        let key = database.stored_key()?;
        Ok(Self { database: Mutex::new(database), key })
    }

    fn database(&self) -> Result<MutexGuard<'_, SqliteDatabase>, StoreError> {
        lock(&self.database)
    }
}

impl StoreReader for SqliteReader {
    fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.in_read_transaction(|database| database.read_entries(from, limit))
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.in_read_transaction(|database| database.head())
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
        self.database()?.in_read_transaction(|database| {
            let state = load_state(database, &ReadScope::with_kind(ScopeKind::Everything))?;
            let head = database.head()?;
            Ok((state, head))
        })
    }
}

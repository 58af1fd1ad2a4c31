//! The file, read beside the process that writes it.

use super::database::Database;
use super::{folder, schema};
use crate::load::load;
use crate::record::Record;
use crate::{Breadth, Need, Sought, StoreError};
use countersign_core::encoding::digest::Key;
use countersign_core::ledger::{Entry, Head};
use countersign_core::state::State;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

pub struct SqliteReader {
    database: Mutex<Database>,
    key: Key,
}

impl SqliteReader {
    /// Opens the record in a folder. Whoever writes there goes on undisturbed.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let file = folder::existing(folder)?;
        let database = Database::open_to_read(&file)?;
        schema::is_current(&database)?;
        let key = database.known_key()?;
        Ok(Self { database: Mutex::new(database), key })
    }

    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        self.database.lock().map_err(|_| StoreError::poisoned())
    }
}

impl Record for SqliteReader {
    fn page(&self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.database()?.at_one_instant(|database| database.page(from, most))
    }

    fn head(&self) -> Result<Head, StoreError> {
        self.database()?.at_one_instant(|database| database.head())
    }

    fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.database()?.find(sought, part, most)
    }

    fn key(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn snapshot(&self) -> Result<(State, Head), StoreError> {
        self.database()?.at_one_instant(|database| {
            let state = load(database, &Need::all(Breadth::Everything))?;
            let head = database.head()?;
            Ok((state, head))
        })
    }
}

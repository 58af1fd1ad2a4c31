//! The ledger in SQLite: appends and reads entries, and erases their sealed texts.

use super::database::{SqliteDatabase, sqlite_error};
use super::queries::{ENTRIES, SEALED_TEXTS};
use crate::StoreError;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Kind;
use countersign_ledger::sealed::{Salt, Sealed, SealedContent};
use countersign_ledger::{Body, Entry, Head, Link};
use rusqlite::{OptionalExtension, params};

impl SqliteDatabase {
    pub fn append_entry(&self, link: &Link, body: &Body) -> Result<(), StoreError> {
        let sql = "INSERT INTO entries (seq, kind, bytes, hash) VALUES (?1, ?2, ?3, ?4)";
        let seq = entry_key(link.seq)?;
        self.execute(sql, params![seq, body.kind().word(), link.bytes, link.hash.bytes()])?;
        let Some(held) = body.content() else { return Ok(()) };
        let sql = "INSERT INTO sealed (seq, salt, text) VALUES (?1, ?2, ?3)";
        self.execute(sql, params![seq, held.salt.0, held.text])
    }

    /// Deletes the sealed texts of entries; the entries stay.
    pub fn erase_sealed(&self, entries: &[u64]) -> Result<(), StoreError> {
        for seq in entries {
            self.execute("DELETE FROM sealed WHERE seq = ?1", [entry_key(*seq)?])?;
        }
        Ok(())
    }

    pub fn head(&self) -> Result<Head, StoreError> {
        let last = self.last_entry_seq()?;
        last.map_or(Ok(Head::empty()), |seq| {
            let entries = self.read_entries(seq, 1)?;
            let entry = entries
                .first()
                .ok_or_else(|| StoreError::damaged("the ledger", &"its end is gone"))?;
            Ok(entry.head())
        })
    }

    pub(super) fn last_entry_seq(&self) -> Result<Option<u64>, StoreError> {
        let found: Option<i64> = self
            .connection
            .prepare_cached("SELECT max(seq) FROM entries")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|error| sqlite_error("reading the ledger", &error))?;
        Ok(found.and_then(|seq| u64::try_from(seq).ok()))
    }

    pub fn read_entries(&self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let reading = |error| sqlite_error("reading the ledger", &error);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(ENTRIES).map_err(reading)?;
        let mut rows = statement.query(params![entry_key(from)?, limit]).map_err(reading)?;
        let mut prev = self.hash_before(from)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next().map_err(reading)? {
            let entry = parse_entry(row, prev).map_err(reading)??;
            prev = entry.hash;
            entries.push(entry);
        }
        self.unseal(&mut entries)?;
        Ok(entries)
    }

    /// Adds the sealed texts to their entries.
    fn unseal(&self, entries: &mut [Entry]) -> Result<(), StoreError> {
        let reading = |error| sqlite_error("reading the ledger", &error);
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(()) };
        let between = params![entry_key(first.seq)?, entry_key(last.seq)?];
        let mut statement = self.connection.prepare_cached(SEALED_TEXTS).map_err(reading)?;
        let mut rows = statement.query(between).map_err(reading)?;
        while let Some(row) = rows.next().map_err(reading)? {
            let (seq, salt, text) = parse_sealed(row).map_err(reading)?;
            let at = entries.binary_search_by_key(&seq.unsigned_abs(), |entry| entry.seq);
            let entry = at.ok().and_then(|at| entries.get_mut(at));
            let sealed = entry.and_then(|entry| entry.sealed.as_mut());
            if let Some(sealed) = sealed {
                sealed.content = Some(SealedContent { salt: Salt(salt), text });
            }
        }
        Ok(())
    }

    fn hash_before(&self, from: u64) -> Result<Digest, StoreError> {
        let sql = "SELECT hash FROM entries WHERE seq = ?1";
        let found: Option<[u8; 32]> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement.query_row([entry_key(from).unwrap_or(0) - 1], |row| row.get(0)).optional()
            })
            .map_err(|error| sqlite_error("reading the ledger", &error))?;
        Ok(found.map_or(Digest::zero(), Digest::from_bytes))
    }
}

fn parse_entry(
    row: &rusqlite::Row<'_>,
    prev: Digest,
) -> rusqlite::Result<Result<Entry, StoreError>> {
    let (seq, kind): (i64, &str) = (row.get(0)?, row.get_ref(1)?.as_str()?);
    let (bytes, hash): (String, [u8; 32]) = (row.get(2)?, row.get(3)?);
    let Some(kind) = Kind::from_word(kind) else {
        return Ok(Err(StoreError::damaged(
            &format!("entry {seq}"),
            &format!("`{kind}` is no kind"),
        )));
    };
    let seq = u64::try_from(seq).unwrap_or(0);
    let sealed = Entry::commitment_in(&bytes);
    let sealed = sealed.map(|commitment| Sealed { commitment, content: None });
    Ok(Ok(Entry { seq, kind, prev, bytes, hash: Digest::from_bytes(hash), sealed }))
}

fn parse_sealed(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, [u8; 16], String)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn entry_key(seq: u64) -> Result<i64, StoreError> {
    i64::try_from(seq).map_err(|_| StoreError::damaged("the ledger", &"a place beyond all numbers"))
}

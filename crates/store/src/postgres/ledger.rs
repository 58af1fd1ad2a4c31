//! Reads the ledger: its end, and its entries with their sealed parts.

use super::database::{PostgresDatabase, column};
use crate::StoreError;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Kind;
use countersign_ledger::sealed::{Salt, Sealed, SealedContent};
use countersign_ledger::{Entry, Head};
use postgres::types::Type;

impl PostgresDatabase {
    pub fn head(&mut self) -> Result<Head, StoreError> {
        let rows = self.query("SELECT next, hash FROM {s}.head", &[])?;
        let row =
            rows.first().ok_or_else(|| StoreError::damaged("the ledger", &"its end is gone"))?;
        Ok(Head { next: parse_seq(column(row, 0)?)?, hash: parse_hash(column(row, 1)?)? })
    }

    pub fn read_entries(&mut self, from: u64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let before =
            self.query("SELECT hash FROM {s}.entries WHERE seq = $1 - 1", &[(&from, Type::INT8)])?;
        let mut prev =
            before.first().map_or(Ok(Digest::zero()), |row| parse_hash(column(row, 0)?))?;
        let rows = self.query(
            "SELECT e.seq, e.kind, e.bytes, e.hash, a.salt, a.text
             FROM {s}.entries e LEFT JOIN {s}.sealed a ON a.seq = e.seq
             WHERE e.seq >= $1 ORDER BY e.seq LIMIT $2",
            &[(&from, Type::INT8), (&limit, Type::INT8)],
        )?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let kind: String = column(row, 1)?;
            let kind = Kind::from_word(&kind)
                .ok_or_else(|| StoreError::damaged("an entry", &format!("`{kind}` is no kind")))?;
            let seq = parse_seq(column(row, 0)?)?;
            let (bytes, hash): (String, _) = (column(row, 2)?, parse_hash(column(row, 3)?)?);
            let content = parse_sealed(column(row, 4)?, column(row, 5)?)?;
            let sealed =
                Entry::commitment_in(&bytes).map(|commitment| Sealed { commitment, content });
            entries.push(Entry { seq, kind, prev, bytes, hash, sealed });
            prev = hash;
        }
        Ok(entries)
    }
}

fn parse_sealed(
    salt: Option<Vec<u8>>,
    text: Option<String>,
) -> Result<Option<SealedContent>, StoreError> {
    let (Some(salt), Some(text)) = (salt, text) else { return Ok(None) };
    let salt = <[u8; 16]>::try_from(salt)
        .map_err(|_| StoreError::damaged("a salt", &"it has not 16 bytes"))?;
    Ok(Some(SealedContent { salt: Salt(salt), text }))
}

fn parse_hash(bytes: Vec<u8>) -> Result<Digest, StoreError> {
    let bytes = <[u8; 32]>::try_from(bytes);
    bytes.map(Digest::from_bytes).map_err(|_| StoreError::damaged("a hash", &"it has not 32 bytes"))
}

fn parse_seq(seq: i64) -> Result<u64, StoreError> {
    u64::try_from(seq).map_err(|_| StoreError::damaged("the ledger", &"a place below zero"))
}

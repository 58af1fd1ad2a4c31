//! Kept results and credentials in PostgreSQL.

use super::database::{PostgresDatabase, column};
use crate::globals::{CREDENTIAL_PREFIX, credential_key};
use crate::limits::MAX_KEPT_RESULTS;
use crate::{CredentialStanding, KeptResult, StoreError};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use postgres::types::Type;

impl PostgresDatabase {
    /// Two statements: a failure between them leaves rows that nobody finds, until the next result.
    pub fn keep_result(&mut self, result: &KeptResult, now: Time) -> Result<(), StoreError> {
        let KeptResult { call, text, until } = result;
        self.query_writing(
            "INSERT INTO {s}.results (call, text, until) VALUES ($1, $2, $3)
                 ON CONFLICT (call) DO UPDATE SET text = excluded.text, until = excluded.until",
            &[
                (&call.to_key(), Type::TEXT),
                (&text.as_str(), Type::TEXT),
                (&until.micros(), Type::INT8),
            ],
        )?;
        let most = i64::try_from(MAX_KEPT_RESULTS).unwrap_or(i64::MAX);
        self.query_writing(
            "DELETE FROM {s}.results WHERE until <= $1
                 OR call IN (SELECT call FROM {s}.results ORDER BY until DESC OFFSET $2)",
            &[(&now.micros(), Type::INT8), (&most, Type::INT8)],
        )?;
        Ok(())
    }

    pub fn find_result(&mut self, call: CallId, now: Time) -> Result<Option<String>, StoreError> {
        let rows = self.query(
            "SELECT text FROM {s}.results WHERE call = $1 AND until > $2",
            &[(&call.to_key(), Type::TEXT), (&now.micros(), Type::INT8)],
        )?;
        rows.first().map(|row| column(row, 0)).transpose()
    }

    pub fn drop_results(&mut self, calls: &[CallId]) -> Result<(), StoreError> {
        let keys: Vec<String> = calls.iter().map(|call| call.to_key()).collect();
        self.query_writing(
            "DELETE FROM {s}.results WHERE call = ANY ($1)",
            &[(&keys, Type::TEXT_ARRAY)],
        )?;
        Ok(())
    }

    /// What the record says about a credential, by the hash of its token.
    pub fn find_credential(
        &mut self,
        hash: &Digest,
    ) -> Result<Option<CredentialStanding>, StoreError> {
        let key = credential_key(hash);
        let sql = "SELECT value FROM {s}.settings WHERE key = $1";
        let rows = self.query(sql, &[(&key, Type::TEXT)])?;
        rows.first().map(|row| CredentialStanding::parse(&column::<String>(row, 0)?)).transpose()
    }

    pub fn list_credentials(&mut self) -> Result<Vec<CredentialStanding>, StoreError> {
        let sql = "SELECT value FROM {s}.settings WHERE starts_with(key, $1) ORDER BY key";
        let rows = self.query(sql, &[(&CREDENTIAL_PREFIX, Type::TEXT)])?;
        rows.iter().map(|row| CredentialStanding::parse(&column::<String>(row, 0)?)).collect()
    }
}

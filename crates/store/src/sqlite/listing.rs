//! Lists grants and open requests, and finds ids by a part of them, in SQLite.

use super::database::{SqliteDatabase, sqlite_error};
use super::queries::{CLOSED_REQUESTS, COUNT_OPEN_REQUESTS, OPEN_QUESTIONS, OPEN_REQUESTS};
use crate::closed_requests::{ClosedRequestQuery, ClosedRequestSource};
use crate::listing::{
    GrantOwnerFilter, GrantQuery, GrantRow, GrantRowSource, GrantStatusFilter, KeyRange,
    ObjectKind, max_page_rows, parse_request_id,
};
use crate::questions::{ALL_AGENTS, to_count};
use crate::rows::{RowKind, StoredRow};
use crate::{QuestionCount, StoreError};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use rusqlite::{OptionalExtension, Params, params};

impl GrantRowSource for SqliteDatabase {
    fn fetch_grant_rows(
        &mut self,
        query: &GrantQuery,
        before: &str,
    ) -> Result<Vec<GrantRow>, StoreError> {
        let reading = |error| sqlite_error("listing grants", &error);
        let (sql, owner) = grant_query_sql(query);
        let limit = i64::try_from(max_page_rows(query)).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql).map_err(reading)?;
        let rows = statement.query_map(params![owner, before, limit], |row| {
            Ok(GrantRow { key: row.get(0)?, body: row.get(1)? })
        });
        rows.and_then(Iterator::collect).map_err(reading)
    }
}

impl ClosedRequestSource for SqliteDatabase {
    fn fetch_closed_requests(
        &mut self,
        query: &ClosedRequestQuery,
        before: &str,
    ) -> Result<Vec<StoredRow>, StoreError> {
        let reading = |error| sqlite_error("listing closed requests", &error);
        let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(CLOSED_REQUESTS).map_err(reading)?;
        let rows = statement.query_map(params![query.agent.as_str(), before, limit], |row| {
            Ok(StoredRow { key: row.get(0)?, body: row.get(1)? })
        });
        rows.and_then(Iterator::collect).map_err(reading)
    }
}

impl SqliteDatabase {
    pub fn count_open_requests(&self, now: Time) -> Result<usize, StoreError> {
        self.count(COUNT_OPEN_REQUESTS, params![now.micros()])
    }

    pub fn count_questions(&self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        let of = |name: &str| self.count(OPEN_QUESTIONS, params![name]);
        Ok(QuestionCount { of_agent: of(agent.as_str())?, in_all: of(ALL_AGENTS)? })
    }

    fn count(&self, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        let counting = |error| sqlite_error("counting open requests", &error);
        let mut statement = self.connection.prepare_cached(sql).map_err(counting)?;
        let counted = statement.query_row(values, |row| row.get::<_, i64>(0)).optional();
        to_count(counted.map_err(counting)?)
    }

    pub fn open_requests(
        &self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let looking = |error| sqlite_error("looking for open requests", &error);
        let after = after.map(RequestId::to_key).unwrap_or_default();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(OPEN_REQUESTS).map_err(looking)?;
        let ids = statement
            .query_map(params![now.micros(), after, limit], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        ids.iter().map(|id| parse_request_id(id)).collect()
    }

    pub fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let looking = |error| sqlite_error("looking for an id", &error);
        let Some(KeyRange { from, before, last_digits }) = kind.key_range(part) else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement =
            self.connection.prepare_cached(&find_ids_sql(kind.row_kind())).map_err(looking)?;
        let keys: Vec<String> = statement
            .query_map(params![from, before, last_digits, limit], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(looking)?;
        Ok(keys.iter().filter_map(|key| kind.print_key(key)).collect())
    }
}

/// The SQL for a page of grants, and the owner's name. Its parameters are the owner's name, the key
/// that all keys are below, and how many rows to scan.
pub(super) fn grant_query_sql(query: &GrantQuery) -> (String, &str) {
    let in_force = "state <> 'spent' AND state <> 'revoked' AND state <> 'ended'";
    let (owner, index, value) = match &query.owner {
        GrantOwnerFilter::Anyone => ("?1 = ''", "grants_in_force", ""),
        // The column says where it was granted, not who owns it.
        GrantOwnerFilter::Session(name) => ("session = ?1", "grants_of_session", name.as_str()),
        GrantOwnerFilter::Project(name) => ("project = ?1", "grants_of_project", name.as_str()),
        GrantOwnerFilter::AnyProject => {
            ("project IS NOT NULL AND ?1 = ''", "grants_of_project", "")
        }
    };
    let sql = match query.status {
        GrantStatusFilter::InForce => format!(
            "SELECT key, body FROM grants INDEXED BY {index} WHERE {owner} AND {in_force} AND key < ?2
             ORDER BY key DESC LIMIT ?3"
        ),
        GrantStatusFilter::Used | GrantStatusFilter::All => {
            let and_spent =
                if query.status == GrantStatusFilter::Used { " AND state = 'spent'" } else { "" };
            format!(
                "SELECT key, CASE WHEN {owner}{and_spent} THEN body END FROM grants WHERE key < ?2
                 ORDER BY key DESC LIMIT ?3"
            )
        }
    };
    (sql, value)
}

/// Keys in a range whose last six digits start with a text.
pub(super) fn find_ids_sql(kind: RowKind) -> String {
    let table = kind.table();
    format!(
        "SELECT key FROM {table} WHERE key >= ?1 AND key < ?2
         AND substr(key, -6, length(?3)) = ?3 ORDER BY key LIMIT ?4"
    )
}

//! Lists grants and open requests, and finds ids by a part of them, in PostgreSQL.

use super::database::{PostgresDatabase, SqlValues, column};
use crate::closed_requests::{ClosedRequestQuery, ClosedRequestSource};
use crate::listing::{
    GrantOwnerFilter, GrantQuery, GrantRow, GrantRowSource, GrantStatusFilter, KeyRange,
    ObjectKind, max_page_rows, parse_request_id,
};
use crate::questions::{ALL_AGENTS, to_count};
use crate::rows::StoredRow;
use crate::{QuestionCount, StoreError};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use postgres::types::Type;

impl GrantRowSource for PostgresDatabase {
    fn fetch_grant_rows(
        &mut self,
        query: &GrantQuery,
        before: &str,
    ) -> Result<Vec<GrantRow>, StoreError> {
        let (owner, name) = match &query.owner {
            GrantOwnerFilter::Anyone => ("$1 = ''", ""),
            GrantOwnerFilter::Session(name) => ("session = $1", name.as_str()),
            GrantOwnerFilter::Project(name) => ("project = $1", name.as_str()),
            GrantOwnerFilter::AnyProject => ("project IS NOT NULL AND $1 = ''", ""),
        };
        let in_force = "state IN ('live', 'reserved', 'released')";
        let (body, condition) = match query.status {
            // Both conditions, so that PostgreSQL can use either partial index.
            GrantStatusFilter::InForce => {
                ("body".to_owned(), format!("{owner} AND {in_force} AND active"))
            }
            GrantStatusFilter::Used => {
                (format!("CASE WHEN {owner} AND state = 'spent' THEN body END"), "true".to_owned())
            }
            GrantStatusFilter::All => {
                (format!("CASE WHEN {owner} THEN body END"), "true".to_owned())
            }
        };
        let sql = format!(
            "SELECT key, {body} FROM {{s}}.records
             WHERE kept = 'grants' AND {condition} AND key COLLATE \"C\" < $2
             ORDER BY key COLLATE \"C\" DESC LIMIT $3"
        );
        let limit = i64::try_from(max_page_rows(query)).unwrap_or(i64::MAX);
        let values: SqlValues<'_> =
            &[(&name, Type::TEXT), (&before, Type::TEXT), (&limit, Type::INT8)];
        let rows = self.query(&sql, values)?;
        rows.iter()
            .map(|row| Ok(GrantRow { key: column(row, 0)?, body: column(row, 1)? }))
            .collect()
    }
}

impl ClosedRequestSource for PostgresDatabase {
    fn fetch_closed_requests(
        &mut self,
        query: &ClosedRequestQuery,
        before: &str,
    ) -> Result<Vec<StoredRow>, StoreError> {
        let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
        let agent = query.agent.as_str();
        let rows = self.query(
            "SELECT key, body FROM {s}.records
             WHERE kept = 'requests' AND state = 'closed' AND agent = $1
                 AND key COLLATE \"C\" < $2
             ORDER BY key COLLATE \"C\" DESC LIMIT $3",
            &[(&agent, Type::TEXT), (&before, Type::TEXT), (&limit, Type::INT8)],
        )?;
        rows.iter()
            .map(|row| Ok(StoredRow { key: column(row, 0)?, body: column(row, 1)? }))
            .collect()
    }
}

impl PostgresDatabase {
    pub fn count_open_requests(&mut self, now: Time) -> Result<usize, StoreError> {
        let rows = self.query(
            "SELECT count(*) FROM {s}.records WHERE kept = 'requests' AND due > $1",
            &[(&now.micros(), Type::INT8)],
        )?;
        to_count(rows.first().map(|row| column(row, 0)).transpose()?)
    }

    pub fn count_questions(&mut self, agent: &Agent) -> Result<QuestionCount, StoreError> {
        let rows = self.query(
            "SELECT agent, open FROM {s}.open_questions WHERE agent IN ($1, $2)",
            &[(&agent.as_str(), Type::TEXT), (&ALL_AGENTS, Type::TEXT)],
        )?;
        let mut count = QuestionCount::default();
        for row in &rows {
            let open = to_count(Some(column(row, 1)?))?;
            match column::<String>(row, 0)?.as_str() {
                ALL_AGENTS => count.in_all = open,
                _ => count.of_agent = open,
            }
        }
        Ok(count)
    }

    pub fn open_requests(
        &mut self,
        now: Time,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let after = after.map(RequestId::to_key).unwrap_or_default();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.query(
            "SELECT key FROM {s}.records
             WHERE kept = 'requests' AND due IS NOT NULL AND due > $1 AND key COLLATE \"C\" > $2
             ORDER BY key COLLATE \"C\" LIMIT $3",
            &[(&now.micros(), Type::INT8), (&after, Type::TEXT), (&limit, Type::INT8)],
        )?;
        rows.iter().map(|row| parse_request_id(&column::<String>(row, 0)?)).collect()
    }

    pub fn find_ids(
        &mut self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let Some(KeyRange { from, before, last_digits }) = kind.key_range(part) else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.query(
            "SELECT key FROM {s}.records WHERE kept = $1
                 AND key COLLATE \"C\" >= $2 AND key COLLATE \"C\" < $3
                 AND left(right(key, 6), length($4)) = $4
             ORDER BY key COLLATE \"C\" LIMIT $5",
            &[
                (&kind.row_kind().table(), Type::TEXT),
                (&from, Type::TEXT),
                (&before, Type::TEXT),
                (&last_digits, Type::TEXT),
                (&limit, Type::INT8),
            ],
        )?;
        let keys: Result<Vec<String>, StoreError> = rows.iter().map(|row| column(row, 0)).collect();
        Ok(keys?.iter().filter_map(|key| kind.print_key(key)).collect())
    }
}

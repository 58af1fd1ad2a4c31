//! Lists of grants, and ids by a part of them, as PostgreSQL finds them.

use super::database::{Database, Values, column};
use crate::StoreError;
use crate::listing::{Keyed, Listing, Lists, Of, Sought, Which, page_rows, request_id};
use countersign_core::model::ids::RequestId;
use countersign_core::model::time::Time;
use postgres::types::Type;

impl Lists for Database {
    fn keyed(&mut self, listing: &Listing, before: &str) -> Result<Keyed, StoreError> {
        let (owner, name) = match &listing.of {
            Of::Everybody => ("$1 = ''", ""),
            Of::Session(name) => ("session = $1", name.as_str()),
            Of::Project(name) => ("project = $1", name.as_str()),
            Of::Projects => ("project IS NOT NULL AND $1 = ''", ""),
        };
        let held = "state IN ('live', 'reserved', 'released')";
        let (body, condition) = match listing.which {
            // Spelt out twice, so that either index can be found.
            Which::InForce => ("body".to_owned(), format!("{owner} AND {held} AND active")),
            Which::Used => {
                (format!("CASE WHEN {owner} AND state = 'spent' THEN body END"), "true".to_owned())
            }
            Which::All => (format!("CASE WHEN {owner} THEN body END"), "true".to_owned()),
        };
        let sql = format!(
            "SELECT key, {body} FROM {{s}}.records
             WHERE kept = 'grants' AND {condition} AND key COLLATE \"C\" < $2
             ORDER BY key COLLATE \"C\" DESC LIMIT $3"
        );
        let most = i64::try_from(page_rows(listing)).unwrap_or(i64::MAX);
        let values: Values<'_> = &[(&name, Type::TEXT), (&before, Type::TEXT), (&most, Type::INT8)];
        let rows = self.ask(&sql, values)?;
        rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
    }
}

impl Database {
    pub fn asked(
        &mut self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.ask(
            "SELECT key FROM {s}.records
             WHERE kept = 'requests' AND due > $1 AND key COLLATE \"C\" > $2
             ORDER BY key COLLATE \"C\" LIMIT $3",
            &[(&now.micros(), Type::INT8), (&after, Type::TEXT), (&most, Type::INT8)],
        )?;
        rows.iter().map(|row| request_id(&column::<String>(row, 0)?)).collect()
    }

    pub fn find(
        &mut self,
        sought: Sought,
        part: &str,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let (first, most) = (sought.beginning(part), i64::try_from(most).unwrap_or(i64::MAX));
        let beyond = format!("{first}g");
        let rows = self.ask(
            "SELECT key FROM {s}.records WHERE kept = $1
                 AND (key COLLATE \"C\" >= $2 AND key COLLATE \"C\" < $3 OR right(key, length($4)) = $4)
             ORDER BY key LIMIT $5",
            &[
                (&sought.kept().table(), Type::TEXT),
                (&first, Type::TEXT),
                (&beyond, Type::TEXT),
                (&part, Type::TEXT),
                (&most, Type::INT8),
            ],
        )?;
        rows.iter().map(|row| column(row, 0)).collect()
    }
}

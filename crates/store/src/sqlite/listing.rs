//! Lists of grants, and ids by a part of them, as SQLite finds them.

use super::database::{Database, failed};
use super::queries::ASKED;
use crate::StoreError;
use crate::listing::{Keyed, Listing, Lists, Of, Sought, Which, page_rows, request_id};
use crate::rows::Kept;
use countersign_core::model::ids::RequestId;
use countersign_core::model::time::Time;
use rusqlite::params;

impl Lists for Database {
    fn keyed(&mut self, listed: &Listing, before: &str) -> Result<Keyed, StoreError> {
        let reading = |error| failed("listing grants", &error);
        let (sql, owner) = listing(listed);
        let most = i64::try_from(page_rows(listed)).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql).map_err(reading)?;
        let found =
            statement.query_map(params![owner, before, most], |row| Ok((row.get(0)?, row.get(1)?)));
        found.and_then(Iterator::collect).map_err(reading)
    }
}

impl Database {
    pub fn asked(
        &self,
        now: Time,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<RequestId>, StoreError> {
        let looking = |error| failed("looking for what is asked", &error);
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(ASKED).map_err(looking)?;
        let ids = statement
            .query_map(params![now.micros(), after, most], |row| row.get::<_, String>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(looking)?;
        ids.iter().map(|id| request_id(id)).collect()
    }

    pub fn find(&self, sought: Sought, part: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let looking = |error| failed("looking for an id", &error);
        let first = sought.beginning(part);
        let (beyond, most) = (format!("{first}g"), i64::try_from(most).unwrap_or(i64::MAX));
        let mut statement =
            self.connection.prepare_cached(&finding(sought.kept())).map_err(looking)?;
        statement
            .query_map(params![first, beyond, part, most], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(looking)
    }
}

/// A page of grants: keys, and the bodies of those that are meant. Takes the owner's name, the key
/// that they come before, and how many rows are looked at.
pub(super) fn listing(listing: &Listing) -> (String, &str) {
    let held = "state <> 'spent' AND state <> 'revoked' AND state <> 'ended'";
    let (owner, index, value) = match &listing.of {
        Of::Everybody => ("?1 = ''", "grants_in_force", ""),
        // The column says where it was given, whoever owns it.
        Of::Session(name) => ("session = ?1", "grants_of_session", name.as_str()),
        Of::Project(name) => ("project = ?1", "grants_of_project", name.as_str()),
        Of::Projects => ("project IS NOT NULL AND ?1 = ''", "grants_of_project", ""),
    };
    let sql = match listing.which {
        Which::InForce => format!(
            "SELECT key, body FROM grants INDEXED BY {index} WHERE {owner} AND {held} AND key < ?2
             ORDER BY key DESC LIMIT ?3"
        ),
        Which::Used | Which::All => {
            let meant = if listing.which == Which::Used { " AND state = 'spent'" } else { "" };
            format!(
                "SELECT key, CASE WHEN {owner}{meant} THEN body END FROM grants WHERE key < ?2
                 ORDER BY key DESC LIMIT ?3"
            )
        }
    };
    (sql, value)
}

/// Keys from one to before another, or with a certain end.
pub(super) fn finding(kept: Kept) -> String {
    let table = kept.table();
    format!(
        "SELECT key FROM {table} WHERE key >= ?1 AND key < ?2
         UNION SELECT key FROM {table} WHERE substr(key, -length(?3)) = ?3 LIMIT ?4"
    )
}

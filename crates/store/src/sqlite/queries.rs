//! What SQLite is asked, in words: how rows are found, written and deleted.

use crate::load::By;
use crate::rows::Kept;

/// Sessions in which an instant has come.
pub(super) const DUE: &str = "SELECT session FROM requests WHERE due <= ?1
    UNION SELECT session FROM runs WHERE due <= ?1
    UNION SELECT session FROM grants WHERE due <= ?1";

/// Requests that are open at an instant: only those have one at which they end.
pub(super) const ASKED: &str = "SELECT key FROM requests INDEXED BY requests_due
     WHERE due > ?1 AND key > ?2 ORDER BY key LIMIT ?3";

/// Entries from a place on.
pub(super) const PAGE: &str =
    "SELECT seq, kind, bytes, hash FROM entries WHERE seq >= ?1 ORDER BY seq LIMIT ?2";

/// What entries between two places keep apart. Asked beside them and not joined to them: both are
/// read in their order, without looking for each by itself.
pub(super) const SEALED: &str =
    "SELECT seq, salt, text FROM sealed WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq";

/// How a row is written.
pub(super) struct Writing {
    /// Where there is none: SQLite need not make ready for taking back half of a change.
    pub first: &'static str,
    pub put: &'static str,
    pub delete: &'static str,
}

pub(super) const fn writing(kept: Kept) -> Writing {
    macro_rules! first {
        ($table:literal, $end:literal) => {
            concat!(
                "INSERT INTO ",
                $table,
                " (key, session, project, agent, run, state, due, body) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                $end
            )
        };
    }
    macro_rules! of {
        ($table:literal) => {
            Writing {
                first: first!($table, ""),
                put: first!(
                    $table,
                    " ON CONFLICT (key) DO UPDATE SET state = ?6, due = ?7, body = ?8"
                ),
                delete: concat!("DELETE FROM ", $table, " WHERE key = ?1"),
            }
        };
    }
    match kept {
        Kept::Sessions => of!("sessions"),
        Kept::Grants => of!("grants"),
        Kept::Requests => of!("requests"),
        Kept::Calls => of!("calls"),
        Kept::Runs => of!("runs"),
        Kept::Gestures => of!("gestures"),
        Kept::Proposals => of!("proposals"),
        Kept::Declined => of!("declined"),
        Kept::Notices => of!("notices"),
        Kept::Nodes => of!("nodes"),
    }
}

/// Whether rows of this kind are found by their agent; the others belong to a session.
const fn has_agents(kept: Kept) -> bool {
    matches!(kept, Kept::Declined | Kept::Notices)
}

/// The query for some rows, and the value that it wants.
pub(super) fn selecting(kept: Kept, by: By<'_>) -> (String, &str) {
    let (table, active) = (kept.table(), kept.active());
    let own = if kept == Kept::Grants { " AND project IS NULL" } else { "" };
    let (condition, value) = match by {
        By::Key(key) => ("key = ?1".to_owned(), key),
        By::Session(name) => (format!("session = ?1 AND {active}{own}"), name),
        By::Project(name) => (format!("project = ?1 AND {active}"), name),
        By::Agent(name) => (format!("agent = ?1 AND {active}"), name),
        By::Run(run) => ("run = ?1".to_owned(), run),
        // In words and not as a value, so that the index of just these is found.
        By::State(state) => {
            let bears = format!("session IS NOT NULL AND {active}");
            let also = if kept == Kept::Grants { "true" } else { &bears };
            (format!("state = '{state}' AND {also} AND ?1 = ''"), "")
        }
        By::Active if has_agents(kept) => (format!("{active} AND ?1 = ''"), ""),
        By::Active => (format!("session IS NOT NULL AND {active} AND ?1 = ''"), ""),
        By::Projects => (format!("project IS NOT NULL AND {active} AND ?1 = ''"), ""),
        By::All => ("?1 = ''".to_owned(), ""),
    };
    // Few of many: read in the order of the index and sorted, not all of them in their order.
    let from = match by {
        By::Projects => format!("{table} INDEXED BY {table}_of_project"),
        By::Active if has_agents(kept) => format!("{table} INDEXED BY {table}_of_agent"),
        By::Active => format!("{table} INDEXED BY {table}_of_session"),
        By::State(_) if kept != Kept::Grants => format!("{table} INDEXED BY {table}_of_session"),
        _ => table.to_owned(),
    };
    (format!("SELECT key, body FROM {from} WHERE {condition} ORDER BY place"), value)
}

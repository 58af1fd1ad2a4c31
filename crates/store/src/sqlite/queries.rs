//! The SQL for SQLite: how rows are found, written and deleted.

use crate::load::RowFilter;
use crate::rows::RowKind;

/// Sessions in which something has expired.
pub(super) const SESSIONS_DUE: &str = "SELECT session FROM requests WHERE due <= ?1
    UNION SELECT session FROM runs WHERE due <= ?1
    UNION SELECT session FROM grants WHERE due <= ?1
    UNION SELECT key FROM sessions INDEXED BY sessions_due WHERE due <= ?1";

/// Sessions that have not ended: only these have a `due`.
pub(super) const OPEN_SESSIONS: &str = "SELECT key FROM sessions INDEXED BY sessions_due
     WHERE due IS NOT NULL ORDER BY due DESC LIMIT ?1";

/// Requests that are open at an instant: only open ones have a `due`.
pub(super) const OPEN_REQUESTS: &str = "SELECT key FROM requests INDEXED BY requests_open
     WHERE due IS NOT NULL AND due > ?1 AND key > ?2 ORDER BY key LIMIT ?3";

/// Closed requests of an agent, newest first.
pub(super) const CLOSED_REQUESTS: &str = "SELECT key, body FROM requests INDEXED BY requests_closed
     WHERE agent = ?1 AND state = 'closed' AND agent IS NOT NULL AND key < ?2
     ORDER BY key DESC LIMIT ?3";

/// How many requests are open at an instant.
pub(super) const COUNT_OPEN_REQUESTS: &str =
    "SELECT count(*) FROM requests INDEXED BY requests_due WHERE due > ?1";

/// How many questions of an agent are open.
pub(super) const OPEN_QUESTIONS: &str = "SELECT open FROM open_questions WHERE agent = ?1";

/// Ledger entries from a number on.
pub(super) const ENTRIES: &str =
    "SELECT seq, kind, bytes, hash FROM entries WHERE seq >= ?1 ORDER BY seq LIMIT ?2";

/// The sealed texts of entries between two numbers. A query of its own instead of a join: SQLite
/// reads both tables in order and looks no row up.
pub(super) const SEALED_TEXTS: &str =
    "SELECT seq, salt, text FROM sealed WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq";

/// The statements that write a row.
pub(super) struct WriteStatements {
    /// For a new key. Cheaper than an upsert, which SQLite must be able to roll back by itself.
    pub insert: &'static str,
    pub upsert: &'static str,
    pub delete: &'static str,
}

pub(super) const fn write_statements(kind: RowKind) -> WriteStatements {
    macro_rules! insert {
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
    macro_rules! statements {
        ($table:literal) => {
            WriteStatements {
                insert: insert!($table, ""),
                upsert: insert!(
                    $table,
                    " ON CONFLICT (key) DO UPDATE SET state = ?6, due = ?7, body = ?8"
                ),
                delete: concat!("DELETE FROM ", $table, " WHERE key = ?1"),
            }
        };
    }
    match kind {
        RowKind::Sessions => statements!("sessions"),
        RowKind::Grants => statements!("grants"),
        RowKind::Requests => statements!("requests"),
        RowKind::Calls => statements!("calls"),
        RowKind::Runs => statements!("runs"),
        RowKind::Gestures => statements!("gestures"),
        RowKind::Proposals => statements!("proposals"),
        RowKind::Declined => statements!("declined"),
        RowKind::CarriedOver => statements!("carried_over"),
        RowKind::Notices => statements!("notices"),
        RowKind::Nodes => statements!("nodes"),
    }
}

/// Whether rows of this kind are found by their agent; the others belong to a session.
const fn has_agents(kind: RowKind) -> bool {
    matches!(kind, RowKind::Declined | RowKind::CarriedOver | RowKind::Notices)
}

/// The query for some rows, and its parameter.
pub(super) fn select_sql(kind: RowKind, filter: RowFilter<'_>) -> (String, &str) {
    let (table, active) = (kind.table(), kind.active());
    let own = if kind == RowKind::Grants { " AND project IS NULL" } else { "" };
    let (condition, value) = match filter {
        RowFilter::Key(key) => ("key = ?1".to_owned(), key),
        RowFilter::Session(name) => (format!("session = ?1 AND {active}{own}"), name),
        RowFilter::Project(name) => (format!("project = ?1 AND {active}"), name),
        RowFilter::Agent(name) => (format!("agent = ?1 AND {active}"), name),
        RowFilter::Run(run) => ("run = ?1".to_owned(), run),
        // A literal and not a parameter, so that SQLite can use the partial index.
        RowFilter::State(state) => {
            let is_active = format!("session IS NOT NULL AND {active}");
            let and_active = if kind == RowKind::Grants { "true" } else { &is_active };
            (format!("state = '{state}' AND {and_active} AND ?1 = ''"), "")
        }
        RowFilter::Active if has_agents(kind) => (format!("{active} AND ?1 = ''"), ""),
        RowFilter::Active => (format!("session IS NOT NULL AND {active} AND ?1 = ''"), ""),
        RowFilter::Projects => (format!("project IS NOT NULL AND {active} AND ?1 = ''"), ""),
        RowFilter::All => ("?1 = ''".to_owned(), ""),
    };
    // Few rows of many: read by index and sorted, instead of a scan in order.
    let from = match filter {
        RowFilter::Projects => format!("{table} INDEXED BY {table}_of_project"),
        RowFilter::Active if has_agents(kind) => format!("{table} INDEXED BY {table}_of_agent"),
        RowFilter::Active => format!("{table} INDEXED BY {table}_of_session"),
        RowFilter::State(_) if kind != RowKind::Grants => {
            format!("{table} INDEXED BY {table}_of_session")
        }
        _ => table.to_owned(),
    };
    (format!("SELECT key, body FROM {from} WHERE {condition} ORDER BY place"), value)
}

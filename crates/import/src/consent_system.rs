//! Consent System: one SQLite file with the grants of one session.

use crate::instant::parse_instant;
use crate::{ImportError, OldCoverage, OldGrant, limits};
use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;

/// The key of a grant that covers everything.
const EVERYTHING_KEY: &str = "__workflow_consent__";
const WORKFLOW_CLASS_PREFIX: &str = "workflow_class:";
const WORKFLOW_RUN_PREFIX: &str = "workflow_run:";
const BUNDLE_PREFIX: &str = "bundle:";

const COLUMNS: [&str; 4] = ["operation", "mode", "granted_at", "expires_at"];
const INVALID_ROW_HELP: &str = "nothing was imported; fix or remove the row, then try again";
const WRONG_FILE_HELP: &str = "name the `consent.db` of one session";

/// Reads the grants of one session without changing the file.
pub fn read_consent_system(file: &Path) -> Result<Vec<OldGrant>, ImportError> {
    let name = file.display().to_string();
    let wrong_file = |message: String| ImportError::new(&name, message, WRONG_FILE_HELP);
    let sqlite =
        |error: rusqlite::Error| wrong_file(format!("this is not an intact database: {error}"));
    let connection = open_database(file).map_err(&wrong_file)?;
    let check: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(sqlite)?;
    if check != "ok" {
        return Err(wrong_file(format!("this is not an intact database: {check}")));
    }
    check_table(&connection).map_err(&wrong_file)?;
    let mut statement = connection
        .prepare("SELECT rowid, operation, mode, granted_at, expires_at FROM grants ORDER BY rowid")
        .map_err(sqlite)?;
    let mut rows = statement.query([]).map_err(sqlite)?;
    let mut grants = Vec::new();
    while let Some(row) = rows.next().map_err(sqlite)? {
        let number: i64 = row.get(0).map_err(sqlite)?;
        let place = format!("{name}: grants row {number}");
        let old = read_row(&place, row)
            .map_err(|message| ImportError::new(&place, message, INVALID_ROW_HELP))?;
        grants.push(old);
        if grants.len() > limits::MAX_GRANTS {
            return Err(wrong_file(format!("there are more than {} grants", limits::MAX_GRANTS)));
        }
    }
    Ok(grants)
}

fn open_database(file: &Path) -> Result<Connection, String> {
    let metadata =
        std::fs::metadata(file).map_err(|error| format!("the file cannot be read: {error}"))?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Err("the file is not a database".to_owned());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(file, flags);
    let connection = opened.map_err(|error| format!("the database cannot be opened: {error}"))?;
    // Do not run anything that the file's schema defines.
    let pragmas =
        "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
    connection
        .execute_batch(pragmas)
        .map_err(|error| format!("the database cannot be opened: {error}"))?;
    Ok(connection)
}

/// Refuses unknown columns, which could narrow a grant, and views, which could be anything.
fn check_table(connection: &Connection) -> Result<(), String> {
    let kind = "SELECT type FROM sqlite_schema WHERE name = 'grants'";
    let kind: Option<String> = connection.query_row(kind, [], |row| row.get(0)).ok();
    if kind.as_deref() != Some("table") {
        return Err("the database has no table `grants`".to_owned());
    }
    let columns = connection
        .prepare("SELECT name FROM pragma_table_xinfo('grants')")
        .and_then(|mut statement| {
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            names.collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| format!("the table `grants` cannot be read: {error}"))?;
    if let Some(missing) = COLUMNS.iter().find(|column| !columns.iter().any(|c| c == *column)) {
        return Err(format!("the table `grants` has no column `{missing}`"));
    }
    match columns.iter().find(|column| !COLUMNS.contains(&column.as_str())) {
        Some(other) => Err(format!("the table `grants` has a column `{other}`, which is unknown")),
        None => Ok(()),
    }
}

fn read_row(place: &str, row: &Row<'_>) -> Result<OldGrant, String> {
    let key = read_text(row, 1)?.ok_or("`operation` is missing")?;
    let mode = read_text(row, 2)?.ok_or("`mode` is missing")?;
    let given_at = read_time(row, 3)?.ok_or("`granted_at` is missing")?;
    let ends_at = read_time(row, 4)?;
    let scope = match (mode.as_str(), ends_at) {
        ("always" | "temporary", Some(_)) => Scope::Session,
        ("once", None) => Scope::Once,
        // Grants of runs have no end time.
        ("always", None) if key.starts_with(WORKFLOW_RUN_PREFIX) => Scope::Session,
        ("always" | "temporary", None) => return Err(format!("`{mode}` has no `expires_at`")),
        ("once", Some(_)) => return Err("`once` has an `expires_at`".to_owned()),
        (other, _) => return Err(format!("`mode` is `{other}`, which is not a valid mode")),
    };
    let coverage = parse_coverage(&key)?;
    let (place, description) = (place.to_owned(), String::new());
    Ok(OldGrant { place, key, description, coverage, scope, given_at, ends_at, revoked_at: None })
}

fn parse_coverage(key: &str) -> Result<OldCoverage, String> {
    if key == EVERYTHING_KEY {
        return Ok(OldCoverage::Everything);
    }
    if let Some(name) = key.strip_prefix(WORKFLOW_CLASS_PREFIX) {
        let workflow = Workflow::parse(name).map_err(|error| format!("`operation`: {error}"))?;
        return Ok(OldCoverage::WorkflowStarts(workflow));
    }
    if key.starts_with(WORKFLOW_RUN_PREFIX) {
        return Ok(OldCoverage::Nothing("its run is over; start it again"));
    }
    if key.starts_with(BUNDLE_PREFIX) {
        return Ok(OldCoverage::Nothing("it is a label for grants that have their own rows"));
    }
    Ok(match Action::parse(key) {
        Ok(action) => OldCoverage::Action(action),
        Err(_) => OldCoverage::Nothing("its name is not an action of the form `domain.verb`"),
    })
}

fn read_text(row: &Row<'_>, column_index: usize) -> Result<Option<String>, String> {
    let column = COLUMNS.get(column_index.wrapping_sub(1)).copied().unwrap_or("rowid");
    let found = row.get_ref(column_index).map_err(|error| error.to_string())?;
    match found {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) if bytes.len() > limits::MAX_KEY_BYTES => {
            Err(format!("`{column}` is longer than {} bytes", limits::MAX_KEY_BYTES))
        }
        ValueRef::Text(bytes) => {
            let text =
                std::str::from_utf8(bytes).map_err(|_| format!("`{column}` is not UTF-8"))?;
            Ok(Some(text.to_owned()))
        }
        ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => {
            Err(format!("`{column}` is not text"))
        }
    }
}

fn read_time(row: &Row<'_>, column_index: usize) -> Result<Option<Time>, String> {
    let column = COLUMNS.get(column_index.wrapping_sub(1)).copied().unwrap_or("rowid");
    let Some(text) = read_text(row, column_index)? else { return Ok(None) };
    let time = parse_instant(&text);
    time.map(Some).ok_or(format!("`{column}` is `{text}`, which is not a time with a UTC offset"))
}

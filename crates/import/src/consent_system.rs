//! Consent System (seed 000): the grants of one session in a SQLite file of its own.

use crate::instant::instant;
use crate::{Corrupt, Covers, Old, limits};
use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;

/// The key that once covered everything.
const BLANKET: &str = "__workflow_consent__";
const CLASS: &str = "workflow_class:";
const RUN: &str = "workflow_run:";
const BUNDLE: &str = "bundle:";

const COLUMNS: [&str; 4] = ["operation", "mode", "granted_at", "expires_at"];
const HELP: &str = "nothing was taken from it; mend or remove the row, then try again";
const NOT_IT: &str = "name the `consent.db` of one session";

/// Reads the grants of one session. The file stays as it is.
pub fn consent_system(file: &Path) -> Result<Vec<Old>, Corrupt> {
    let name = file.display().to_string();
    let not_it = |what: String| Corrupt::at(&name, what, NOT_IT);
    let sqlite = |error: rusqlite::Error| not_it(format!("this is no sound database: {error}"));
    let connection = open(file).map_err(&not_it)?;
    let sound: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(sqlite)?;
    if sound != "ok" {
        return Err(not_it(format!("this is no sound database: {sound}")));
    }
    is_its_table(&connection).map_err(&not_it)?;
    let mut statement = connection
        .prepare("SELECT rowid, operation, mode, granted_at, expires_at FROM grants ORDER BY rowid")
        .map_err(sqlite)?;
    let mut rows = statement.query([]).map_err(sqlite)?;
    let mut grants = Vec::new();
    while let Some(row) = rows.next().map_err(sqlite)? {
        let number: i64 = row.get(0).map_err(sqlite)?;
        let place = format!("{name}: grants row {number}");
        let old = read(&place, row).map_err(|what| Corrupt::at(&place, what, HELP))?;
        grants.push(old);
        if grants.len() > limits::GRANTS {
            return Err(not_it(format!("there are more than {} grants", limits::GRANTS)));
        }
    }
    Ok(grants)
}

fn open(file: &Path) -> Result<Connection, String> {
    let known = std::fs::metadata(file).map_err(|error| format!("it cannot be read: {error}"))?;
    if !known.is_file() || known.len() == 0 {
        return Err("there is no database in it".to_owned());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(file, flags);
    let connection = opened.map_err(|error| format!("it cannot be opened: {error}"))?;
    // What a file says about itself is not to be carried out.
    let set = "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
    connection.execute_batch(set).map_err(|error| format!("it cannot be opened: {error}"))?;
    Ok(connection)
}

/// A column that is not known could have narrowed the grants; a view could be anything.
fn is_its_table(connection: &Connection) -> Result<(), String> {
    let kind = "SELECT type FROM sqlite_schema WHERE name = 'grants'";
    let kind: Option<String> = connection.query_row(kind, [], |row| row.get(0)).ok();
    if kind.as_deref() != Some("table") {
        return Err("it has no table `grants`".to_owned());
    }
    let columns = connection
        .prepare("SELECT name FROM pragma_table_xinfo('grants')")
        .and_then(|mut statement| {
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            names.collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| format!("its table `grants` cannot be read: {error}"))?;
    if let Some(missing) = COLUMNS.iter().find(|column| !columns.iter().any(|c| c == *column)) {
        return Err(format!("its table `grants` has no column `{missing}`"));
    }
    match columns.iter().find(|column| !COLUMNS.contains(&column.as_str())) {
        Some(other) => {
            Err(format!("its table `grants` has a column `{other}`, which is not known"))
        }
        None => Ok(()),
    }
}

fn read(place: &str, row: &Row<'_>) -> Result<Old, String> {
    let key = text(row, 1)?.ok_or("`operation` is missing")?;
    let mode = text(row, 2)?.ok_or("`mode` is missing")?;
    let given_at = time(row, 3)?.ok_or("`granted_at` is missing")?;
    let ends_at = time(row, 4)?;
    let scope = match (mode.as_str(), ends_at) {
        ("always" | "temporary", Some(_)) => Scope::Session,
        ("once", None) => Scope::Once,
        // Its run grants have no end of their own.
        ("always", None) if key.starts_with(RUN) => Scope::Session,
        ("always" | "temporary", None) => return Err(format!("`{mode}` has no `expires_at`")),
        ("once", Some(_)) => return Err("`once` has an `expires_at`".to_owned()),
        (other, _) => return Err(format!("`mode` is `{other}`, which is no mode")),
    };
    let covers = covers(&key)?;
    let (place, words) = (place.to_owned(), String::new());
    Ok(Old { place, key, words, covers, scope, given_at, ends_at, revoked_at: None })
}

fn covers(key: &str) -> Result<Covers, String> {
    if key == BLANKET {
        return Ok(Covers::Everything);
    }
    if let Some(name) = key.strip_prefix(CLASS) {
        let workflow = Workflow::parse(name).map_err(|error| format!("`operation`: {error}"))?;
        return Ok(Covers::Starts(workflow));
    }
    if key.starts_with(RUN) {
        return Ok(Covers::Nothing("its run is over; start it anew"));
    }
    if key.starts_with(BUNDLE) {
        return Ok(Covers::Nothing("it is a label; what it stands for has rows of its own"));
    }
    Ok(match Action::parse(key) {
        Ok(action) => Covers::Action(action),
        Err(_) => Covers::Nothing("it is no action's name, which is written `domain.verb`"),
    })
}

fn text(row: &Row<'_>, at: usize) -> Result<Option<String>, String> {
    let column = COLUMNS.get(at.wrapping_sub(1)).copied().unwrap_or("rowid");
    let found = row.get_ref(at).map_err(|error| error.to_string())?;
    match found {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) if bytes.len() > limits::KEY_BYTES => {
            Err(format!("`{column}` is longer than {} bytes", limits::KEY_BYTES))
        }
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|_| format!("`{column}` is no UTF-8"))?;
            Ok(Some(text.to_owned()))
        }
        ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => {
            Err(format!("`{column}` is no text"))
        }
    }
}

fn time(row: &Row<'_>, at: usize) -> Result<Option<Time>, String> {
    let column = COLUMNS.get(at.wrapping_sub(1)).copied().unwrap_or("rowid");
    let Some(text) = text(row, at)? else { return Ok(None) };
    let read = instant(&text);
    read.map(Some).ok_or(format!("`{column}` is `{text}`, which is no instant with an offset"))
}

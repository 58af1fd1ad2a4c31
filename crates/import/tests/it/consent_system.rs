//! Consent System's file of one session.

use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;
use countersign_import::{Corrupt, Covers, Old, consent_system};
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const TABLE: &str = "CREATE TABLE grants (operation TEXT PRIMARY KEY, mode TEXT NOT NULL,
    granted_at TEXT NOT NULL, expires_at TEXT);";
const DAY: &str = "'2026-05-19T10:00:00.123456+00:00', '2026-05-20T10:00:00.123456+00:00'";

/// A file as the system itself left it, in the middle of its work: not all of it is checkpointed.
fn file(sql: &str) -> (TempDir, PathBuf, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("consent.db");
    let connection = Connection::open(&path).unwrap();
    let mode = "PRAGMA journal_mode = WAL;";
    connection.execute_batch(&format!("{mode} {sql}")).unwrap();
    (folder, path, connection)
}

fn read(sql: &str) -> Result<Vec<Old>, Corrupt> {
    let (_folder, path, _connection) = file(sql);
    consent_system(&path)
}

fn stops(row: &str, what: &str) {
    let good = format!("INSERT INTO grants VALUES ('notes.read', 'always', {DAY});");
    let corrupt = read(&format!("{TABLE} {good} INSERT INTO grants VALUES {row};")).unwrap_err();
    assert!(corrupt.place.ends_with("grants row 2"), "{corrupt}");
    assert!(corrupt.what.contains(what), "{corrupt}");
}

#[test]
fn every_kind_of_key_is_read() {
    let rows = [
        "'notes.write', 'always'",
        "'__workflow_consent__', 'temporary'",
        "'workflow_class:tidy-up', 'always'",
        "'bundle:tidy', 'always'",
        "'deploy', 'always'",
    ]
    .map(|row| format!("INSERT INTO grants VALUES ({row}, {DAY});"));
    let run = "INSERT INTO grants VALUES ('workflow_run:tidy-up:1', 'once', '2026-05-19T10:00:00+00:00', NULL);";
    let old = read(&format!("{TABLE} {} {run}", rows.concat())).unwrap();
    let covers: Vec<&Covers> = old.iter().map(|old| &old.covers).collect();
    assert_eq!(covers[0], &Covers::Action(Action::parse("notes.write").unwrap()));
    assert_eq!(covers[1], &Covers::Everything);
    assert_eq!(covers[2], &Covers::Starts(Workflow::parse("tidy-up").unwrap()));
    assert!(covers[3..].iter().all(|covers| matches!(covers, Covers::Nothing(_))));
    assert_eq!(old[0].scope, Scope::Session);
    let end = Time::parse("2026-05-20T10:00:00Z").unwrap().micros() + 123_456;
    assert_eq!(old[0].ends_at, Some(Time::from_micros(end)));
    assert_eq!((old[5].scope, old[5].ends_at), (Scope::Once, None));
}

#[test]
fn a_corrupt_row_stops_it_with_its_place() {
    stops(&format!("('a.b', 'forever', {DAY})"), "no mode");
    stops("('a.b', 'always', '2026-05-19T10:00:00+00:00', NULL)", "no `expires_at`");
    stops(&format!("('a.b', 'once', {DAY})"), "has an `expires_at`");
    stops("('a.b', 'always', 'now', '2026-05-20T10:00:00+00:00')", "no instant");
    stops("('a.b', 'always', '2026-05-19T10:00:00', '2026-05-20T10:00:00')", "no instant");
    stops(&format!("(NULL, 'always', {DAY})"), "`operation` is missing");
    stops(&format!("(x'00ff', 'always', {DAY})"), "no text");
    stops(&format!("('workflow_class:', 'always', {DAY})"), "may not be empty");
    stops(&format!("('{}', 'always', {DAY})", "x".repeat(300)), "longer than");
}

#[test]
fn a_file_of_something_else_is_refused() {
    let refused = |sql: &str| read(sql).unwrap_err().what;
    assert!(refused("CREATE TABLE other (a)").contains("no table `grants`"));
    assert!(refused("CREATE TABLE grants (operation TEXT)").contains("no column `mode`"));
    let more = TABLE.replace("expires_at TEXT", "expires_at TEXT, only_under TEXT");
    assert!(refused(&more).contains("`only_under`, which is not known"));
    let view = "CREATE VIEW grants AS SELECT 'a.b' AS operation, 'always' AS mode,
        '2026-05-19T10:00:00+00:00' AS granted_at, NULL AS expires_at;";
    assert!(refused(view).contains("no table `grants`"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("consent.db");
    for (content, what) in [("", "no database"), ("once upon a time, there was", "no sound")] {
        fs::write(&path, content).unwrap();
        let refused = consent_system(&path).unwrap_err().what;
        assert!(refused.contains(what), "{refused}");
    }
    let refused = consent_system(&folder.path().join("none.db")).unwrap_err().what;
    assert!(refused.contains("cannot be read"), "{refused}");
    assert!(!folder.path().join("none.db").exists());
    assert!(consent_system(folder.path()).unwrap_err().what.contains("no database"));
}

/// Half of a page overwritten, as a bad disk does it.
#[test]
fn a_damaged_file_is_refused() {
    let rows: String = (0..500)
        .map(|n| format!("INSERT INTO grants VALUES ('notes.a{n}', 'always', {DAY});"))
        .collect();
    let (_folder, path, connection) = file(&format!("{TABLE} BEGIN; {rows} COMMIT;"));
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    assert_eq!(consent_system(&path).unwrap().len(), 500);
    let mut bytes = fs::read(&path).unwrap();
    let page = bytes.len() - 4096;
    bytes[page..page + 2048].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let refused = consent_system(&path).unwrap_err();
    assert!(refused.what.contains("no sound database"), "{refused}");
}

#[test]
fn the_file_stays_as_it_is() {
    let (_folder, path, connection) = file(TABLE);
    drop(connection);
    let before = fs::read(&path).unwrap();
    consent_system(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

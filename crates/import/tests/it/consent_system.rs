//! The session files of Consent System.

use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::time::Time;
use countersign_import::{ImportError, OldCoverage, OldGrant, read_consent_system};
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const TABLE: &str = "CREATE TABLE grants (operation TEXT PRIMARY KEY, mode TEXT NOT NULL,
    granted_at TEXT NOT NULL, expires_at TEXT);";
const DAY: &str = "'2026-05-19T10:00:00.123456+00:00', '2026-05-20T10:00:00.123456+00:00'";

/// A file as the running system leaves it: in WAL mode, not fully checkpointed.
fn make_database(sql: &str) -> (TempDir, PathBuf, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("consent.db");
    let connection = Connection::open(&path).unwrap();
    let mode = "PRAGMA journal_mode = WAL;";
    connection.execute_batch(&format!("{mode} {sql}")).unwrap();
    (folder, path, connection)
}

fn read_database(sql: &str) -> Result<Vec<OldGrant>, ImportError> {
    let (_folder, path, _connection) = make_database(sql);
    read_consent_system(&path)
}

fn assert_row_refused(row: &str, message: &str) {
    let good = format!("INSERT INTO grants VALUES ('notes.read', 'always', {DAY});");
    let error =
        read_database(&format!("{TABLE} {good} INSERT INTO grants VALUES {row};")).unwrap_err();
    assert!(error.place.ends_with("grants row 2"), "{error}");
    assert!(error.message.contains(message), "{error}");
}

#[test]
fn every_kind_of_key_is_imported() {
    let rows = [
        "'notes.write', 'always'",
        "'__workflow_consent__', 'temporary'",
        "'workflow_class:tidy-up', 'always'",
        "'bundle:tidy', 'always'",
        "'deploy', 'always'",
    ]
    .map(|row| format!("INSERT INTO grants VALUES ({row}, {DAY});"));
    let run = "INSERT INTO grants VALUES ('workflow_run:tidy-up:1', 'once', '2026-05-19T10:00:00+00:00', NULL);";
    let old = read_database(&format!("{TABLE} {} {run}", rows.concat())).unwrap();
    let covers: Vec<&OldCoverage> = old.iter().map(|old| &old.coverage).collect();
    assert_eq!(covers[0], &OldCoverage::Action(Action::parse("notes.write").unwrap()));
    assert_eq!(covers[1], &OldCoverage::Everything);
    assert_eq!(covers[2], &OldCoverage::WorkflowStarts(Workflow::parse("tidy-up").unwrap()));
    assert!(covers[3..].iter().all(|covers| matches!(covers, OldCoverage::Nothing(_))));
    assert_eq!(old[0].scope, Scope::Session);
    let end = Time::parse("2026-05-20T10:00:00Z").unwrap().micros() + 123_456;
    assert_eq!(old[0].ends_at, Some(Time::from_micros(end)));
    assert_eq!((old[5].scope, old[5].ends_at), (Scope::Once, None));
}

#[test]
fn an_invalid_row_is_refused_with_its_position() {
    assert_row_refused(&format!("('a.b', 'forever', {DAY})"), "not a valid mode");
    assert_row_refused("('a.b', 'always', '2026-05-19T10:00:00+00:00', NULL)", "no `expires_at`");
    assert_row_refused(&format!("('a.b', 'once', {DAY})"), "has an `expires_at`");
    assert_row_refused("('a.b', 'always', 'now', '2026-05-20T10:00:00+00:00')", "not a time");
    assert_row_refused(
        "('a.b', 'always', '2026-05-19T10:00:00', '2026-05-20T10:00:00')",
        "not a time",
    );
    assert_row_refused(&format!("(NULL, 'always', {DAY})"), "`operation` is missing");
    assert_row_refused(&format!("(x'00ff', 'always', {DAY})"), "not text");
    assert_row_refused(&format!("('workflow_class:', 'always', {DAY})"), "may not be empty");
    assert_row_refused(&format!("('{}', 'always', {DAY})", "x".repeat(300)), "longer than");
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let refused = |sql: &str| read_database(sql).unwrap_err().message;
    assert!(refused("CREATE TABLE other (a)").contains("no table `grants`"));
    assert!(refused("CREATE TABLE grants (operation TEXT)").contains("no column `mode`"));
    let more = TABLE.replace("expires_at TEXT", "expires_at TEXT, only_under TEXT");
    assert!(refused(&more).contains("`only_under`, which is unknown"));
    let view = "CREATE VIEW grants AS SELECT 'a.b' AS operation, 'always' AS mode,
        '2026-05-19T10:00:00+00:00' AS granted_at, NULL AS expires_at;";
    assert!(refused(view).contains("no table `grants`"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("consent.db");
    for (content, message) in [("", "not a database"), ("once upon a time, there was", "intact")] {
        fs::write(&path, content).unwrap();
        let refused = read_consent_system(&path).unwrap_err().message;
        assert!(refused.contains(message), "{refused}");
    }
    let refused = read_consent_system(&folder.path().join("none.db")).unwrap_err().message;
    assert!(refused.contains("cannot be read"), "{refused}");
    assert!(!folder.path().join("none.db").exists());
    assert!(read_consent_system(folder.path()).unwrap_err().message.contains("not a database"));
}

/// Overwrites half a page, like a failing disk.
#[test]
fn a_damaged_file_is_refused() {
    let rows: String = (0..500)
        .map(|n| format!("INSERT INTO grants VALUES ('notes.a{n}', 'always', {DAY});"))
        .collect();
    let (_folder, path, connection) = make_database(&format!("{TABLE} BEGIN; {rows} COMMIT;"));
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    assert_eq!(read_consent_system(&path).unwrap().len(), 500);
    let mut bytes = fs::read(&path).unwrap();
    let page = bytes.len() - 4096;
    bytes[page..page + 2048].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let refused = read_consent_system(&path).unwrap_err();
    assert!(refused.message.contains("not an intact database"), "{refused}");
}

#[test]
fn reading_does_not_change_the_file() {
    let (_folder, path, connection) = make_database(TABLE);
    drop(connection);
    let before = fs::read(&path).unwrap();
    read_consent_system(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

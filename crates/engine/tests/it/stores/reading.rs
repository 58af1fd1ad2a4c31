//! Records that are only looked at: beside whoever writes, and without leaving a trace.

use super::{in_memory, schema};
use crate::world::{call, on, session};
use countersign_engine::{
    Engine, Postgres, PostgresReader, PostgresSettings, Sqlite, SqliteReader, Store, StoreError,
    StoreReader,
};
use countersign_ledger::{Head, replay, verify};
use std::fs;
use std::path::Path;

/// What a reader sees is what the writer wrote, and it sees what is written later.
fn follows<S: Store>(engine: &Engine<S>, record: &dyn StoreReader) {
    for _ in 0..2 {
        engine.check(&call("files.write")).unwrap();
        let (state, head) = record.snapshot().unwrap();
        assert!(state.sessions.contains_key(&session()));
        let entries = record.read_entries(0, usize::MAX).unwrap();
        assert_eq!(entries, engine.read_all_entries().unwrap());
        assert_eq!(verify(&entries).unwrap(), head);
        assert_eq!(replay(&entries).unwrap(), state);
    }
}

fn refusal<T>(opened: Result<T, StoreError>) -> String {
    opened.err().unwrap().to_string()
}

#[test]
fn a_file_is_read_beside_the_process_that_writes_it() {
    let folder = in_memory();
    let engine = on(super::sqlite(folder.path()));
    follows(&engine, &SqliteReader::open(&folder.path().join("store")).unwrap());
}

#[test]
fn a_database_is_read_beside_the_nodes_that_write_to_it() {
    let settings = schema();
    let engine = on(Postgres::open(settings.clone()).unwrap());
    follows(&engine, &PostgresReader::open(&settings).unwrap());
}

#[test]
fn a_file_that_nobody_has_open_is_read_too() {
    let folder = in_memory();
    drop(on(super::sqlite(folder.path())));
    let reader = SqliteReader::open(&folder.path().join("store")).unwrap();
    assert_eq!(reader.read_entries(0, 10).unwrap().len(), 1);
    drop(Sqlite::open(&folder.path().join("store")).unwrap());
}

#[test]
fn where_no_record_is_none_is_made() {
    let folder = in_memory();
    let place = folder.path().join("store");
    let said = refusal(SqliteReader::open(&place));
    assert!(said.contains("there is no record in"), "{said}");
    assert!(!place.exists());
    fs::create_dir(&place).unwrap();
    assert!(SqliteReader::open(&place).is_err());
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    let settings = schema();
    for _ in 0..2 {
        let said = refusal(PostgresReader::open(&settings));
        assert!(said.contains("there is no record in the schema"), "{said}");
    }
}

/// Gives the file another version, as another program would.
fn versioned(folder: &Path, version: i64) -> String {
    let file = folder.join("store/countersign.db");
    let sql = format!("PRAGMA user_version = {version}");
    rusqlite::Connection::open(file).unwrap().execute_batch(&sql).unwrap();
    refusal(SqliteReader::open(&folder.join("store")))
}

#[test]
fn a_record_of_another_version_is_refused() {
    let folder = in_memory();
    drop(super::sqlite(folder.path()));
    assert!(versioned(folder.path(), 99).contains("newer program"));
    let said = versioned(folder.path(), 0);
    assert!(said.contains("a command that writes"), "{said}");
    let settings = schema();
    drop(Postgres::open(settings.clone()).unwrap());
    let sql = format!("UPDATE {}.version SET steps = 99", settings.schema);
    by_hand(&settings, &sql);
    assert!(refusal(PostgresReader::open(&settings)).contains("newer program"));
}

fn by_hand(settings: &PostgresSettings, sql: &str) {
    let mut client = postgres::Client::connect(&settings.url, postgres::NoTls).unwrap();
    client.batch_execute(sql).unwrap();
}

#[test]
fn a_file_that_is_no_database_is_damaged() {
    let folder = in_memory();
    let place = folder.path().join("store");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("countersign.db"), "this was a database, many years ago").unwrap();
    assert!(refusal(SqliteReader::open(&place)).contains("damaged"));
}

#[test]
fn an_empty_ledger_has_an_empty_head() {
    let folder = in_memory();
    let _held = super::sqlite(folder.path());
    let reader = SqliteReader::open(&folder.path().join("store")).unwrap();
    assert_eq!(reader.snapshot().unwrap().1, Head::empty());
}

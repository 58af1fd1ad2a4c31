//! What only a file can do wrong: it is in use, open to others, too new, damaged, replaced, full.

use super::in_memory;
use crate::world::{agent, call, grant, on, owner, session};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::words::Effect;
use countersign_core::model::words::Outcome;
use countersign_engine::{CheckResult, EngineError, Sqlite, Store, StoreError};
use countersign_ledger::verify;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

fn place(folder: &Path) -> PathBuf {
    folder.join("store")
}

fn file(folder: &Path) -> PathBuf {
    place(folder).join("countersign.db")
}

fn refusal(folder: &Path) -> String {
    Sqlite::open(&place(folder)).err().unwrap().to_string()
}

/// Another program at the same file, as somebody would use one by hand.
fn by_hand(folder: &Path, sql: &str) -> Result<(), rusqlite::Error> {
    rusqlite::Connection::open(file(folder))?.execute_batch(sql)
}

#[test]
fn what_was_granted_is_there_after_a_restart() {
    let folder = in_memory();
    {
        let engine = on(Sqlite::open(&place(folder.path())).unwrap());
        engine.open_session(&owner(), None).unwrap();
        let terms = (Scope::Session, None, Confirmation::Plain);
        grant(&engine, session(), Coverage::Everything, terms);
    }
    let engine = on(Sqlite::open(&place(folder.path())).unwrap());
    let checked = engine.check(&call("files.write")).unwrap();
    assert_eq!(checked.decision().outcome, Outcome::Allow);
    verify(&engine.read_all_entries().unwrap()).unwrap();
}

#[test]
fn one_process_uses_a_folder_at_a_time() {
    let folder = in_memory();
    let first = Sqlite::open(&place(folder.path())).unwrap();
    assert!(refusal(folder.path()).contains("another process uses"));
    drop(first);
    Sqlite::open(&place(folder.path())).unwrap();
}

#[test]
fn the_folder_is_made_for_its_owner_alone() {
    let folder = in_memory();
    drop(Sqlite::open(&place(folder.path())).unwrap());
    let mode = fs::metadata(place(folder.path())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let mode = fs::metadata(file(folder.path())).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn a_folder_that_others_can_enter_is_refused() {
    let folder = in_memory();
    fs::DirBuilder::new().mode(0o755).create(place(folder.path())).unwrap();
    let said = refusal(folder.path());
    assert!(said.contains("others can enter") && said.contains("chmod 700"), "{said}");
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let folder = in_memory();
    drop(Sqlite::open(&place(folder.path())).unwrap());
    by_hand(folder.path(), "PRAGMA user_version = 99").unwrap();
    let said = refusal(folder.path());
    assert!(said.contains("version 99") && said.contains("newer program"), "{said}");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = in_memory();
    drop(Sqlite::open(&place(folder.path())).unwrap());
    fs::write(file(folder.path()), "this was a database").unwrap();
    assert!(refusal(folder.path()).contains("damaged"));
}

#[test]
fn nobody_changes_the_ledger_by_hand() {
    let folder = in_memory();
    drop(on(Sqlite::open(&place(folder.path())).unwrap()));
    for sql in ["UPDATE entries SET bytes = '{}'", "DELETE FROM entries"] {
        let refused = by_hand(folder.path(), sql).unwrap_err().to_string();
        assert!(refused.contains("never"), "{refused}");
    }
}

#[test]
fn what_is_over_stays_over() {
    let folder = in_memory();
    let engine = on(Sqlite::open(&place(folder.path())).unwrap());
    engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(&engine, session(), Coverage::Everything, terms);
    engine.revoke(&session(), &countersign_core::steps::revoke::Revoke::All).unwrap();
    let again = by_hand(folder.path(), "UPDATE grants SET state = 'live'").unwrap_err();
    assert!(again.to_string().contains("stays over"), "{again}");
    let unknown = by_hand(folder.path(), "UPDATE sessions SET state = 'gone'").unwrap_err();
    assert!(unknown.to_string().contains("CHECK"), "{unknown}");
}

#[test]
fn a_row_that_stays_as_it_is_is_not_written() {
    let folder = in_memory();
    let engine = on(Sqlite::open(&place(folder.path())).unwrap());
    engine.check(&call("files.read")).unwrap();
    let count = "CREATE TABLE counted (at TEXT);
        CREATE TRIGGER counting AFTER UPDATE ON sessions
            BEGIN INSERT INTO counted VALUES (NEW.key); END;";
    by_hand(folder.path(), count).unwrap();
    for _ in 0..3 {
        let CheckResult::Allowed { permit, .. } = engine.check(&call("files.read")).unwrap() else {
            panic!("it may be read");
        };
        engine.complete(&permit.complete(Effect::Done)).unwrap();
    }
    let connection = rusqlite::Connection::open(file(folder.path())).unwrap();
    let counted = "SELECT count(*) FROM counted";
    assert_eq!(connection.query_row(counted, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

/// What cannot be read is never skipped: from then on nothing is decided at all.
#[test]
fn a_damaged_row_suspends_the_store() {
    let folder = in_memory();
    let engine = on(Sqlite::open(&place(folder.path())).unwrap().without_cache());
    engine.check(&call("files.read")).unwrap();
    by_hand(folder.path(), "UPDATE sessions SET body = '{\"agent\": 7}'").unwrap();
    for action in ["files.read", "files.write"] {
        let refused = engine.check(&call(action)).unwrap_err();
        let EngineError::Store(StoreError::Damaged { what, .. }) = &refused else {
            panic!("{refused}");
        };
        assert!(what.contains("sessions"), "{what}");
    }
    assert!(engine.pause_agent(&agent()).is_err());
}

#[test]
fn a_file_put_in_its_place_is_noticed() {
    let folder = in_memory();
    let engine = on(Sqlite::open(&place(folder.path())).unwrap());
    engine.check(&call("files.read")).unwrap();
    let (own, copy) = (file(folder.path()), place(folder.path()).join("copy"));
    fs::copy(&own, &copy).unwrap();
    fs::rename(&copy, &own).unwrap();
    let refused = engine.check(&call("files.read")).unwrap_err().to_string();
    assert!(refused.contains("another file was put in its place"), "{refused}");
}

#[test]
fn a_log_that_was_deleted_or_replaced_is_noticed_before_anything_is_acknowledged() {
    for is_replaced in [false, true] {
        let folder = in_memory();
        let engine = on(Sqlite::open(&place(folder.path())).unwrap());
        engine.check(&call("files.read")).unwrap();
        let log = place(folder.path()).join("countersign.db-wal");
        let bytes = fs::read(&log).unwrap();
        fs::remove_file(&log).unwrap();
        if is_replaced {
            // The inode of the first file may be used again for the next one.
            fs::write(place(folder.path()).join("other"), "").unwrap();
            fs::write(&log, bytes).unwrap();
        }
        let refused = engine.pause_agent(&agent()).unwrap_err().to_string();
        assert!(refused.contains("countersign.db-wal"), "{refused}");
        assert!(engine.check(&call("files.read")).is_err(), "nothing is trusted any more");
    }
}

#[test]
fn a_deleted_database_file_is_noticed_before_anything_is_acknowledged() {
    let folder = in_memory();
    let engine = on(Sqlite::open(&place(folder.path())).unwrap());
    engine.check(&call("files.read")).unwrap();
    fs::remove_file(file(folder.path())).unwrap();
    let refused = engine.pause_agent(&agent()).unwrap_err().to_string();
    assert!(refused.contains("countersign.db"), "{refused}");
    assert!(engine.check(&call("files.read")).is_err(), "nothing is trusted any more");
}

#[test]
fn a_full_disk_ends_in_a_refusal_and_loses_nothing() {
    let folder = in_memory();
    drop(Sqlite::open(&place(folder.path())).unwrap());
    let line = format!(
        "trap '' XFSZ; ulimit -f 1200; exec '{}' fill-disk 'sqlite:{}'",
        super::child::program().display(),
        folder.path().display()
    );
    let mut child = Command::new("bash");
    child.args(["-c", &line]);
    let said = child.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    let number = text.lines().find_map(|line| line.strip_prefix("permitted ")).unwrap();
    let permitted: usize = number.parse().unwrap();
    assert!(permitted > 10, "{text}");
    assert!(text.contains("the store is not available"), "{text}");
    let store = Sqlite::open(&place(folder.path())).unwrap();
    let entries = store.read_entries(0, usize::MAX).unwrap();
    verify(&entries).unwrap();
    let decided = entries.iter().filter(|entry| entry.kind.word() == "call_decided").count();
    assert!(decided >= permitted, "{decided} recorded of {permitted}");
}

/// Needs a small disk of its own, which only some users may mount.
#[test]
fn a_full_disk_refuses_agents_and_still_takes_answers_revocations_and_pauses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    let mount = format!("mount -t tmpfs -o size=16m tmpfs '{path}'");
    let unshare = |line: String| Command::new("unshare").args(["-rm", "sh", "-c", &line]).output();
    if !unshare(mount.clone()).is_ok_and(|tried| tried.status.success()) {
        return;
    }
    let child = super::child::program();
    let child = child.display();
    let line = format!("{mount} && '{child}' act-on-full-disk 'sqlite:{path}' '{path}/filler'");
    let said = unshare(line).unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.contains("only answers, revocations and pauses are recorded"), "{text}");
    assert!(text.ends_with("answered\nrevoked\npaused\ndecided\n"), "{text}");
}

//! The tables, and the steps that lead to them from older versions.
//!
//! Each step is one transaction with the version it leads to, so that a crash leaves the version
//! before. An older program refuses what a newer one wrote.

use super::database::{Database, failed};
use crate::rows::Kept;
use crate::{StoreError, is_known};

/// Steps in order; the version of a file is how many of them it has taken.
const STEPS: [Step; 2] = [first, second];

type Step = fn() -> String;

pub(super) fn migrate(database: &mut Database) -> Result<(), StoreError> {
    take(database, &STEPS)
}

fn take(database: &mut Database, steps: &[Step]) -> Result<(), StoreError> {
    let found = database.version()?;
    is_known(found, steps.len())?;
    for (step, version) in steps.iter().zip(1..).skip(found) {
        let text = format!("BEGIN IMMEDIATE; {} PRAGMA user_version = {version}; COMMIT;", step());
        database.connection.execute_batch(&text).map_err(|error| {
            let _undone = database.connection.execute_batch("ROLLBACK");
            failed("changing the tables", &error)
        })?;
    }
    Ok(())
}

/// Refuses tables of any other version.
pub(super) fn is_current(database: &Database) -> Result<(), StoreError> {
    crate::record::is_current(database.version()?, STEPS.len())
}

fn first() -> String {
    let mut text = Kept::ALL.map(table).concat();
    text.push_str(
        "CREATE TABLE paused (agent TEXT PRIMARY KEY) STRICT;
         CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
         CREATE TABLE entries (
             seq INTEGER PRIMARY KEY CHECK (seq > 0),
             kind TEXT NOT NULL,
             bytes TEXT NOT NULL,
             hash BLOB NOT NULL CHECK (length(hash) = 32)
         ) STRICT;
         CREATE TABLE sealed (
             seq INTEGER PRIMARY KEY REFERENCES entries (seq),
             salt BLOB NOT NULL CHECK (length(salt) = 16),
             text TEXT NOT NULL CHECK (substr(text, 1, 1) = '{')
         ) STRICT;
         CREATE TRIGGER sealed_stays BEFORE UPDATE ON sealed
             BEGIN SELECT raise(ABORT, 'what is kept apart is erased or stays as it is'); END;
         CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
             BEGIN SELECT raise(ABORT, 'an entry of the ledger is never changed'); END;
         CREATE TRIGGER entries_remain BEFORE DELETE ON entries
             BEGIN SELECT raise(ABORT, 'an entry of the ledger is never deleted'); END;",
    );
    text
}

/// What is in force is listed without looking through what is over.
fn second() -> String {
    "CREATE INDEX grants_in_force ON grants (key)
         WHERE state <> 'spent' AND state <> 'revoked' AND state <> 'ended';"
        .to_owned()
}

fn table(kept: Kept) -> String {
    let (name, states, active) = (kept.table(), one_of(kept.states()), kept.active());
    let mut text = format!(
        "CREATE TABLE {name} (
             place INTEGER PRIMARY KEY,
             key TEXT NOT NULL UNIQUE,
             session TEXT,
             project TEXT,
             agent TEXT,
             run TEXT,
             state TEXT NOT NULL CHECK ({states}),
             due INTEGER,
             body TEXT NOT NULL CHECK (substr(body, 1, 1) = '{{')
         ) STRICT;
         CREATE INDEX {name}_of_session ON {name} (session)
             WHERE session IS NOT NULL AND {active};
         CREATE INDEX {name}_of_project ON {name} (project)
             WHERE project IS NOT NULL AND {active};
         CREATE INDEX {name}_due ON {name} (due) WHERE due IS NOT NULL;"
    );
    match kept {
        Kept::Declined | Kept::Notices => text
            .push_str(&format!("CREATE INDEX {name}_of_agent ON {name} (agent) WHERE {active};")),
        Kept::Requests => {
            text.push_str("CREATE INDEX requests_of_run ON requests (run) WHERE run IS NOT NULL;")
        }
        // Of runs and calls, all that are active are looked at by a restart: another index would be
        // written for every call.
        Kept::Grants => {
            text.push_str("CREATE INDEX grants_running ON grants (state) WHERE state = 'reserved';")
        }
        Kept::Sessions
        | Kept::Calls
        | Kept::Runs
        | Kept::Gestures
        | Kept::Proposals
        | Kept::Nodes => {}
    }
    if let Some(over) = kept.final_states() {
        text.push_str(&format!(
            "CREATE TRIGGER {name}_over BEFORE UPDATE OF state ON {name}
                 WHEN NEW.state <> OLD.state AND ({})
                 BEGIN SELECT raise(ABORT, 'what is over in {name} stays over'); END;",
            one_of(over).replace("state =", "OLD.state =")
        ));
    }
    text
}

/// Whether a state is one of these, without the table that SQLite would build for a list.
fn one_of(states: &str) -> String {
    let each = states.split(", ").map(|state| format!("state = {}", state.trim()));
    each.collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Need, Sqlite, Store};
    use countersign_core::ledger::verify;
    use countersign_core::model::change::Change;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;
    use std::path::Path;

    /// What a later version might do to tables that hold something.
    fn renamed() -> String {
        "ALTER TABLE paused RENAME COLUMN agent TO who;".to_owned()
    }

    fn broken() -> String {
        "ALTER TABLE paused RENAME COLUMN agent TO who; SELECT * FROM nowhere;".to_owned()
    }

    /// A store of today with something in it.
    fn filled(folder: &Path) -> Database {
        let store = Sqlite::open(&folder.join("store")).unwrap();
        let agent = Agent::parse("coder").unwrap();
        let changes = vec![Change::AgentPaused { agent }];
        store.commit(&Need::nothing(), Time::from_micros(1), changes).unwrap();
        drop(store);
        Database::open(&folder.join("store/countersign.db")).unwrap()
    }

    fn paused(database: &Database, column: &str) -> String {
        let sql = format!("SELECT {column} FROM paused");
        database.connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_step_keeps_what_is_there_and_an_older_program_then_refuses_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = filled(folder.path());
        let before = database.page(0, 10).unwrap();
        take(&mut database, &[first, second, renamed]).unwrap();
        assert_eq!(database.version().unwrap(), 3);
        assert_eq!(paused(&database, "who"), "coder");
        assert_eq!(database.page(0, 10).unwrap(), before);
        verify(&before).unwrap();
        // Taken once is taken.
        take(&mut database, &[first, second, renamed]).unwrap();
        drop(database);
        let refused = Sqlite::open(&folder.path().join("store")).err().unwrap().to_string();
        assert!(refused.contains("version 3") && refused.contains("newer program"), "{refused}");
    }

    #[test]
    fn a_step_that_fails_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = filled(folder.path());
        assert!(take(&mut database, &[first, second, broken]).is_err());
        assert_eq!(database.version().unwrap(), 2);
        assert_eq!(paused(&database, "agent"), "coder");
        drop(database);
        assert_eq!(
            Sqlite::open(&folder.path().join("store")).unwrap().page(0, 9).unwrap().len(),
            1
        );
    }
}

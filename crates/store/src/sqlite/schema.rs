//! The tables, and the steps that lead to them from older versions.
//!
//! Each step is one transaction with the version it leads to, so that a crash leaves the version
//! before. An older program refuses what a newer one wrote.

use super::database::{Database, failed};
use crate::rows::Kept;
use crate::{StoreError, is_known};

/// Steps in order; the version of a file is how many of them it has taken.
const STEPS: [fn() -> String; 1] = [first];

pub(super) fn migrate(database: &mut Database) -> Result<(), StoreError> {
    let found = database.version()?;
    is_known(found, STEPS.len())?;
    for (step, version) in STEPS.iter().zip(1..).skip(found) {
        let text = format!("BEGIN IMMEDIATE; {} PRAGMA user_version = {version}; COMMIT;", step());
        let done = database.connection.execute_batch(&text);
        done.map_err(|error| failed("changing the tables", &error))?;
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
             text TEXT NOT NULL CHECK (json_valid(text))
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

fn table(kept: Kept) -> String {
    let (name, states, active) = (kept.table(), kept.states(), kept.active());
    let mut text = format!(
        "CREATE TABLE {name} (
             place INTEGER PRIMARY KEY,
             key TEXT NOT NULL UNIQUE,
             session TEXT,
             project TEXT,
             agent TEXT,
             run TEXT,
             state TEXT NOT NULL CHECK (state IN ({states})),
             due INTEGER,
             body TEXT NOT NULL CHECK (json_valid(body))
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
        Kept::Calls | Kept::Runs | Kept::Grants => text.push_str(&format!(
            "CREATE INDEX {name}_running ON {name} (state)
                 WHERE state IN ('executing', 'live', 'reserved');"
        )),
        Kept::Sessions | Kept::Gestures | Kept::Proposals => {}
    }
    if let Some(over) = kept.final_states() {
        text.push_str(&format!(
            "CREATE TRIGGER {name}_over BEFORE UPDATE OF state ON {name}
                 WHEN OLD.state IN ({over}) AND NEW.state <> OLD.state
                 BEGIN SELECT raise(ABORT, 'what is over in {name} stays over'); END;"
        ));
    }
    text
}

//! The tables, and the migrations from older versions.
//!
//! Each migration is one transaction together with its version number, so that a crash leaves the
//! version before. An older program refuses tables that a newer one has migrated.

use super::database::{SqliteDatabase, sqlite_error};
use crate::questions::ALL_AGENTS;
use crate::rows::RowKind;
use crate::{StoreError, check_not_newer};

/// In order. The version of a file is the number of its migrations.
const MIGRATIONS: [SqliteMigration; 6] = [
    create_tables,
    index_grants_in_force,
    count_open_questions,
    index_closed_requests,
    create_results,
    let_used_grants_be_revoked,
];

type SqliteMigration = fn() -> String;

pub(super) fn migrate(database: &mut SqliteDatabase) -> Result<(), StoreError> {
    apply_migrations(database, &MIGRATIONS)
}

fn apply_migrations(
    database: &mut SqliteDatabase,
    migrations: &[SqliteMigration],
) -> Result<(), StoreError> {
    let found = database.version()?;
    check_not_newer(found, migrations.len())?;
    for (migration, version) in migrations.iter().zip(1..).skip(found) {
        let text =
            format!("BEGIN IMMEDIATE; {} PRAGMA user_version = {version}; COMMIT;", migration());
        database.connection.execute_batch(&text).map_err(|error| {
            let _undone = database.connection.execute_batch("ROLLBACK");
            sqlite_error("changing the tables", &error)
        })?;
    }
    Ok(())
}

/// Refuses tables of any other version.
pub(super) fn check_version(database: &SqliteDatabase) -> Result<(), StoreError> {
    crate::reader::check_same_version(database.version()?, MIGRATIONS.len())
}

fn create_tables() -> String {
    let mut text = RowKind::ALL.map(create_table_sql).concat();
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
             BEGIN SELECT raise(ABORT, 'what is kind apart is erased or stays as it is'); END;
         CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
             BEGIN SELECT raise(ABORT, 'an entry of the ledger is never changed'); END;
         CREATE TRIGGER entries_remain BEFORE DELETE ON entries
             BEGIN SELECT raise(ABORT, 'an entry of the ledger is never deleted'); END;",
    );
    text
}

/// Lists grants in force without scanning the ended ones.
fn index_grants_in_force() -> String {
    "CREATE INDEX grants_in_force ON grants (key)
         WHERE state <> 'spent' AND state <> 'revoked' AND state <> 'ended';"
        .to_owned()
}

/// Counts open questions as they are opened and closed, so that nobody has to count them, and lists
/// a page of open requests without sorting all of them.
fn count_open_questions() -> String {
    format!(
        "CREATE INDEX requests_open ON requests (key) WHERE due IS NOT NULL;
         CREATE TABLE open_questions (agent TEXT PRIMARY KEY, open INTEGER NOT NULL) STRICT, WITHOUT ROWID;
         UPDATE requests SET agent = NULL WHERE json_type(body, '$.subject.imported') IS NOT NULL;
         INSERT INTO open_questions SELECT agent, count(*) FROM requests
             WHERE state = 'open' AND agent IS NOT NULL GROUP BY agent;
         INSERT INTO open_questions SELECT '{ALL_AGENTS}', coalesce(sum(open), 0) FROM open_questions;
         CREATE TRIGGER question_opened AFTER INSERT ON requests
             WHEN NEW.state = 'open' AND NEW.agent IS NOT NULL
             BEGIN INSERT INTO open_questions VALUES (NEW.agent, 1), ('{ALL_AGENTS}', 1)
                 ON CONFLICT (agent) DO UPDATE SET open = open + 1; END;
         CREATE TRIGGER question_closed AFTER UPDATE OF state ON requests
             WHEN OLD.state = 'open' AND NEW.state <> 'open' AND NEW.agent IS NOT NULL
             BEGIN UPDATE open_questions SET open = open - 1
                 WHERE agent = NEW.agent OR agent = '{ALL_AGENTS}';
                 DELETE FROM open_questions WHERE agent = NEW.agent AND open = 0; END;"
    )
}

/// Lists what an operator answered to an agent without scanning the requests of others. It is written
/// when a request closes, not when it opens.
fn index_closed_requests() -> String {
    "CREATE INDEX requests_closed ON requests (agent, key)
         WHERE state = 'closed' AND agent IS NOT NULL;"
        .to_owned()
}

/// Results of calls, apart from state and ledger: nothing is decided on them, and they end.
fn create_results() -> String {
    "CREATE TABLE results (call TEXT PRIMARY KEY, text TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
     CREATE INDEX results_until ON results (until);"
        .to_owned()
}

/// Until this version the trigger refused to revoke a grant that a running call had used up, and with
/// it the whole revocation.
fn let_used_grants_be_revoked() -> String {
    format!("DROP TRIGGER grants_over; {}", guard_final_states(RowKind::Grants))
}

fn create_table_sql(kind: RowKind) -> String {
    let (name, states, active) = (kind.table(), any_state(kind.states()), kind.active());
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
    match kind {
        RowKind::Declined | RowKind::CarriedOver | RowKind::Notices => text
            .push_str(&format!("CREATE INDEX {name}_of_agent ON {name} (agent) WHERE {active};")),
        RowKind::Requests => {
            text.push_str("CREATE INDEX requests_of_run ON requests (run) WHERE run IS NOT NULL;")
        }
        // A restart scans all active runs and calls: another index would cost a write for every
        // call.
        RowKind::Grants => {
            text.push_str("CREATE INDEX grants_running ON grants (state) WHERE state = 'reserved';")
        }
        RowKind::Sessions
        | RowKind::Calls
        | RowKind::Runs
        | RowKind::Gestures
        | RowKind::Proposals
        | RowKind::Nodes => {}
    }
    text.push_str(&guard_final_states(kind));
    text
}

/// A trigger that refuses to change what is over.
fn guard_final_states(kind: RowKind) -> String {
    let (name, Some(ended)) = (kind.table(), kind.final_states()) else { return String::new() };
    let is_over = any_state(ended).replace("state =", "OLD.state =");
    let but = kind.may_still_become().map_or_else(String::new, |(from, to)| {
        format!(" AND NOT (OLD.state = '{from}' AND NEW.state = '{to}')")
    });
    format!(
        "CREATE TRIGGER {name}_over BEFORE UPDATE OF state ON {name}
             WHEN NEW.state <> OLD.state AND ({is_over}){but}
             BEGIN SELECT raise(ABORT, 'what is over in {name} stays over'); END;"
    )
}

/// A condition for one of these states, without the temporary table that SQLite builds for `IN`.
fn any_state(states: &str) -> String {
    let each = states.split(", ").map(|state| format!("state = {}", state.trim()));
    each.collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sqlite;
    use crate::migration_contract::{LaterMigration, MigratedDatabase, run_migration_contract};
    use countersign_ledger::Entry;

    struct SqliteFolder(tempfile::TempDir);

    impl SqliteFolder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn database(&self) -> SqliteDatabase {
            SqliteDatabase::open(&self.0.path().join("store/countersign.db")).unwrap()
        }
    }

    impl MigratedDatabase for SqliteFolder {
        type Store = Sqlite;

        fn open_store(&self) -> Result<Sqlite, StoreError> {
            Sqlite::open(&self.0.path().join("store"))
        }

        fn migrate_with(&self, later: LaterMigration) -> Result<(), StoreError> {
            let later: SqliteMigration = match later {
                LaterMigration::RenameColumn => rename_column,
                LaterMigration::FailHalfWay => fail_half_way,
            };
            apply_migrations(&mut self.database(), &[&MIGRATIONS[..], &[later]].concat())
        }

        fn version(&self) -> usize {
            self.database().version().unwrap()
        }

        fn read_entries(&self) -> Vec<Entry> {
            self.database().read_entries(0, 10).unwrap()
        }

        fn paused_agent(&self, column: &str) -> String {
            let sql = format!("SELECT {column} FROM paused");
            self.database().connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        }
    }

    fn rename_column() -> String {
        "ALTER TABLE paused RENAME COLUMN agent TO who;".to_owned()
    }

    fn fail_half_way() -> String {
        format!("{} SELECT * FROM nowhere;", rename_column())
    }

    run_migration_contract!(SqliteFolder::new());
}

//! The contract of migrations: one list of tests, and each runs on every database.

use crate::{Commit, ReadScope, Store, StoreError};
use countersign_core::model::change::Change;
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_ledger::{Entry, verify};

/// A migration that a later version might bring.
#[derive(Clone, Copy)]
pub(crate) enum LaterMigration {
    RenameColumn,
    FailHalfWay,
}

/// A place for one database of the present version.
pub(crate) trait MigratedDatabase {
    type Store: Store;

    fn open_store(&self) -> Result<Self::Store, StoreError>;

    /// Applies the migrations of the present version and one more.
    fn migrate_with(&self, later: LaterMigration) -> Result<(), StoreError>;

    fn version(&self) -> usize;

    fn read_entries(&self) -> Vec<Entry>;

    /// The only paused agent, from this column.
    fn paused_agent(&self, column: &str) -> String;
}

fn pause_agent(database: &impl MigratedDatabase) {
    let changes = vec![Change::AgentPaused { agent: Agent::parse("coder").unwrap() }];
    let store = database.open_store().unwrap();
    let scope = ReadScope::globals();
    let basis = store.read(&scope).unwrap().basis;
    store.commit(Commit { scope, basis, at: Time::from_micros(1), changes }).unwrap();
}

pub(crate) fn a_migration_keeps_the_rows_and_an_older_program_then_refuses_them(
    database: &impl MigratedDatabase,
) {
    pause_agent(database);
    let before = database.read_entries();
    database.migrate_with(LaterMigration::RenameColumn).unwrap();
    assert_eq!(database.version(), 7);
    assert_eq!(database.paused_agent("who"), "coder");
    assert_eq!(database.read_entries(), before);
    verify(&before).unwrap();
    // Applying it again changes nothing.
    database.migrate_with(LaterMigration::RenameColumn).unwrap();
    let refused = database.open_store().err().unwrap().to_string();
    assert!(refused.contains("version 7") && refused.contains("newer program"), "{refused}");
}

pub(crate) fn a_failed_migration_changes_nothing(database: &impl MigratedDatabase) {
    pause_agent(database);
    assert!(database.migrate_with(LaterMigration::FailHalfWay).is_err());
    assert_eq!(database.version(), 6);
    assert_eq!(database.paused_agent("agent"), "coder");
    assert_eq!(database.open_store().unwrap().read_entries(0, 9).unwrap().len(), 1);
}

/// Runs the contract on one database; the argument makes a new place.
macro_rules! run_migration_contract {
    ($new:expr) => {
        run_migration_contract!(@tests $new,
            a_migration_keeps_the_rows_and_an_older_program_then_refuses_them,
            a_failed_migration_changes_nothing,
        );
    };
    (@tests $new:expr, $($test:ident,)*) => {
        $(
            #[test]
            fn $test() {
                crate::migration_contract::$test(&$new);
            }
        )*
    };
}

pub(crate) use run_migration_contract;

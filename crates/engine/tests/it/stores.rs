//! The three stores under one engine: what one of them does, all of them do; and what only a
//! database can do wrong.

mod child;
mod consent;
mod contract;
mod crash;
mod failing;
mod fast_path;
mod faults;
mod identical_calls;
mod imports;
mod listing;
mod nodes;
mod notices;
mod once;
mod place;
mod questions;
mod races;
mod reading;
mod repeats;
mod results;
mod sealed;
mod secret_texts;
mod sessions;
mod sqlite;
mod stopping;
mod syncs;
mod time;

use countersign_engine::{ChangeFeed, DatabaseClock, Postgres, PostgresSettings, Sqlite};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// A folder without a disk under it, where there is one.
pub(crate) fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn sqlite(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("store")).unwrap()
}

/// A schema that nobody else uses.
fn schema() -> PostgresSettings {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
    let number = MADE.fetch_add(1, Ordering::SeqCst);
    settings.schema = format!("engine_{}_{number}", std::process::id());
    settings
}

pub(crate) fn postgres() -> Postgres {
    let mut settings = schema();
    (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
    Postgres::open(settings).unwrap()
}

//! How SQLite would find what it is asked for: by an index, whatever else is stored.

use super::database::Database;
use super::listing::listing;
use super::queries::{ASKED, DUE, PAGE, SEALED, selecting};
use super::schema::migrate;
use crate::load::By;
use crate::rows::Kept;
use crate::{Listing, Of, Which};
use countersign_core::model::names::SessionName;
use rusqlite::Connection;

fn database() -> Database {
    let mut database = Database { connection: Connection::open_in_memory().unwrap() };
    migrate(&mut database).unwrap();
    database
}

fn plan(database: &Database, sql: &str) -> Vec<String> {
    let mut statement = database.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let wanted = statement.parameter_count();
    let values = rusqlite::params_from_iter(std::iter::repeat_n("", wanted));
    let lines = statement.query_map(values, |row| row.get(3)).unwrap();
    lines.map(Result::unwrap).collect()
}

/// What is looked for while something is decided, answered, taken back or swept.
fn lookups() -> Vec<String> {
    let of_session =
        [Kept::Grants, Kept::Requests, Kept::Calls, Kept::Runs, Kept::Gestures, Kept::Proposals];
    let keys = Kept::ALL.map(|kept| (kept, By::Key("")));
    let sessions = of_session.map(|kept| (kept, By::Session("")));
    let projects = [Kept::Grants, Kept::Sessions].map(|kept| (kept, By::Project("")));
    let agents = [Kept::Declined, Kept::Notices].map(|kept| (kept, By::Agent("")));
    let running = [(Kept::Grants, By::State("reserved"))];
    let runs = [(Kept::Requests, By::Run(""))];
    let all = keys.into_iter().chain(sessions).chain(projects).chain(agents);
    let all = all.chain(running).chain(runs).map(|(kept, by)| selecting(kept, by).0);
    all.chain([ASKED, DUE, PAGE, SEALED].map(str::to_owned)).collect()
}

#[test]
fn whatever_a_step_looks_for_is_found_by_an_index() {
    let database = database();
    for sql in lookups() {
        let found = plan(&database, &sql);
        let looks = found.iter().filter(|line| line.starts_with("SCAN"));
        assert_eq!(looks.collect::<Vec<_>>(), Vec::<&String>::new(), "{sql}");
        assert!(found.iter().any(|line| line.starts_with("SEARCH")), "{sql}: {found:?}");
    }
}

#[test]
fn what_is_listed_whole_is_read_from_an_index_of_just_that() {
    let database = database();
    let listed = [
        (Kept::Grants, By::Projects),
        (Kept::Notices, By::Active),
        (Kept::Calls, By::State("executing")),
        (Kept::Runs, By::State("live")),
        (Kept::Runs, By::State("suspended")),
    ];
    for (kept, by) in listed {
        let found = plan(&database, &selecting(kept, by).0);
        let index = format!("USING INDEX {}_of_", kept.table());
        assert!(found.iter().any(|line| line.contains(&index)), "{found:?}");
    }
}

#[test]
fn a_page_of_grants_is_read_from_an_index_and_needs_no_sorting_of_all() {
    let database = database();
    let s1 = || Of::Session(SessionName::parse("s1").unwrap());
    let pages = [
        (Which::InForce, Of::Everybody, "grants_in_force"),
        (Which::InForce, s1(), "grants_of_session"),
        (Which::InForce, Of::Projects, "grants_of_project"),
        (Which::Used, s1(), "sqlite_autoindex_grants_1"),
        (Which::All, Of::Everybody, "sqlite_autoindex_grants_1"),
    ];
    for (which, of, index) in pages {
        let sorts = matches!(of, Of::Session(_) | Of::Projects) && which == Which::InForce;
        let page = Listing { which, of, before: None, most: 10 };
        let found = plan(&database, &listing(&page).0).join("; ");
        assert!(found.contains(index), "{found}");
        assert_eq!(found.contains("TEMP B-TREE"), sorts, "{found}");
    }
}

#[test]
fn a_table_without_its_index_is_looked_through_and_noticed() {
    let database = database();
    database.connection.execute_batch("DROP INDEX calls_of_session").unwrap();
    let found = plan(&database, &selecting(Kept::Calls, By::Session("")).0);
    assert!(found.iter().any(|line| line.starts_with("SCAN")), "{found:?}");
}

//! Checks on the query plans: SQLite finds everything by an index, however much is stored.

use super::database::SqliteDatabase;
use super::listing::grant_query_sql;
use super::queries::{
    CLOSED_REQUESTS, ENTRIES, OPEN_REQUESTS, SEALED_TEXTS, SESSIONS_DUE, select_sql,
};
use super::results::{DROP_ENDED_RESULTS, FIND_RESULT};
use super::schema::migrate;
use crate::load::RowFilter;
use crate::rows::RowKind;
use crate::{GrantOwnerFilter, GrantQuery, GrantStatusFilter};
use countersign_core::model::names::SessionKey;
use rusqlite::Connection;

fn database() -> SqliteDatabase {
    let mut database = SqliteDatabase { connection: Connection::open_in_memory().unwrap() };
    migrate(&mut database).unwrap();
    database
}

fn plan(database: &SqliteDatabase, sql: &str) -> Vec<String> {
    let mut statement = database.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let wanted = statement.parameter_count();
    let values = rusqlite::params_from_iter(std::iter::repeat_n("", wanted));
    let lines = statement.query_map(values, |row| row.get(3)).unwrap();
    lines.map(Result::unwrap).collect()
}

/// The queries that decisions, answers, revocations and sweeps run.
fn lookups() -> Vec<String> {
    let of_session = [
        RowKind::Grants,
        RowKind::Requests,
        RowKind::Calls,
        RowKind::Runs,
        RowKind::Gestures,
        RowKind::Proposals,
    ];
    let keys = RowKind::ALL.map(|kind| (kind, RowFilter::Key("")));
    let sessions = of_session.map(|kind| (kind, RowFilter::Session("")));
    let projects = [RowKind::Grants, RowKind::Sessions].map(|kind| (kind, RowFilter::Project("")));
    let agents = [RowKind::Declined, RowKind::CarriedOver, RowKind::Notices]
        .map(|kind| (kind, RowFilter::Agent("")));
    let running = [(RowKind::Grants, RowFilter::State("reserved"))];
    let runs = [(RowKind::Requests, RowFilter::Run(""))];
    let all = keys.into_iter().chain(sessions).chain(projects).chain(agents);
    let all = all.chain(running).chain(runs).map(|(kind, filter)| select_sql(kind, filter).0);
    let results = [FIND_RESULT, DROP_ENDED_RESULTS].map(str::to_owned);
    all.chain(results)
        .chain(
            [OPEN_REQUESTS, CLOSED_REQUESTS, SESSIONS_DUE, ENTRIES, SEALED_TEXTS]
                .map(str::to_owned),
        )
        .collect()
}

#[test]
fn every_query_of_a_step_uses_an_index() {
    let database = database();
    for sql in lookups() {
        let found = plan(&database, &sql);
        let looks = found.iter().filter(|line| line.starts_with("SCAN"));
        assert_eq!(looks.collect::<Vec<_>>(), Vec::<&String>::new(), "{sql}");
        assert!(found.iter().any(|line| line.starts_with("SEARCH")), "{sql}: {found:?}");
    }
}

#[test]
fn a_list_of_all_active_rows_is_read_from_a_partial_index() {
    let database = database();
    let listed = [
        (RowKind::Grants, RowFilter::Projects),
        (RowKind::Notices, RowFilter::Active),
        (RowKind::Calls, RowFilter::State("executing")),
        (RowKind::Runs, RowFilter::State("live")),
        (RowKind::Runs, RowFilter::State("suspended")),
    ];
    for (kind, filter) in listed {
        let found = plan(&database, &select_sql(kind, filter).0);
        let index = format!("USING INDEX {}_of_", kind.table());
        assert!(found.iter().any(|line| line.contains(&index)), "{found:?}");
    }
}

#[test]
fn a_page_of_grants_is_read_from_an_index_without_sorting_all_grants() {
    let database = database();
    let s1 = || GrantOwnerFilter::Session(SessionKey::parse("coder s1").unwrap());
    let pages = [
        (GrantStatusFilter::InForce, GrantOwnerFilter::Anyone, "grants_in_force"),
        (GrantStatusFilter::InForce, s1(), "grants_of_session"),
        (GrantStatusFilter::InForce, GrantOwnerFilter::AnyProject, "grants_of_project"),
        (GrantStatusFilter::Used, s1(), "sqlite_autoindex_grants_1"),
        (GrantStatusFilter::All, GrantOwnerFilter::Anyone, "sqlite_autoindex_grants_1"),
    ];
    for (status, owner, index) in pages {
        let sorts = matches!(owner, GrantOwnerFilter::Session(_) | GrantOwnerFilter::AnyProject)
            && status == GrantStatusFilter::InForce;
        let page = GrantQuery { status, owner, before: None, limit: 10 };
        let found = plan(&database, &grant_query_sql(&page).0).join("; ");
        assert!(found.contains(index), "{found}");
        assert_eq!(found.contains("TEMP B-TREE"), sorts, "{found}");
    }
}

#[test]
fn a_missing_index_shows_as_a_scan() {
    let database = database();
    database.connection.execute_batch("DROP INDEX calls_of_session").unwrap();
    let found = plan(&database, &select_sql(RowKind::Calls, RowFilter::Session("")).0);
    assert!(found.iter().any(|line| line.starts_with("SCAN")), "{found:?}");
}

//! The contract of the stores: one list of tests, and each runs on every backend.

use super::{in_memory, schema};
use crate::world::on;
use countersign_engine::{
    ChangeFeed, DatabaseClock, Engine, Memory, Postgres, PostgresSettings, Sqlite, Store,
};
use std::sync::Arc;
use tempfile::TempDir;

/// A place for one store.
pub(super) trait Backend {
    type Store: Store;

    /// Opens the store. What was committed through an earlier one is still in it.
    fn open(&self) -> Self::Store;

    /// As many engines as may work on the store at the same time: one, or two nodes.
    fn open_engines(&self) -> Vec<Engine<Self::Store>> {
        vec![on(self.open())]
    }

    /// How many of so many rounds a test with many threads runs here.
    fn rounds(&self, rounds: usize) -> usize {
        rounds / 10
    }
}

struct InMemory(Arc<Memory>);

impl InMemory {
    fn new() -> Self {
        Self(Arc::new(Memory::empty()))
    }
}

impl Backend for InMemory {
    type Store = Arc<Memory>;

    fn open(&self) -> Arc<Memory> {
        Arc::clone(&self.0)
    }
}

struct OnSqlite(TempDir);

impl OnSqlite {
    fn new() -> Self {
        Self(in_memory())
    }
}

impl Backend for OnSqlite {
    type Store = Sqlite;

    fn open(&self) -> Sqlite {
        super::sqlite(self.0.path())
    }

    fn rounds(&self, rounds: usize) -> usize {
        rounds
    }
}

struct OnSqliteWithoutCache(TempDir);

impl OnSqliteWithoutCache {
    fn new() -> Self {
        Self(in_memory())
    }
}

impl Backend for OnSqliteWithoutCache {
    type Store = Sqlite;

    fn open(&self) -> Sqlite {
        super::sqlite(self.0.path()).without_cache()
    }
}

struct OnPostgres(PostgresSettings);

impl OnPostgres {
    fn new() -> Self {
        Self(schema())
    }
}

impl Backend for OnPostgres {
    type Store = Postgres;

    fn open(&self) -> Postgres {
        let mut settings = self.0.clone();
        (settings.change_feed, settings.clock) = (ChangeFeed::Poll, DatabaseClock::Ignored);
        Postgres::open(settings).unwrap()
    }

    fn open_engines(&self) -> Vec<Engine<Postgres>> {
        (0..2).map(|_| on(Postgres::open(self.0.clone()).unwrap())).collect()
    }
}

macro_rules! run_on_every_backend {
    ($($module:ident::$test:ident,)*) => {
        run_on_every_backend!(@backend memory InMemory $($module::$test,)*);
        run_on_every_backend!(@backend sqlite OnSqlite $($module::$test,)*);
        run_on_every_backend!(@backend sqlite_without_cache OnSqliteWithoutCache $($module::$test,)*);
        run_on_every_backend!(@backend postgres OnPostgres $($module::$test,)*);
    };
    (@backend $name:ident $backend:ident $($module:ident::$test:ident,)*) => {
        mod $name {
            $(
                #[test]
                fn $test() {
                    super::super::$module::$test(&super::$backend::new());
                }
            )*
        }
    };
}

run_on_every_backend! {
    consent::a_yes_is_given_used_and_revoked,
    consent::sessions_are_kept_apart_and_a_pause_reaches_all_of_them,
    consent::open_requests_are_listed_in_pages,
    consent::a_commit_with_a_change_that_was_made_already_is_refused_whole,
    identical_calls::a_request_lists_some_of_its_calls_and_counts_the_rest,
    identical_calls::a_cancelled_call_leaves_the_request_to_the_others,
    imports::the_same_grant_imported_twice_at_once_opens_one_question,
    imports::the_first_use_of_an_imported_blanket_is_recorded_once,
    listing::grants_are_listed_page_by_page,
    listing::closed_requests_are_listed_page_by_page,
    listing::an_id_is_found_by_its_beginning,
    listing::sessions_of_all_agents_are_found_by_their_name,
    notices::alerts_are_counted_and_acknowledged,
    notices::one_agent_raises_a_bounded_number_of_alerts,
    questions::open_questions_are_limited,
    questions::questions_of_a_session_are_limited,
    questions::simultaneous_callers_exceed_the_limit_by_their_number_at_most,
    once::one_of_64_callers_wins_a_once_grant,
    races::one_event_goes_to_one_destination,
    races::one_digest_has_one_open_request,
    races::a_grant_that_is_revoked_twice_at_once_stays_in_the_record,
    races::every_use_of_a_grant_is_counted,
    races::decisions_beside_a_pause_are_replayed,
    races::an_operator_is_not_starved_by_a_busy_session,
    repeats::a_call_is_tried_five_times_with_growing_waits,
    results::a_result_is_found_by_its_owner_after_a_restart_until_it_ends,
    results::every_node_finds_a_result,
    results::a_result_that_is_long_or_secret_is_not_kept,
    results::an_erased_call_keeps_no_result,
    results::results_are_limited_and_the_newest_stay,
    sealed::the_arguments_of_a_finished_call_are_erased_and_the_ledger_verifies,
    sessions::what_belongs_to_a_session_ends_with_it,
    sessions::an_agent_sheds_nothing_by_ending_its_session,
    sessions::a_session_that_the_operator_ends_leaves_nothing_behind,
    sessions::a_day_without_a_call_ends_a_session,
    stopping::a_decline_and_its_stop_are_one_commit,
    stopping::a_decline_that_is_not_recorded_stops_nothing,
    time::a_clock_set_back_extends_no_grant,
    time::time_goes_on_from_the_last_commit_after_a_reboot,
}

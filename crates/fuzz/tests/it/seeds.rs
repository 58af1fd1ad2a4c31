//! The property of every target holds for its seeds and some mutations of them.
//!
//! The graphs, stories and command lines of the repository have their own tests and are left out.

use countersign_fuzz::search::{Finding, FuzzSearch, SearchControl};
use countersign_fuzz::{seeds, targets};
use std::time::Duration;

/// Enough to notice a parser that often fails; a search of a minute tries a thousand times more.
const MUTATIONS: u64 = 500;
/// Fewer, because Cedar is slow without optimisation.
const POLICY_MUTATIONS: u64 = 60;
/// Generous, because tests are not optimised and run in parallel.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn check_target(name: &str, mutations: u64) {
    let target = targets::find_target(name).unwrap();
    let search = FuzzSearch::with_seeds(target, seeds::load_seeds(name).unwrap(), 1, TIME_LIMIT);
    let report = search.run(|_, progress| {
        let wanted = u64::try_from(progress.seeds).unwrap() + mutations;
        if progress.inputs_tried < wanted { SearchControl::Continue } else { SearchControl::Stop }
    });
    assert_eq!(report.findings, Vec::<Finding>::new());
    assert!(report.seeds >= 5, "{} seeds", report.seeds);
    assert!(report.features >= 30, "{} features", report.features);
}

#[test]
fn the_property_of_graphs_holds() {
    check_target("graph", MUTATIONS);
}

#[test]
fn the_property_of_policies_holds() {
    check_target("policy", POLICY_MUTATIONS);
}

#[test]
fn the_property_of_cases_holds() {
    check_target("case", MUTATIONS);
}

#[test]
fn the_property_of_calls_holds() {
    check_target("call", MUTATIONS);
}

#[test]
fn the_property_of_commands_holds() {
    check_target("command", MUTATIONS);
}

#[test]
fn the_property_of_entries_holds() {
    check_target("entry", MUTATIONS);
}

#[test]
fn the_property_of_old_grants_holds() {
    check_target("grants", MUTATIONS);
}

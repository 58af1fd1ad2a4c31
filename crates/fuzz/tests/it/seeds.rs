//! The seeds of every target hold, and so do some mutations of them: a search as short as a test.
//!
//! Graphs, stories and command lines of the repository are seeds too; their own tests run those.

use countersign_fuzz::drive::{Finding, Search, Watched};
use countersign_fuzz::{seeds, targets};
use std::time::Duration;

/// Enough to notice a reader that stumbles often; a search of a minute tries a thousand times more.
const MUTATIONS: u64 = 500;
/// Cedar that is not optimised takes its time.
const OF_POLICIES: u64 = 60;
/// Tests are not optimised and run beside each other.
const PATIENCE: Duration = Duration::from_secs(20);

fn check(name: &str, mutations: u64) {
    let target = targets::find(name).unwrap();
    let search = Search::over(target, seeds::own(name).unwrap(), 1, PATIENCE);
    let report = search.run(|_, so_far| {
        let wanted = u64::try_from(so_far.seeds).unwrap() + mutations;
        if so_far.tried < wanted { Watched::GoOn } else { Watched::Stop }
    });
    assert_eq!(report.findings, Vec::<Finding>::new());
    assert!(report.seeds >= 5, "{} seeds", report.seeds);
    assert!(report.traits >= 30, "{} traits", report.traits);
}

#[test]
fn graphs_hold() {
    check("graph", MUTATIONS);
}

#[test]
fn policies_hold() {
    check("policy", OF_POLICIES);
}

#[test]
fn cases_hold() {
    check("case", MUTATIONS);
}

#[test]
fn calls_hold() {
    check("call", MUTATIONS);
}

#[test]
fn commands_hold() {
    check("command", MUTATIONS);
}

#[test]
fn entries_hold() {
    check("entry", MUTATIONS);
}

#[test]
fn old_grants_hold() {
    check("grants", MUTATIONS);
}

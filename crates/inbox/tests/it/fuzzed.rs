//! No accidental answer in some hundred random trials at a pseudo-terminal with a full screen. Each
//! planted bug is found.

use crate::display::Screens;
use crate::fuzz::{PlantedBug, run_trials};

/// The emulator checks it while it is written.
fn check_nothing(_: &str) -> Result<(), String> {
    Ok(())
}

/// Five hundred trials in five tests, which run beside each other.
fn try_hundred(first_seed: u64) {
    let counts = run_trials(first_seed, 100, None, Screens::default, check_nothing)
        .unwrap_or_else(|why| panic!("{why}"));
    // Otherwise the trials tested nothing.
    assert!(counts.cards > 200 && counts.keys > 2_000, "{counts:?}");
    assert!(counts.answers > 60 && counts.approvals > 20, "{counts:?}");
}

#[test]
fn nothing_is_answered_by_accident_1() {
    try_hundred(1);
}

#[test]
fn nothing_is_answered_by_accident_2() {
    try_hundred(101);
}

#[test]
fn nothing_is_answered_by_accident_3() {
    try_hundred(201);
}

#[test]
fn nothing_is_answered_by_accident_4() {
    try_hundred(301);
}

#[test]
fn nothing_is_answered_by_accident_5() {
    try_hundred(401);
}

#[test]
fn a_planted_bug_is_found() {
    for bug in [
        PlantedBug::DelaysInput,
        PlantedBug::StripsPasteBrackets,
        PlantedBug::EnterIsYes,
        PlantedBug::NoQuietPeriod,
        PlantedBug::TearsSequences,
        PlantedBug::QuestionIsNo,
    ] {
        let found = run_trials(1, 100, Some(bug), Screens::default, check_nothing);
        assert!(found.is_err(), "{bug:?} was not found");
    }
}

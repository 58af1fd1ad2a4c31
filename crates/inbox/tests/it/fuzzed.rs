//! No accidental answer in some hundred random trials at a pseudo-terminal with a full screen. Each
//! planted bug is found.

use crate::display::Screens;
use crate::fuzz::{PlantedBug, run_trials};

/// The emulator checks it while it is written.
fn check_nothing(_: &str) -> Result<(), String> {
    Ok(())
}

#[test]
fn nothing_is_answered_by_accident() {
    let counts = run_trials(1, 500, None, Screens::default, check_nothing)
        .unwrap_or_else(|why| panic!("{why}"));
    // Otherwise the trials tested nothing.
    assert!(counts.cards > 1_000 && counts.keys > 10_000, "{counts:?}");
    assert!(counts.answers > 300 && counts.approvals > 100, "{counts:?}");
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
        let found = run_trials(1, 500, Some(bug), Screens::default, check_nothing);
        assert!(found.is_err(), "{bug:?} was not found");
    }
}

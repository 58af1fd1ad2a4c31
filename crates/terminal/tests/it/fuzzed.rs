//! No accidental answer in some hundred random trials at a pseudo-terminal. Each planted bug is
//! found.

use crate::fuzz::{Lines, PlantedBug, check_lines, run_trials};

#[test]
fn nothing_is_answered_by_accident() {
    let counts =
        run_trials(1, 500, None, Lines::default, check_lines).unwrap_or_else(|why| panic!("{why}"));
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
        let found = run_trials(1, 500, Some(bug), Lines::default, check_lines);
        assert!(found.is_err(), "{bug:?} was not found");
    }
}

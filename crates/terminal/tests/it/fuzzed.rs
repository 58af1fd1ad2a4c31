//! No accidental answer, in some hundred evenings at a real pseudo-terminal; and each planted fault
//! is found.

use crate::fuzz::{Fault, evenings};

#[test]
fn nothing_is_answered_by_accident() {
    let tally = evenings(1, 500, None).unwrap_or_else(|why| panic!("{why}"));
    // Otherwise nothing was put to the test.
    assert!(tally.cards > 1_000 && tally.keys > 10_000, "{tally:?}");
    assert!(tally.answers > 300 && tally.yeses > 100, "{tally:?}");
}

#[test]
fn a_planted_fault_is_found() {
    for fault in [
        Fault::KeepsWhatWasTyped,
        Fault::TakesBracketsOff,
        Fault::EnterIsYes,
        Fault::NoGuard,
        Fault::TearsSequences,
    ] {
        assert!(evenings(1, 500, Some(fault)).is_err(), "{fault:?} was not found");
    }
}

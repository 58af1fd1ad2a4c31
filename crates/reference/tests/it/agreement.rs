//! Both implementations on random worlds, often enough to meet every reason.

use countersign_core::model::words::Reason;
use countersign_reference::compare::{UNREACHED, compare};

const SEED: u64 = 1;
const CASES: u64 = 100_000;
/// Each reason decides at least so many cases: fewer would be an anecdote.
const OF_EACH: u64 = 500;

#[test]
fn both_implementations_agree_and_every_reason_is_reached() {
    let report = compare(SEED, CASES, |_| {});
    assert!(report.differences.is_empty(), "{report}");
    assert!(report.cases >= CASES, "{report}");
    let reached = |reason: &&Reason| report.reasons.get(reason).copied().unwrap_or(0) >= OF_EACH;
    let rare: Vec<&Reason> = Reason::ALL.iter().filter(|reason| !reached(reason)).collect();
    let expected: Vec<&Reason> = UNREACHED.iter().map(|(reason, _)| reason).collect();
    assert_eq!(rare, expected, "{report}");
}

#[test]
fn the_same_seed_gives_the_same_cases() {
    let one = compare(7, 2_000, |_| {});
    assert_eq!(one.reasons, compare(7, 2_000, |_| {}).reasons);
    assert_ne!(one.reasons, compare(8, 2_000, |_| {}).reasons);
}

//! Both implementations agree on enough random scenarios to reach every reason.

use countersign_core::model::words::Reason;
use countersign_reference::compare::{UNREACHABLE_REASONS, compare_implementations};

const SEED: u64 = 1;
const CASES: u64 = 132_000;
/// Fewer cases per reason would prove little.
const MIN_CASES_PER_REASON: u64 = 500;

#[test]
fn both_implementations_agree_and_every_reason_is_reached() {
    let report = compare_implementations(SEED, CASES, |_| {});
    assert!(report.differences.is_empty(), "{report}");
    assert!(report.cases >= CASES, "{report}");
    let reached =
        |reason: &&Reason| report.reasons.get(reason).copied().unwrap_or(0) >= MIN_CASES_PER_REASON;
    let rare: Vec<&Reason> = Reason::ALL.iter().filter(|reason| !reached(reason)).collect();
    let expected: Vec<&Reason> = UNREACHABLE_REASONS.iter().map(|(reason, _)| reason).collect();
    assert_eq!(rare, expected, "{report}");
}

#[test]
fn the_same_seed_gives_the_same_cases() {
    let one = compare_implementations(7, 2_000, |_| {});
    assert_eq!(one.reasons, compare_implementations(7, 2_000, |_| {}).reasons);
    assert_ne!(one.reasons, compare_implementations(8, 2_000, |_| {}).reasons);
}

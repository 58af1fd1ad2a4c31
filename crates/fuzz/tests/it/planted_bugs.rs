//! The search finds planted bugs, names them and shrinks the input.

use countersign_fuzz::search::{Finding, FuzzReport, FuzzSearch, SearchControl};
use countersign_fuzz::target::{Features, Target, TargetResult};
use countersign_fuzz::{seeds, targets};
use std::time::Duration;

const TIME_LIMIT: Duration = Duration::from_secs(1);

fn planted_target(check: fn(&[u8]) -> TargetResult) -> Target {
    Target {
        name: "planted",
        property: "a fault is found",
        max_bytes: 4_096,
        words: &[],
        seeds: || Ok(vec![b"domains:\n  email:\n    autonomous: [read]\n".to_vec()]),
        check,
    }
}

fn run_search(target: &Target, inputs: u64, time_limit: Duration) -> FuzzReport {
    FuzzSearch::new(target, 1, time_limit).unwrap().run(|_, progress| {
        match progress.findings.as_slice() {
            [] if progress.inputs_tried < inputs => SearchControl::Continue,
            _ => SearchControl::Stop,
        }
    })
}

fn panic_on_three_brackets(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(bytes);
    if text.contains("email") && text.contains("[[") {
        features.add("deeper");
        assert!(!text.contains("[[["), "three levels");
    }
    Ok(features)
}

#[test]
fn a_panic_is_found_and_shrunk() {
    let report = run_search(&planted_target(panic_on_three_brackets), 200_000, TIME_LIMIT);
    let [Finding { input, message }] = report.findings.as_slice() else { panic!("{report:?}") };
    assert!(message.starts_with("panic: ") && message.contains("three levels"), "{message}");
    assert_eq!(input.len(), "email[[[".len(), "{}", String::from_utf8_lossy(input));
}

#[test]
fn a_broken_property_is_found() {
    let check = |bytes: &[u8]| match bytes.iter().filter(|byte| **byte == b':').count() {
        7.. => Err("seven colons".to_owned()),
        _ => Ok(Features::default()),
    };
    let report = run_search(&planted_target(check), 200_000, TIME_LIMIT);
    let expected = Finding { input: b":::::::".to_vec(), message: "seven colons".to_owned() };
    assert_eq!(report.findings, [expected]);
}

#[test]
fn a_slow_input_is_found() {
    let check = |bytes: &[u8]| {
        let watch = countersign_fuzz::clock::Stopwatch::start();
        while bytes.len() > 60 && watch.elapsed() < Duration::from_millis(20) {}
        Ok(Features::default())
    };
    let report = run_search(&planted_target(check), 20_000, Duration::from_millis(10));
    assert!(report.findings[0].message.starts_with("the input takes "), "{report:?}");
}

#[test]
fn a_correct_target_has_no_findings() {
    let report = run_search(&planted_target(|_| Ok(Features::default())), 2_000, TIME_LIMIT);
    assert_eq!((report.inputs_tried, report.findings.len()), (2_000, 0));
}

#[test]
fn every_target_has_a_unique_name_and_seeds() {
    for target in targets::TARGETS {
        assert_eq!(
            targets::find_target(target.name).map(|found| found.property),
            Some(target.property)
        );
        assert!(!seeds::load_seeds(target.name).unwrap().is_empty(), "{}", target.name);
    }
}

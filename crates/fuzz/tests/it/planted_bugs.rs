//! The driver finds what is planted, names it, and makes it small.

use countersign_fuzz::drive::{Finding, Report, Search, Watched};
use countersign_fuzz::target::{Held, Target, Traits};
use countersign_fuzz::{seeds, targets};
use std::time::Duration;

const SHORT: Duration = Duration::from_secs(1);

fn planted(hold: fn(&[u8]) -> Held) -> Target {
    Target {
        name: "planted",
        what: "a fault is found",
        longest: 4_096,
        words: &[],
        seeds: || Ok(vec![b"domains:\n  email:\n    autonomous: [read]\n".to_vec()]),
        hold,
    }
}

fn search(target: &Target, inputs: u64, patience: Duration) -> Report {
    Search::new(target, 1, patience).unwrap().run(|_, so_far| match so_far.findings.as_slice() {
        [] if so_far.tried < inputs => Watched::GoOn,
        _ => Watched::Stop,
    })
}

fn panics(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let text = String::from_utf8_lossy(bytes);
    if text.contains("email") && text.contains("[[") {
        traits.note("deeper");
        assert!(!text.contains("[[["), "three levels");
    }
    Ok(traits)
}

#[test]
fn a_panic_is_found_and_made_small() {
    let report = search(&planted(panics), 200_000, SHORT);
    let [Finding { input, why }] = report.findings.as_slice() else { panic!("{report:?}") };
    assert!(why.starts_with("panic: ") && why.contains("three levels"), "{why}");
    assert_eq!(input.len(), "email[[[".len(), "{}", String::from_utf8_lossy(input));
}

#[test]
fn what_does_not_hold_is_found() {
    let hold = |bytes: &[u8]| match bytes.iter().filter(|byte| **byte == b':').count() {
        7.. => Err("seven colons".to_owned()),
        _ => Ok(Traits::default()),
    };
    let report = search(&planted(hold), 200_000, SHORT);
    let expected = Finding { input: b":::::::".to_vec(), why: "seven colons".to_owned() };
    assert_eq!(report.findings, [expected]);
}

#[test]
fn what_takes_too_long_is_found() {
    let hold = |bytes: &[u8]| {
        let watch = countersign_fuzz::clock::Stopwatch::start();
        while bytes.len() > 60 && watch.elapsed() < Duration::from_millis(20) {}
        Ok(Traits::default())
    };
    let report = search(&planted(hold), 20_000, Duration::from_millis(10));
    assert!(report.findings[0].why.starts_with("it takes "), "{report:?}");
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let report = search(&planted(|_| Ok(Traits::default())), 2_000, SHORT);
    assert_eq!((report.tried, report.findings.len()), (2_000, 0));
}

#[test]
fn every_target_has_a_name_of_its_own_and_seeds() {
    for target in targets::ALL {
        assert_eq!(targets::find(target.name).map(|found| found.what), Some(target.what));
        assert!(!seeds::own(target.name).unwrap().is_empty(), "{}", target.name);
    }
}

//! What a card says after several yeses of one kind.

use crate::fixture::{card_in, state_after, with_head};
use crate::wider_choices::{class, draft, graph, ruled};
use countersign_card::{Card, render_lines};
use countersign_core::model::call::CallDraft;
use countersign_core::model::names::SessionKey;
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::words::{Choice, Covers};
use serde_json::json;

/// A test run, by its line and head.
fn test_run(line: &str, head: &str, turn: u32) -> (CallDraft, RuleResults) {
    let call = draft("Bash", json!({"command": line, "turn": turn}));
    (call, ruled(vec![with_head(head, class("test.run"))]))
}

/// The card of a test run after these answers to others.
fn card_after(answers: &[(&str, &str, Choice)]) -> Card {
    let answered: Vec<_> = answers
        .iter()
        .zip(1..)
        .map(|((line, head, choice), turn)| {
            let (call, ruled) = test_run(line, head, turn);
            (call, ruled, *choice)
        })
        .collect();
    let last = test_run("cargo test -q", "cargo test", 99);
    card_in(&graph(), state_after(&graph(), &answered), last)
}

const YES: (&str, &str, Choice) = ("cargo test --lib", "cargo test", Choice::Once);

#[test]
fn after_the_third_yes_the_card_offers_the_grant_that_covers_them() {
    assert_eq!(card_after(&[YES, YES]).repetition, None);
    let card = card_after(&[YES, YES, YES]);
    let offer = "asked 3 times this session, always yes; `s` would have covered 3 of them";
    assert_eq!(card.repetition.as_ref().unwrap().describe(), offer);
    assert!(render_lines(&card).contains(&offer.to_owned()), "{:?}", render_lines(&card));
}

#[test]
fn one_no_ends_always_yes() {
    let no = ("cargo test --doc", "cargo test", Choice::Decline);
    assert_eq!(card_after(&[YES, YES, YES, no]).repetition, None);
}

#[test]
fn another_head_is_another_kind() {
    let npm = ("npm test", "npm test", Choice::Once);
    assert_eq!(card_after(&[npm, npm, npm]).repetition, None);
    assert_eq!(card_after(&[npm, YES, YES]).repetition, None);
}

#[test]
fn other_sessions_do_not_count() {
    let elsewhere = |turn: u32| {
        let (mut call, ruled) = test_run("cargo test -q", "cargo test", turn);
        call.session = SessionKey::parse("coder s2").unwrap();
        (call, ruled, Choice::Once)
    };
    let state = state_after(&graph(), &[elsewhere(1), elsewhere(2), elsewhere(3)]);
    let card = card_in(&graph(), state, test_run("cargo test -q", "cargo test", 9));
    assert_eq!(card.repetition, None);
}

#[test]
fn nothing_is_offered_where_the_card_offers_no_session() {
    // Lines of several commands without classes or heads get *once* only.
    let line = |turn: u32| {
        let args = json!({"command": "echo a && make it", "turn": turn});
        (draft("Bash", args), RuleResults::default())
    };
    let answered: Vec<_> = (1..4)
        .map(|turn| {
            let (call, ruled) = line(turn);
            (call, ruled, Choice::Once)
        })
        .collect();
    let card = card_in(&graph(), state_after(&graph(), &answered), line(9));
    assert_eq!(card.repetition, None);
}

#[test]
fn the_coverage_that_covers_more_is_named() {
    // Without heads `s` is the exact command, and these are all different.
    let line = |file: &str| {
        let args = json!({"command": format!("pytest {file}")});
        (draft("Bash", args), ruled(vec![class("test.run")]))
    };
    let answered: Vec<_> = ["a", "b", "c"]
        .map(|file| {
            let (call, ruled) = line(file);
            (call, ruled, Choice::Once)
        })
        .into();
    let card = card_in(&graph(), state_after(&graph(), &answered), line("d"));
    let repetition = card.repetition.unwrap();
    assert_eq!((repetition.asked, repetition.covered), (3, 3));
    assert_eq!(repetition.covers, Some(Covers::Actions));
    assert!(repetition.describe().contains("`s actions` would have covered 3"));
}

//! Every phrase of this crate's tables in one snapshot, for people to read line by line.

use crate::categories::{CATEGORIES, describe_category};
use crate::coverage::{any_of, name_deed};
use crate::repetition::Repetition;
use crate::titles::title_of;
use crate::undo::{GIT_UNDO, REVERSIBLE_CATEGORIES};
use countersign_core::decide::explain;
use countersign_core::model::names::Action;
use countersign_core::model::place::Place;
use countersign_core::model::words::{Choice, Covers, Reason, Risk};
use countersign_core::steps::may_answer::AnswerNotCounted;
use countersign_graph::{Format, load_graph};
use std::fmt::Write;

const CODING: &str = include_str!("../../../graphs/coding/countersign.yaml");

/// Words that only we know.
const INTERNAL: [&str; 7] = [
    "counts as",
    "granted turn 0",
    "Be allowed",
    "any forge",
    "{amount}",
    "{}",
    "whatever it is done to",
];

#[test]
fn the_phrases_of_cards_are_the_committed_list() {
    let mut book = String::new();
    list_actions(&mut book);
    list_categories(&mut book);
    list_reasons(&mut book);
    list_the_rest(&mut book);
    for line in book.lines() {
        let found = INTERNAL.iter().find(|word| line.contains(**word));
        assert!(found.is_none(), "`{}` is a word of ours: {line}", found.unwrap_or(&""));
    }
    insta::assert_snapshot!(book);
}

fn list_actions(book: &mut String) {
    writeln!(book, "# actions: headline | a wider yes covers | asked because").unwrap();
    let graph = load_graph("countersign.yaml", CODING.as_bytes(), Format::Yaml).unwrap().graph;
    let mut actions: Vec<Action> = graph.rules.keys().cloned().collect();
    actions.sort();
    for action in actions {
        let because = explain::asked_because(Reason::NoGrant, &name_deed(&action), Risk::High, &[]);
        writeln!(
            book,
            "{}: {} | {} | {because}",
            action.as_str(),
            title_of(&action),
            any_of(&action)
        )
        .unwrap();
    }
}

fn list_categories(book: &mut String) {
    writeln!(book, "\n# categories: effect | all of them").unwrap();
    for words in CATEGORIES {
        let object = match words.object {
            crate::categories::EffectObject::Fixed(what) => what,
            _ => "…",
        };
        writeln!(book, "{}: {} {object} | {}", words.name, words.does, words.all).unwrap();
    }
    writeln!(book, "another: {}", describe_category("another")).unwrap();
}

fn list_reasons(book: &mut String) {
    writeln!(book, "\n# reasons: asked because | new").unwrap();
    for reason in Reason::ALL {
        let because = explain::asked_because(*reason, "pushing commits", Risk::High, &[]);
        let news = reason.traits().news.unwrap_or("-");
        writeln!(book, "{}: {because} | {news}", reason.word()).unwrap();
    }
    for place in [Place::Secret, Place::WriteGuarded, Place::WriteOutside, Place::ReadOutside] {
        let because =
            explain::asked_because(Reason::NoGrant, "reading files", Risk::High, &[place]);
        writeln!(book, "at a place: {because}").unwrap();
    }
}

fn list_the_rest(book: &mut String) {
    writeln!(book, "\n# choices").unwrap();
    for choice in Choice::ALL {
        writeln!(book, "{choice}: {}", crate::offers::name_duration(*choice)).unwrap();
    }
    writeln!(book, "\n# undo").unwrap();
    for (name, how) in REVERSIBLE_CATEGORIES.iter().chain(&GIT_UNDO) {
        writeln!(book, "{name}: can be undone: {how}").unwrap();
    }
    writeln!(book, "\n# offers after three yeses").unwrap();
    for covers in [None, Some(Covers::Command), Some(Covers::Head), Some(Covers::Actions)] {
        let repetition = Repetition { asked: 14, covered: 12, covers };
        writeln!(book, "{}", repetition.describe()).unwrap();
    }
    writeln!(book, "\n# answers that do not count").unwrap();
    for why in [
        AnswerNotCounted::FromAgent,
        AnswerNotCounted::OtherVersion,
        AnswerNotCounted::OtherUser,
        AnswerNotCounted::TooRiskyForDialog,
        AnswerNotCounted::NotShown,
        AnswerNotCounted::NeedsSecondYes,
        AnswerNotCounted::NeedsTypedText,
    ] {
        writeln!(book, "{why}").unwrap();
    }
}

//! Two answers to the items of one request that were both decided before either was committed.

use crate::question::{START, facts, open_question};
use countersign_core::model::change::{Answered, Change, Timing};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::request::Request;
use countersign_core::model::words::{Choice, Ending, Risk};
use countersign_core::state::{Conflict, State};
use countersign_core::steps::open_request::{item_without_action, request_opened};

/// A request with two items, and the state in which it is open.
fn two_items() -> (State, Request) {
    let (mut state, ids) = (State::empty(), IdGenerator::new(START, 7));
    let item = || item_without_action(Risk::Low, vec![Choice::Once, Choice::Decline]);
    let request = open_question(&facts(&state, &ids), vec![item(), item()]);
    state.apply(START, &request_opened(request.clone()));
    (state, request)
}

/// A yes to these items. Without an ending it leaves others open.
fn yes(request: &Request, items: &[usize], ending: Option<Ending>) -> Change {
    let answered = Answered {
        request: request.id,
        ending,
        timing: Timing::InTime,
        items: items.iter().map(|item| (*item, Choice::Once)).collect(),
        note: String::new(),
        declines: Vec::new(),
        cleared: Vec::new(),
        surface: None,
    };
    Change::RequestAnswered { answered: Box::new(answered) }
}

const END: Option<Ending> = Some(Ending::Approved);

/// Whether the second answer may be committed behind the first.
fn stands_behind(
    first: Option<(&[usize], Option<Ending>)>,
    second: (&[usize], Option<Ending>),
) -> bool {
    let (mut state, request) = two_items();
    if let Some((items, ending)) = first {
        state.apply(START, &yes(&request, items, ending));
    }
    match state.conflict(&[yes(&request, second.0, second.1)]) {
        None => true,
        Some(conflict) => {
            assert_eq!(conflict, Conflict::Request(request.id));
            false
        }
    }
}

#[test]
fn answers_to_an_open_request_stand() {
    for second in [(&[0][..], None), (&[1], None), (&[0, 1], END)] {
        assert!(stands_behind(None, second), "{second:?}");
    }
}

#[test]
fn the_last_item_can_be_answered_after_the_first() {
    assert!(stands_behind(Some((&[0], None)), (&[1], END)));
    assert!(stands_behind(Some((&[1], None)), (&[0], END)));
}

#[test]
fn an_item_is_answered_once() {
    assert!(!stands_behind(Some((&[0], None)), (&[0], None)));
    assert!(!stands_behind(Some((&[0], None)), (&[0, 1], END)));
    assert!(!stands_behind(Some((&[1], None)), (&[1], None)));
}

/// Otherwise the request would stay open without an open item.
#[test]
fn an_answer_that_leaves_an_item_open_does_not_stand_if_that_item_was_answered() {
    assert!(!stands_behind(Some((&[0], None)), (&[1], None)));
    assert!(!stands_behind(Some((&[1], None)), (&[0], None)));
}

#[test]
fn nothing_is_answered_after_the_end() {
    for second in [(&[0][..], None), (&[0, 1], END)] {
        assert!(!stands_behind(Some((&[0, 1], END)), second), "{second:?}");
    }
}

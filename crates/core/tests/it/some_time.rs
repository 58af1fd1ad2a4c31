//! How long a yes for some time may last: what the request offers bounds it, to the microsecond.

use crate::question::{START, facts, open_question};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::limits::{A_QUARTER, SESSION_GRANT};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Choice, Risk};
use countersign_core::settle;
use countersign_core::state::State;
use countersign_core::steps::open_request::item_without_action;
use countersign_core::steps::settle::{AnswerReply, Refusal};

/// Answers a question that offers these choices. Returns when the grant ends, if it has an end.
fn answer(
    offered: &[Choice],
    choice: Choice,
    lasts: Option<Span>,
) -> Result<Option<Time>, Refusal> {
    let (state, ids) = (State::empty(), IdGenerator::new(START, 7));
    let facts = facts(&state, &ids);
    let request = open_question(&facts, vec![item_without_action(Risk::Low, offered.to_vec())]);
    let answer = Answer {
        say: AnswerChoices::One(choice),
        note: String::new(),
        proof: AnswerProof::KeyPress,
        lasts,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    match settle(&facts, &[&request], &answer).reply {
        AnswerReply::Accepted { given } => Ok(given[0].ends_at),
        AnswerReply::Refused(why) => Err(why),
        other => panic!("{other:?}"),
    }
}

fn longer(span: Span) -> Span {
    span - Span::micros(-1)
}

fn until(span: Span) -> Result<Option<Time>, Refusal> {
    Ok(Some(START + span))
}

#[test]
fn a_yes_lasts_a_quarter_of_an_hour_unless_it_says_how_long() {
    assert_eq!(answer(&[Choice::Quarter], Choice::Quarter, None), until(A_QUARTER));
    let minute = Span::minutes(1);
    assert_eq!(answer(&[Choice::Quarter], Choice::Quarter, Some(minute)), until(minute));
}

#[test]
fn where_only_a_quarter_is_offered_a_yes_lasts_no_longer() {
    let answer = |lasts| answer(&[Choice::Once, Choice::Quarter], Choice::Quarter, Some(lasts));
    assert_eq!(answer(A_QUARTER), until(A_QUARTER));
    assert_eq!(answer(longer(A_QUARTER)), Err(Refusal::TooLong));
}

#[test]
fn where_the_session_is_offered_a_yes_lasts_as_long_as_one_for_the_session() {
    let answer = |lasts| answer(&[Choice::Quarter, Choice::Session], Choice::Quarter, Some(lasts));
    assert_eq!(answer(longer(A_QUARTER)), until(longer(A_QUARTER)));
    assert_eq!(answer(SESSION_GRANT), until(SESSION_GRANT));
    assert_eq!(answer(longer(SESSION_GRANT)), Err(Refusal::TooLong));
}

#[test]
fn no_other_choice_takes_a_time() {
    let offered = [Choice::Once, Choice::Quarter, Choice::Session];
    for choice in [Choice::Once, Choice::Session] {
        assert_eq!(answer(&offered, choice, Some(A_QUARTER)), Err(Refusal::TooLong), "{choice}");
        assert!(answer(&offered, choice, None).is_ok(), "{choice}");
    }
}

#[test]
fn a_choice_that_is_not_offered_is_refused() {
    assert_eq!(answer(&[Choice::Once], Choice::Quarter, None), Err(Refusal::NotOffered));
    assert_eq!(answer(&[Choice::Once, Choice::Run], Choice::Run, None), Err(Refusal::NotOffered));
}

//! How long a yes for some time may last: what the request offers bounds it, to the microsecond.

use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::grant::{Holder, Scope};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::limits::{A_QUARTER, SESSION_GRANT};
use countersign_core::model::names::{Agent, NodeName, SessionKey};
use countersign_core::model::open_questions::{OpenQuestions, QuestionLimits};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, AskAhead, Subject};
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Assurance, Choice, Risk, Surface};
use countersign_core::settle;
use countersign_core::state::State;
use countersign_core::steps::open_request::{NewRequest, item_without_action};
use countersign_core::steps::settle::{AnswerReply, Refusal};

const START: Time = Time::from_micros(0);

/// Answers a question that offers these choices. Returns when the grant ends, if it has an end.
fn answer(
    offered: &[Choice],
    choice: Choice,
    lasts: Option<Span>,
) -> Result<Option<Time>, Refusal> {
    let state = State::empty();
    let ids = IdGenerator::new(START, 7);
    let facts = Facts {
        now: START,
        ids: &ids,
        graph: None,
        state: &state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: OpenQuestions::none(QuestionLimits::default()),
        protected: &[],
        ruled: &NO_RULE_RESULTS,
        key: None,
        node: NodeName::local(),
        place: None,
    };
    let session = SessionKey::parse("agent-1 s1").unwrap();
    let digest = Digest::hash_bytes("question", b"");
    let request = NewRequest {
        holder: Holder {
            session: &session,
            agent: &Agent::parse("agent-1").unwrap(),
            project: None,
        },
        subject: Subject::Ahead(AskAhead {
            text: "read the mail".to_owned(),
            category: None,
            scope: Scope::Session,
            reason: String::new(),
            fallback: String::new(),
        }),
        digest,
        lasting: digest,
        items: vec![item_without_action(Risk::Low, offered.to_vec())],
        programs: Vec::new(),
        open_for: Span::minutes(5),
    }
    .open(&facts);
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

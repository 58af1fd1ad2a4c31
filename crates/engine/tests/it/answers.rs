//! Which answers count, asked through the engine: it knows the level, the request what was shown.

use crate::world::{call, engine, yes};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, CardVersion};
use countersign_core::model::words::{Assurance, Choice};
use countersign_core::steps::may_answer::AnswerNotCounted;
use countersign_core::steps::settle::{AnswerReply, Refusal};
use countersign_engine::{AnswerTarget, Engine, Memory};

fn program() -> SurfaceName {
    SurfaceName::parse("program").unwrap()
}

fn ask(engine: &Engine<Memory>) -> RequestId {
    engine.check(&call("files.write")).unwrap();
    engine.list_open_requests(None, 1).unwrap().0[0]
}

fn show_whole(engine: &Engine<Memory>, request: RequestId) {
    let (shown, surface) = (ShownObject::Request(request), program());
    let (evidence, extent) = (Evidence::Requested, Extent::Whole);
    engine.record_delivery(&Delivery { shown, surface, evidence, extent }).unwrap();
}

/// Why the answer does not count; none if it does.
fn refusal(
    engine: &Engine<Memory>,
    request: RequestId,
    answer: &Answer,
) -> Option<AnswerNotCounted> {
    match engine.answer(AnswerTarget::Request(request), answer).unwrap().reply {
        AnswerReply::Refused(Refusal::NotCounted(why)) => Some(why),
        AnswerReply::Accepted { .. } => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_yes_in_a_programs_prompt_counts_at_l0_after_the_prompt_showed_the_whole_call() {
    let engine = engine();
    let request = ask(&engine);
    let answer = Answer { from: AnswerFrom::ProgramPrompt(program()), ..yes() };
    assert_eq!(refusal(&engine, request, &answer), Some(AnswerNotCounted::OtherUser));
    engine.record_assurance(Assurance::Shared).unwrap();
    assert_eq!(refusal(&engine, request, &answer), Some(AnswerNotCounted::NotShown));
    show_whole(&engine, request);
    engine.set_assurance(Assurance::Separated);
    assert_eq!(refusal(&engine, request, &answer), Some(AnswerNotCounted::OtherUser));
    engine.set_assurance(Assurance::Shared);
    assert_eq!(refusal(&engine, request, &answer), None);
}

#[test]
fn a_no_in_a_programs_prompt_counts_at_every_level() {
    let engine = engine();
    let request = ask(&engine);
    let (say, from) = (AnswerChoices::One(Choice::Decline), AnswerFrom::ProgramPrompt(program()));
    assert_eq!(refusal(&engine, request, &Answer { say, from, ..yes() }), None);
}

#[test]
fn an_answer_to_another_version_of_the_card_leaves_the_request_open() {
    let engine = engine();
    let request = ask(&engine);
    for choice in [Choice::Once, Choice::Decline] {
        let from = AnswerFrom::Surface { name: Some(program()), card: CardVersion::Other };
        let answer = Answer { say: AnswerChoices::One(choice), from, ..yes() };
        assert_eq!(refusal(&engine, request, &answer), Some(AnswerNotCounted::OtherVersion));
    }
    assert_eq!(refusal(&engine, request, &yes()), None);
}

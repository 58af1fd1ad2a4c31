//! Which answers count, asked through the engine: it knows the level, the request what was shown.

use crate::world::{call, engine, yes};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::RequestId;
use countersign_core::model::limits::SURFACES_PER_REQUEST;
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

fn show_whole(engine: &Engine<Memory>, request: RequestId, surface: SurfaceName) {
    let shown = ShownObject::Request(request);
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
    show_whole(&engine, request, program());
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

#[test]
fn the_surface_that_showed_the_call_longest_ago_is_forgotten_first() {
    let engine = engine();
    engine.record_assurance(Assurance::Shared).unwrap();
    let request = ask(&engine);
    let name = |text: &str| SurfaceName::parse(text).unwrap();
    for number in 0..SURFACES_PER_REQUEST {
        show_whole(&engine, request, name(&format!("surface-{number:02}")));
    }
    // Shown again there, so it is not the oldest any more.
    show_whole(&engine, request, name("surface-00"));
    show_whole(&engine, request, name("a-latest"));
    show_whole(&engine, request, name("z-latest"));
    let answer = |surface| Answer { from: AnswerFrom::ProgramPrompt(name(surface)), ..yes() };
    for forgotten in ["surface-01", "surface-02"] {
        let why = refusal(&engine, request, &answer(forgotten));
        assert_eq!(why, Some(AnswerNotCounted::NotShown), "{forgotten}");
    }
    let state = engine.read_whole_state().unwrap();
    let shown_on = &state.requests.get(&request).unwrap().shown_whole_on;
    assert!(shown_on.contains(&name("surface-00")) && shown_on.contains(&name("surface-03")));
    assert_eq!(shown_on.len(), SURFACES_PER_REQUEST);
    assert_eq!(refusal(&engine, request, &answer("a-latest")), None);
}

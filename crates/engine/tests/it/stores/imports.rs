//! Old grants that are brought in by several at once, and used by several at once.

use super::contract::Backend;
use super::{in_memory, sqlite};
use crate::world::{call, on, owner};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::imported::ImportOutcome;
use countersign_core::model::imported::{EarlierSystem, ImportedGrant};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Effect, Risk};
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{CheckResult, Engine, Store};
use serde_json::json;
use std::sync::Barrier;

const ROUNDS: usize = 8;

fn blanket(key: usize) -> ImportedGrant {
    ImportedGrant {
        origin: EarlierSystem::ConsentSystem,
        key: format!("old-{key}"),
        words: String::new(),
        coverage: Coverage::Everything,
        scope: Scope::Session,
        given_at: Time::from_micros(0),
        ends_at: None,
    }
}

fn bring<S: Store>(engine: &Engine<S>, key: usize) -> ImportOutcome {
    let offers = [(blanket(key), Risk::Moderate)];
    engine.import_grants(&owner(), None, &offers).unwrap()[0]
}

/// Two nodes, or one engine for two threads.
fn two_callers<S>(engines: &[Engine<S>]) -> [&Engine<S>; 2] {
    [engines.first().unwrap(), engines.last().unwrap()]
}

/// Both bring the same grants in, in the same moments: each grant is one question.
pub(super) fn the_same_grant_imported_twice_at_once_opens_one_question(backend: &impl Backend) {
    let opened = backend.open_engines();
    let engines = two_callers(&opened);
    for key in 0..ROUNDS {
        let barrier = Barrier::new(2);
        let offered = std::thread::scope(|scope| {
            let threads = engines.map(|engine| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    bring(engine, key)
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        let opened = offered.iter().filter(|one| matches!(one, ImportOutcome::Opened(_))).count();
        assert_eq!(opened, 1, "{offered:?}");
    }
    let state = engines[0].read_whole_state().unwrap();
    assert_eq!(state.requests.values().count(), ROUNDS);
}

fn confirmed<S: Store>(engine: &Engine<S>) {
    let ImportOutcome::Opened(id) = bring(engine, 0) else { panic!("it is new") };
    let (say, note) = (AnswerChoices::One(Choice::Session), String::new());
    let answer = Answer {
        say,
        note,
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    let settled = engine.answer_import(id, &answer).unwrap();
    assert!(matches!(settled.reply, AnswerReply::Accepted { .. }), "{:?}", settled.reply);
}

/// However many calls use the blanket at once, one of them is the first of its action.
pub(super) fn the_first_use_of_an_imported_blanket_is_recorded_once(backend: &impl Backend) {
    let opened = backend.open_engines();
    let engines = two_callers(&opened);
    confirmed(engines[0]);
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for (number, engine) in engines.into_iter().enumerate() {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for round in 0..ROUNDS {
                    let mut draft = call("files.write");
                    draft.args = json!({ "by": number, "round": round });
                    if let CheckResult::Allowed { permit, .. } = engine.check(&draft).unwrap() {
                        engine.complete(&permit.complete(Effect::Done)).unwrap();
                    }
                }
            });
        }
    });
    let kinds: Vec<Kind> =
        engines[0].read_all_entries().unwrap().iter().map(|one| one.kind).collect();
    let count = |kind: Kind| kinds.iter().filter(|one| **one == kind).count();
    assert!(count(Kind::GrantUsed) > 1);
    assert_eq!(count(Kind::LegacyBlanketUsed), 1);
}

/// What is no import is not answered this way, whoever knows its id.
#[test]
fn another_question_is_not_answered_as_an_import() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.check(&call("files.write")).unwrap();
    let state = engine.read_whole_state().unwrap();
    let asked = state.requests.values().next().unwrap().id;
    let (say, note) = (AnswerChoices::One(Choice::Once), String::new());
    let answer = Answer {
        say,
        note,
        proof: AnswerProof::TypedText,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    let settled = engine.answer_import(asked, &answer).unwrap();
    assert_eq!(settled.reply, AnswerReply::AlreadyAnswered);
    assert!(settled.changes.is_empty());
}

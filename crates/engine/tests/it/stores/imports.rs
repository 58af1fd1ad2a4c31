//! Old grants that are brought in by several at once, and used by several at once.

use super::{in_memory, schema, sqlite};
use crate::world::{agent, call, on, session};
use countersign_core::model::change::Kind;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::imported::Offered;
use countersign_core::model::imported::{Imported, Origin};
use countersign_core::model::request::{Answer, Say};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Effect, Risk};
use countersign_core::steps::settle::Reply;
use countersign_engine::{Checked, Engine, Postgres, Store};
use serde_json::json;
use std::sync::Barrier;

const ROUNDS: usize = 8;

fn blanket(key: usize) -> Imported {
    Imported {
        origin: Origin::ConsentSystem,
        key: format!("old-{key}"),
        words: String::new(),
        coverage: Coverage::Everything,
        scope: Scope::Session,
        given_at: Time::from_micros(0),
        ends_at: None,
    }
}

fn bring<S: Store>(engine: &Engine<S>, key: usize) -> Offered {
    let offers = [(blanket(key), Risk::Moderate)];
    engine.import((&session(), &agent()), None, &offers).unwrap()[0]
}

/// Both bring the same grants in, in the same moments: each grant is one question.
fn one_question_each<S: Store>(engines: [&Engine<S>; 2]) {
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
        let opened = offered.iter().filter(|one| matches!(one, Offered::Opened(_))).count();
        assert_eq!(opened, 1, "{offered:?}");
    }
    let state = engines[0].state().unwrap();
    assert_eq!(state.requests.values().count(), ROUNDS);
}

fn confirmed<S: Store>(engine: &Engine<S>) {
    let Offered::Opened(id) = bring(engine, 0) else { panic!("it is new") };
    let (say, note) = (Say::One(Choice::Session), String::new());
    let answer = Answer { say, note, confirmation: Confirmation::Plain };
    let settled = engine.answer_import(id, &answer).unwrap();
    assert!(matches!(settled.reply, Reply::Accepted { .. }), "{:?}", settled.reply);
}

/// However many calls use the blanket at once, one of them is the first of its action.
fn one_first_use<S: Store>(engines: [&Engine<S>; 2]) {
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
                    // Others may keep changing the same thing; then nothing was decided.
                    if let Ok(Checked::Permit { permit, .. }) = engine.check(&draft) {
                        engine.finish(permit, Effect::Done).unwrap();
                    }
                }
            });
        }
    });
    let kinds: Vec<Kind> = engines[0].entries().unwrap().iter().map(|one| one.kind).collect();
    let count = |kind: Kind| kinds.iter().filter(|one| **one == kind).count();
    assert!(count(Kind::GrantUsed) > 1);
    assert_eq!(count(Kind::LegacyBlanketUsed), 1);
}

#[test]
fn two_threads_that_bring_the_same_grant_in_open_one_question() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    one_question_each([&engine, &engine]);
}

#[test]
fn two_nodes_that_bring_the_same_grant_in_open_one_question() {
    let settings = schema();
    let node = || on(Postgres::open(settings.clone()).unwrap());
    one_question_each([&node(), &node()]);
}

#[test]
fn each_actions_first_use_is_told_once_by_threads() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    one_first_use([&engine, &engine]);
}

#[test]
fn each_actions_first_use_is_told_once_by_nodes() {
    let settings = schema();
    let node = || on(Postgres::open(settings.clone()).unwrap());
    one_first_use([&node(), &node()]);
}

/// What is no import is not answered this way, whoever knows its id.
#[test]
fn another_question_is_not_answered_as_an_import() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.check(&call("files.write")).unwrap();
    let state = engine.state().unwrap();
    let asked = state.requests.values().next().unwrap().id;
    let (say, note) = (Say::One(Choice::Once), String::new());
    let answer = Answer { say, note, confirmation: Confirmation::Confirmed };
    let settled = engine.answer_import(asked, &answer).unwrap();
    assert_eq!(settled.reply, Reply::AlreadyAnswered);
    assert!(settled.changes.is_empty());
}

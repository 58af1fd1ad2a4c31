//! Results that are kept for an agent that asks again: by their owner, on every node, for a day.

use super::contract::Backend;
use super::sealed::is_on_disk;
use super::{in_memory, sqlite};
use crate::world::{Moved, agent, call, counting_on, graph, on, owner, yes};
use countersign_core::model::ids::{CallId, IdGenerator};
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Effect, Surface};
use countersign_engine::{
    AnswerTarget, CheckResult, Engine, Erasable, KeptResult, ResultUpdate, SessionOwner, Store,
    limits,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const RESULT: &str = r#"{"result":{"content":[{"type":"text","text":"sent to aunt-matilda"}]}}"#;

/// A call that asked, was approved and done.
fn done<S: Store>(engine: &Engine<S>) -> CallId {
    let pending = engine.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call, .. } = pending else { panic!("{pending:?}") };
    engine.answer(AnswerTarget::Call(call), &yes()).unwrap();
    let redeemed = engine.retry(call, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    assert_eq!(engine.keep_result(call, &owner(), RESULT).unwrap(), ResultUpdate::Kept);
    engine.complete(&permit.complete(Effect::Done)).unwrap();
    call
}

pub(super) fn a_result_is_found_by_its_owner_after_a_restart_until_it_ends(backend: &impl Backend) {
    let start = Time::parse("2030-01-05T09:00:00Z").unwrap();
    let clock = Arc::new(AtomicI64::new(start.micros()));
    let open = |first| {
        let engine = counting_on(backend.open(), Box::new(Moved(Arc::clone(&clock))), first);
        engine.set_surface(Surface::Reachable).unwrap();
        engine.load_graph(graph()).unwrap();
        engine
    };
    let engine = open(1);
    let call = done(&engine);
    drop(engine);
    let engine = open(1_000);
    let find = |owner: &SessionOwner| engine.find_result(call, owner).unwrap();
    assert_eq!(find(&owner()).as_deref(), Some(RESULT));
    let other_session = SessionOwner::new(&SessionName::parse("s2").unwrap(), agent());
    let other_agent = Agent::parse("agent-2").unwrap();
    let other_agent = SessionOwner::new(&SessionName::parse("s1").unwrap(), other_agent);
    for other in [other_session, other_agent] {
        assert_eq!(find(&other), None);
        let refused = engine.keep_result(call, &other, r#"{"result":{}}"#).unwrap();
        assert_eq!(refused, ResultUpdate::Unknown);
    }
    let end = start + limits::KEPT_RESULT_LIFETIME;
    clock.store(end.micros() - 1, Ordering::SeqCst);
    assert_eq!(find(&owner()).as_deref(), Some(RESULT));
    clock.store(end.micros(), Ordering::SeqCst);
    assert_eq!(find(&owner()), None, "the end is exclusive");
}

pub(super) fn every_node_finds_a_result(backend: &impl Backend) {
    let engines = backend.open_engines();
    let call = done(&engines[0]);
    for engine in &engines {
        assert_eq!(engine.find_result(call, &owner()).unwrap().as_deref(), Some(RESULT));
    }
}

pub(super) fn a_result_that_is_long_or_secret_is_not_kept(backend: &impl Backend) {
    let engine = on(backend.open());
    let call = done(&engine);
    let long = format!("\"{}\"", "x".repeat(limits::KEPT_RESULT_BYTES));
    let secret = r#"{"result":{"structuredContent":{"password":"hunter2hunter2"}}}"#.to_owned();
    for (text, refused) in [(long, ResultUpdate::TooLong), (secret, ResultUpdate::HasSecret)] {
        assert_eq!(engine.keep_result(call, &owner(), RESULT).unwrap(), ResultUpdate::Kept);
        assert_eq!(engine.keep_result(call, &owner(), &text).unwrap(), refused);
        assert_eq!(engine.find_result(call, &owner()).unwrap(), None, "that of an attempt before");
    }
}

pub(super) fn an_erased_call_keeps_no_result(backend: &impl Backend) {
    let engine = on(backend.open());
    let call = done(&engine);
    engine.erase(&Erasable::Call(call)).unwrap();
    assert_eq!(engine.find_result(call, &owner()).unwrap(), None);
}

pub(super) fn results_are_limited_and_the_newest_stay(backend: &impl Backend) {
    let store = backend.open();
    let now = Time::from_micros(1_000_000);
    let ids = IdGenerator::new(now, 7);
    let calls: Vec<CallId> = (0..1_026).map(|_| CallId::generate(&ids)).collect();
    for (call, second) in calls.iter().zip(1..) {
        let until = now + Span::seconds(second);
        store.keep_result(&KeptResult { call: *call, text: "{}".to_owned(), until }, now).unwrap();
    }
    let found: Vec<bool> =
        calls.iter().map(|call| store.find_result(*call, now).unwrap().is_some()).collect();
    let first = found.iter().position(|found| *found);
    assert_eq!((first, found.iter().filter(|found| **found).count()), (Some(2), 1_024));
}

#[test]
fn a_result_that_ended_is_in_no_file_of_the_store() {
    let folder = in_memory();
    let store = sqlite(folder.path());
    let now = Time::from_micros(1_000_000);
    let ids = IdGenerator::new(now, 7);
    let result = |text: &str, until| KeptResult {
        call: CallId::generate(&ids),
        text: text.to_owned(),
        until,
    };
    store.keep_result(&result("aunt-matilda", now + Span::seconds(1)), now).unwrap();
    assert!(is_on_disk(folder.path(), "aunt-matilda"), "the test cannot see it while it is there");
    let later = now + Span::seconds(1);
    store.keep_result(&result("other", later + Span::seconds(1)), later).unwrap();
    drop(store);
    drop(sqlite(folder.path()));
    assert!(!is_on_disk(folder.path(), "aunt-matilda"));
}

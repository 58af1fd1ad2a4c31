//! The fast path: it decides at once, and calls back when the decision is durable.

use super::{in_memory, postgres, sqlite};
use crate::world::{bare_on_node, call, on};
use countersign_commands::analyse;
use countersign_core::model::call::CallDraft;
use countersign_core::model::names::NodeName;
use countersign_core::model::words::Outcome;
use countersign_engine::{
    AgentReport, CallUpdate, CheckResult, Completion, Durability, Engine, EngineError, FastPath,
    Memory, SessionOwner, SqliteReader, Store, StoreReader,
};
use std::sync::mpsc::channel;

/// The result of the fast path, if it took the call.
pub(super) fn check_fast<S: Store>(
    engine: &Engine<S>,
    draft: &CallDraft,
    durability: Durability,
) -> Option<Result<CheckResult, EngineError>> {
    let (sender, results) = channel();
    let send = move |result| sender.send(result).unwrap();
    match engine.try_check(draft, durability, send).unwrap() {
        FastPath::Submitted => Some(results.recv().unwrap()),
        FastPath::Unavailable => None,
    }
}

fn is_permit(checked: Option<Result<CheckResult, EngineError>>) -> bool {
    matches!(checked, Some(Ok(CheckResult::Allowed { .. })))
}

#[test]
fn the_callback_comes_when_the_decision_is_durable() {
    for durability in [Durability::Batched, Durability::Immediate] {
        let folder = in_memory();
        let engine = on(sqlite(folder.path()));
        engine.check(&call("files.read")).unwrap();
        let before = engine.ledger_head().unwrap().next;
        let (sender, results) = channel();
        let store = folder.path().join("store");
        let look = move |ended: Result<CheckResult, EngineError>| {
            // Another connection sees what is committed.
            let head = SqliteReader::open(&store).unwrap().head().unwrap().next;
            sender.send((ended.unwrap().decision().outcome, head)).unwrap();
        };
        assert_eq!(
            engine.try_check(&call("files.read"), durability, look).unwrap(),
            FastPath::Submitted
        );
        let (outcome, head) = results.recv().unwrap();
        assert_eq!(outcome, Outcome::Allow);
        assert!(head > before, "{head}");
    }
}

#[test]
fn a_session_that_is_not_in_memory_is_read_on_the_slow_path() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    assert!(
        check_fast(&engine, &call("files.read"), Durability::Batched).is_none(),
        "nobody knows the session yet"
    );
    engine.check(&call("files.read")).unwrap();
    assert!(is_permit(check_fast(&engine, &call("files.read"), Durability::Batched)));
    let folder = in_memory();
    let uncached = on(sqlite(folder.path()).without_cache());
    uncached.check(&call("files.read")).unwrap();
    assert!(check_fast(&uncached, &call("files.read"), Durability::Batched).is_none());
    let shared = on(postgres());
    shared.check(&call("files.read")).unwrap();
    assert!(
        check_fast(&shared, &call("files.read"), Durability::Immediate).is_none(),
        "other nodes write, too"
    );
}

#[test]
fn a_command_line_is_decided_on_the_slow_path() {
    let engine = on(Memory::empty());
    let mut draft = call("files.read");
    assert!(is_permit(check_fast(&engine, &draft, Durability::Immediate)));
    draft.command = Some(analyse("ls", None));
    assert!(check_fast(&engine, &draft, Durability::Immediate).is_none());
}

#[test]
fn a_completion_takes_the_fast_path_too() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.check(&call("files.read")).unwrap();
    let Some(Ok(CheckResult::Allowed { permit, .. })) =
        check_fast(&engine, &call("files.read"), Durability::Batched)
    else {
        panic!("it may be read");
    };
    let (operation, session) = (permit.call(), call("files.read").session);
    let owner = SessionOwner::from_key(session);
    let done = Completion::reported(operation, owner, AgentReport::Done);
    let (sender, results) = channel();
    let send = move |result: Result<CallUpdate, EngineError>| sender.send(result).unwrap();
    let path = engine.try_complete(&done, Durability::Batched, send).unwrap();
    assert_eq!(path, FastPath::Submitted);
    assert_eq!(results.recv().unwrap().unwrap(), CallUpdate::Recorded);
    // A call that has ended is no longer in memory.
    let never = |_| panic!("the callback was called");
    let path = engine.try_complete(&done, Durability::Batched, never).unwrap();
    assert_eq!(path, FastPath::Unavailable);
    let again = engine.complete(&done).unwrap();
    assert!(matches!(again, CallUpdate::TooLate(_)));
}

#[test]
fn an_engine_that_is_not_open_decides_nothing() {
    let engine = bare_on_node(Memory::empty(), NodeName::local().clone());
    let refused = engine.try_check(&call("files.read"), Durability::Immediate, |_| {
        panic!("the callback was called")
    });
    assert!(matches!(refused, Err(EngineError::NotOpen)));
}

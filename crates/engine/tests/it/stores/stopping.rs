//! *Decline and stop* is one commit: whatever fails after it, the session is stopped; if it fails
//! itself, nothing is decided until it is written, and after a restart the request is still open.

use super::contract::Backend;
use super::failing::Failing;
use crate::world::{call, on, owner, session, yes};
use countersign_core::model::ids::CallId;
use countersign_core::model::request::{Answer, AnswerChoices, RequestState};
use countersign_core::model::words::{Choice, Ending, Outcome, Reason};
use countersign_core::state::Mode;
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{AnswerTarget, CheckResult, Engine, EngineError, Memory, Store};
use countersign_ledger::{replay, verify};
use serde_json::json;
use std::sync::atomic::Ordering;

fn no() -> Answer {
    Answer { say: AnswerChoices::One(Choice::Decline), ..yes() }
}

fn ask<S: Store>(engine: &Engine<S>, number: u32) -> CallId {
    let mut draft = call("files.write");
    draft.args = json!({ "n": number });
    let pending = engine.check(&draft).unwrap();
    let CheckResult::Pending { call, .. } = pending else { panic!("{pending:?}") };
    call
}

fn ending<S: Store>(engine: &Engine<S>, call: CallId) -> RequestState {
    let state = engine.read_call(call).unwrap();
    let request = state.calls.get(&call).unwrap().requests[0];
    engine.read_request(request).unwrap().requests.get(&request).unwrap().state
}

/// Asks twice, declines one call and stops while so many commits succeed, and then starts again.
fn stop_and_restart<B: Backend>(backend: &B, commits: usize) -> (Engine<B::Store>, [CallId; 2]) {
    let calls = {
        let store = Failing::on(backend.open());
        let commits_left = store.commits_left.clone();
        let engine = on(store);
        let calls = [ask(&engine, 1), ask(&engine, 2)];
        commits_left.store(commits, Ordering::SeqCst);
        let stopped = engine.decline_and_stop(AnswerTarget::Call(calls[0]), &no());
        assert_eq!(stopped.is_ok(), commits > 0, "{stopped:?}");
        calls
    };
    (on(backend.open()), calls)
}

pub(super) fn a_decline_and_its_stop_are_one_commit(backend: &impl Backend) {
    let (engine, [declined, other]) = stop_and_restart(backend, 1);
    assert_eq!(ending(&engine, declined), RequestState::Closed(Ending::Declined));
    assert_eq!(ending(&engine, other), RequestState::Closed(Ending::Cancelled));
    let (state, now) = (engine.read_whole_state().unwrap(), engine.current_time().unwrap());
    assert_eq!(state.mode(&session(), now), Mode::Stopped);
    let retried = engine.retry(other, &owner()).unwrap();
    let decision = retried.decision();
    assert_eq!((decision.outcome, decision.reason), (Outcome::Deny, Reason::Stopped));
    let late = engine.decline_and_stop(AnswerTarget::Call(other), &no()).unwrap();
    assert_eq!((late.reply, late.changes), (AnswerReply::AlreadyAnswered, Vec::new()));
    let entries = engine.read_all_entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *engine.read_whole_state().unwrap());
}

pub(super) fn a_decline_that_is_not_recorded_stops_nothing(backend: &impl Backend) {
    let (engine, calls) = stop_and_restart(backend, 0);
    for call in calls {
        assert_eq!(ending(&engine, call), RequestState::Open);
    }
    assert_eq!(engine.check(&call("files.write")).unwrap().decision().outcome, Outcome::Ask);
    assert!(engine.read_whole_state().unwrap().sessions.contains_key(&session()));
    engine.answer(AnswerTarget::Call(calls[0]), &yes()).unwrap();
    assert!(matches!(engine.retry(calls[0], &owner()).unwrap(), CheckResult::Allowed { .. }));
}

#[test]
fn a_decline_and_stop_that_could_not_be_written_holds_all_the_same() {
    let store = Failing::on(Memory::empty());
    let commits_left = store.commits_left.clone();
    let engine = on(store);
    let [declined, other] = [ask(&engine, 1), ask(&engine, 2)];
    commits_left.store(0, Ordering::SeqCst);
    let refused = engine.decline_and_stop(AnswerTarget::Call(declined), &no()).unwrap_err();
    assert!(matches!(refused, EngineError::Unwritten(_)), "{refused}");
    assert!(engine.answer(AnswerTarget::Call(other), &yes()).is_err());
    commits_left.store(usize::MAX, Ordering::SeqCst);
    let late = engine.answer(AnswerTarget::Call(other), &yes()).unwrap();
    assert_eq!(late.reply, AnswerReply::AlreadyAnswered);
    let (state, now) = (engine.read_whole_state().unwrap(), engine.current_time().unwrap());
    assert_eq!(state.mode(&session(), now), Mode::Stopped);
}

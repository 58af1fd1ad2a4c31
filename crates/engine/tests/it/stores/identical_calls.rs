//! One call that an agent sends again and again: one request, a bounded list, and one answer for all.

use super::contract::Backend;
use crate::world::{call, on, owner, yes};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::ids::CallId;
use countersign_core::model::limits::CALLS_PER_REQUEST;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Request, Subject};
use countersign_core::model::words::{Choice, Effect, Outcome, Reason};
use countersign_core::state::CallState;
use countersign_engine::{AnswerTarget, CallUpdate, CheckResult, Engine, Store};
use countersign_ledger::{replay, verify};

fn ask<S: Store>(engine: &Engine<S>) -> CallId {
    let pending = engine.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    operation
}

fn the_request<S: Store>(engine: &Engine<S>) -> Request {
    let state = engine.read_whole_state().unwrap();
    let mut requests = state.requests.values();
    let request = requests.next().unwrap().clone();
    assert!(requests.next().is_none());
    request
}

fn listed(request: &Request) -> &[CallId] {
    let Subject::Calls(calls) = &request.subject else { panic!("{request:?}") };
    calls
}

fn state_of<S: Store>(engine: &Engine<S>, operation: CallId) -> CallState {
    engine.call_state(operation, &owner()).unwrap().unwrap()
}

fn retried<S: Store>(engine: &Engine<S>, operation: CallId) -> (Outcome, Reason) {
    let checked = engine.retry(operation, &owner()).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

fn check_replay<S: Store>(engine: &Engine<S>) {
    let entries = engine.read_all_entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *engine.read_whole_state().unwrap());
}

pub(super) fn a_request_lists_some_of_its_calls_and_counts_the_rest(backend: &impl Backend) {
    let engine = on(backend.open());
    let operations: Vec<CallId> = (0..CALLS_PER_REQUEST + 5).map(|_| ask(&engine)).collect();
    let request = the_request(&engine);
    assert_eq!(listed(&request), &operations[..CALLS_PER_REQUEST]);
    assert_eq!((request.more_calls, request.count_calls()), (5, operations.len() as u64));
    // A retry of a call that waits already does not count it again.
    let (first, last) = (operations[0], *operations.last().unwrap());
    for operation in [first, last] {
        assert_eq!(retried(&engine, operation), (Outcome::Ask, Reason::NoGrant));
    }
    assert_eq!(the_request(&engine).count_calls(), operations.len() as u64);
    // The answer reaches a call beyond the list like any other; the operator may name it, too.
    engine.answer(AnswerTarget::Call(last), &yes()).unwrap();
    assert!(operations.iter().all(|id| state_of(&engine, *id) == CallState::Approved));
    let redeemed = engine.retry(last, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    engine.complete(&permit.complete(Effect::Done)).unwrap();
    check_replay(&engine);
}

pub(super) fn a_cancelled_call_leaves_the_request_to_the_others(backend: &impl Backend) {
    let engine = on(backend.open());
    let operations: Vec<CallId> = (0..CALLS_PER_REQUEST + 2).map(|_| ask(&engine)).collect();
    let (first, beyond) = (operations[0], operations[CALLS_PER_REQUEST]);
    let last = *operations.last().unwrap();
    let cancel = |operation| engine.cancel(operation, &owner()).unwrap();
    assert_eq!(cancel(beyond), CallUpdate::Recorded);
    assert_eq!(the_request(&engine).more_calls, 1);
    assert_eq!(cancel(first), CallUpdate::Recorded);
    let request = the_request(&engine);
    assert_eq!(engine.count_open_requests().unwrap(), 1);
    assert_eq!(listed(&request), [&operations[1..CALLS_PER_REQUEST], &[last]].concat());
    assert_eq!(request.more_calls, 0);
    for operation in [first, beyond] {
        assert_eq!(retried(&engine, operation), (Outcome::Deny, Reason::Cancelled));
    }
    // The card is still about the call, and a no is for those that wait.
    let about = engine.read_request(request.id).unwrap();
    assert!(about.calls.contains_key(&operations[1]));
    for operation in operations.get(1..CALLS_PER_REQUEST - 1).unwrap() {
        assert_eq!(cancel(*operation), CallUpdate::Recorded);
    }
    let say = AnswerChoices::One(Choice::Decline);
    let no = Answer {
        say,
        note: "no".into(),
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    engine.answer(AnswerTarget::Request(request.id), &no).unwrap();
    let left = [operations[CALLS_PER_REQUEST - 1], last];
    assert!(left.iter().all(|id| state_of(&engine, *id) == CallState::Declined));
    assert_eq!(state_of(&engine, first), CallState::Cancelled);
    assert_eq!(cancel(last), CallUpdate::TooLate(CallState::Declined));
    check_replay(&engine);
}

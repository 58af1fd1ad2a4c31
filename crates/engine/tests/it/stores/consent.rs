//! Consent on every store: a yes, its use, its end, and the ledger of it.

use super::contract::Backend;
use crate::world::{agent, call, grant, on, owner, session, yes};
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::words::{Effect, Outcome, Presence, Reason};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{AnswerTarget, CheckResult, Commit, Engine, ReadScope, Store, StoreError};
use countersign_ledger::{replay, verify};
use serde_json::json;

fn outcome<S: Store>(engine: &Engine<S>, action: &str) -> (Outcome, Reason) {
    let checked = engine.check(&call(action)).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

/// AnswerTarget, gets a yes, uses it up, asks again; then a standing yes until it is revoked.
pub(super) fn a_yes_is_given_used_and_revoked(backend: &impl Backend) {
    let engine = on(backend.open());
    let pending = engine.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let answer = yes();
    engine.answer(AnswerTarget::Call(operation), &answer).unwrap();
    let redeemed = engine.retry(operation, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    engine.complete(&permit.complete(Effect::Done)).unwrap();
    assert_eq!(outcome(&engine, "files.write").0, Outcome::Ask);

    let coverage = Coverage::Action(Action::parse("files.write").unwrap());
    let terms = (Scope::Session, None, Confirmation::Plain);
    let grant = grant(&engine, session(), coverage, terms);
    let mut draft = call("files.write");
    draft.args = json!({"n": 1});
    assert!(matches!(engine.check(&draft).unwrap(), CheckResult::Allowed { .. }));
    let reached = engine.revoke(&session(), &Revoke::Grants(vec![grant.id])).unwrap();
    assert_eq!(reached, [grant.id]);
    draft.args = json!({"n": 2});
    assert_eq!(engine.check(&draft).unwrap().decision().outcome, Outcome::Ask);
    assert_eq!(outcome(&engine, "files.wipe"), (Outcome::Deny, Reason::Blocked));

    let entries = engine.read_all_entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *engine.read_whole_state().unwrap());
}

pub(super) fn sessions_are_kept_apart_and_a_pause_reaches_all_of_them(backend: &impl Backend) {
    let engine = on(backend.open());
    let everything = (Scope::Session, None, Confirmation::Plain);
    engine.open_session(&owner(), None).unwrap();
    grant(&engine, session(), Coverage::Everything, everything);
    let mut elsewhere = call("files.write");
    elsewhere.session = SessionKey::parse("agent-1 s2").unwrap();
    assert_eq!(engine.check(&elsewhere).unwrap().decision().outcome, Outcome::Ask);
    assert_eq!(outcome(&engine, "files.write").0, Outcome::Allow);
    engine.pause_agent(&agent()).unwrap();
    assert_eq!(outcome(&engine, "files.write"), (Outcome::Deny, Reason::Paused));
    let checked = engine.check(&elsewhere).unwrap();
    assert_eq!(checked.decision().reason, Reason::Paused);
    engine.resume_agent(&agent()).unwrap();
    assert_eq!(outcome(&engine, "files.write").0, Outcome::Allow);
}

/// The operator sees the requests of all sessions, and the calls they are about.
pub(super) fn open_requests_are_listed_in_pages(backend: &impl Backend) {
    let engine = on(backend.open());
    let mut elsewhere = call("files.write");
    elsewhere.session = SessionKey::parse("agent-1 s2").unwrap();
    let ids = [call("files.write"), elsewhere].map(|draft| {
        let pending = engine.check(&draft).unwrap();
        let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
        operation
    });
    engine.check(&call("files.read")).unwrap();
    let (asked, about) = engine.list_open_requests(None, 10).unwrap();
    assert_eq!((asked.len(), engine.count_open_requests().unwrap()), (2, 2));
    assert!(ids.iter().all(|id| about.calls.contains_key(id)));
    let (first, _) = engine.list_open_requests(None, 1).unwrap();
    let (second, about) = engine.list_open_requests(Some(first[0]), 1).unwrap();
    assert_eq!([first, second].concat(), asked);
    let last = about.requests.get(&asked[1]).unwrap();
    let answered = ids.into_iter().find(|id| last.lists_call(*id)).unwrap();
    assert_eq!(engine.list_open_requests(Some(asked[1]), 10).unwrap().0, []);
    engine.answer(AnswerTarget::Call(answered), &yes()).unwrap();
    assert_eq!(engine.list_open_requests(None, 10).unwrap().0, asked[..1]);
    assert_eq!(engine.count_open_requests().unwrap(), 1);
}

/// A commit that comes too late is refused whole: none of its changes is applied or recorded.
pub(super) fn a_commit_with_a_change_that_was_made_already_is_refused_whole(
    backend: &impl Backend,
) {
    {
        let engine = on(backend.open());
        let pending = engine.check(&call("files.write")).unwrap();
        let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
        engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    }
    let store = backend.open();
    let (entries, head) = (store.read_entries(0, usize::MAX).unwrap(), store.head().unwrap());
    let answer = entries.iter().rfind(|entry| entry.kind == Kind::RequestAnswered).unwrap();
    let (at, answer) = answer.change().unwrap();
    let changes = vec![Change::PresenceChanged { presence: Presence::Idle }, answer];
    let scope = ReadScope::for_session(&session());
    let basis = store.read(&scope).unwrap().basis;
    let refused = store.commit(Commit { scope, basis, at, changes }).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
    assert_eq!(store.head().unwrap(), head);
    let state = store.read(&ReadScope::globals()).unwrap().state;
    assert_ne!(state.presence, Presence::Idle);
}

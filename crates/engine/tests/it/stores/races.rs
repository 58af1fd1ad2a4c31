//! Steps at the same time: what one of them changes, the others see or wait for.

use super::contract::Backend;
use crate::world::{agent, call, grant, owner, session};
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Confirmation, Coverage, GrantState, Scope};
use countersign_core::model::names::SessionKey;
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::words::{Outcome, Reason};
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{CheckResult, Engine, Store};
use serde_json::json;
use std::sync::Barrier;

const CALLERS: usize = 8;

/// Rounds of a race on the fastest backend.
const ROUNDS: usize = 60;

/// Does this on all engines at once, as often as there are callers, and returns the results.
fn at_once<S: Store, T: Send>(
    engines: &[Engine<S>],
    callers: usize,
    act: impl Fn(&Engine<S>, usize) -> T + Sync,
) -> Vec<T> {
    let barrier = Barrier::new(callers);
    std::thread::scope(|scope| {
        let callers: Vec<_> = engines
            .iter()
            .cycle()
            .take(callers)
            .enumerate()
            .map(|(number, engine)| {
                let (barrier, act) = (&barrier, &act);
                scope.spawn(move || {
                    barrier.wait();
                    act(engine, number)
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    })
}

/// Engines that let an agent have more open questions than a race needs.
fn open_engines<B: Backend>(backend: &B) -> Vec<Engine<B::Store>> {
    let room = QuestionLimits { per_session: 10_000, per_agent: 10_000, in_all: 10_000 };
    backend.open_engines().into_iter().map(|engine| engine.with_question_limits(room)).collect()
}

/// A session for each round, opened before the race.
fn open_round<S: Store>(engine: &Engine<S>, round: usize) -> SessionKey {
    let session = SessionKey::parse(&format!("agent-1 round-{round}")).unwrap();
    let owner = countersign_engine::SessionOwner::from_key(session.clone());
    engine.open_session(&owner, None).unwrap();
    session
}

fn draft(action: &str, session: &SessionKey) -> CallDraft {
    CallDraft { session: session.clone(), ..call(action) }
}

pub(super) fn one_event_goes_to_one_destination(backend: &impl Backend) {
    let engines = open_engines(backend);
    for round in 0..backend.rounds(ROUNDS) {
        let session = open_round(&engines[0], round);
        let results = at_once(&engines, CALLERS, |engine, number| {
            let mut draft = draft("notifications.push", &session);
            draft.args = json!({ "event": "one" });
            draft.target = vec![format!("place-{number}")];
            let checked = engine.check(&draft).unwrap();
            (checked.decision().outcome, checked.decision().reason)
        });
        let passed = results.iter().filter(|(outcome, _)| *outcome == Outcome::Allow).count();
        let fanned_out = results.iter().filter(|(_, reason)| *reason == Reason::FanOut).count();
        assert_eq!((passed, fanned_out), (1, CALLERS - 1), "round {round}: {results:?}");
    }
    assert!(engines[0].replay().unwrap().is_consistent());
}

pub(super) fn one_digest_has_one_open_request(backend: &impl Backend) {
    let engines = open_engines(backend);
    for round in 0..backend.rounds(ROUNDS) {
        let session = open_round(&engines[0], round);
        at_once(&engines, CALLERS, |engine, _| {
            let checked = engine.check(&draft("files.write", &session)).unwrap();
            assert!(matches!(checked, CheckResult::Pending { .. }), "{checked:?}");
        });
        let state = engines[0].read_whole_state().unwrap();
        let open = state.requests.values().filter(|request| request.session == session).count();
        assert_eq!(open, 1, "round {round}");
    }
    assert!(engines[0].replay().unwrap().is_consistent());
}

pub(super) fn a_grant_that_is_revoked_twice_at_once_stays_in_the_record(backend: &impl Backend) {
    let engines = open_engines(backend);
    for round in 0..backend.rounds(ROUNDS) {
        let session = open_round(&engines[0], round);
        let terms = (Scope::Session, None, Confirmation::Plain);
        let grant = grant(&engines[0], session.clone(), Coverage::Everything, terms).id;
        let ended = at_once(&engines, 2, |engine, number| {
            let revoke = if number == 0 { Revoke::Grants(vec![grant]) } else { Revoke::All };
            engine.revoke(&session, &revoke).unwrap().len()
        });
        assert_eq!(ended.iter().sum::<usize>(), 1, "round {round}");
        let state = engines[0].read_whole_state().unwrap();
        assert_eq!(state.grants.get(grant).unwrap().state, GrantState::Revoked, "round {round}");
    }
    assert!(engines[0].replay().unwrap().is_consistent());
}

/// Calls that use one grant do not conflict. Their uses are counted all the same.
pub(super) fn every_use_of_a_grant_is_counted(backend: &impl Backend) {
    const USES: usize = 8;
    let engines = open_engines(backend);
    for round in 0..ROUNDS / 10 {
        let session = open_round(&engines[0], round);
        let terms = (Scope::Session, None, Confirmation::Plain);
        let grant = grant(&engines[0], session.clone(), Coverage::Everything, terms).id;
        // On one node, so that a batch often contains several calls of the session.
        at_once(&engines[..1], CALLERS, |engine, number| {
            for used in 0..USES {
                let mut draft = draft("files.write", &session);
                draft.args = json!({ "caller": number, "used": used });
                let checked = engine.check(&draft).unwrap();
                assert_eq!(checked.decision().outcome, Outcome::Allow, "{checked:?}");
            }
        });
        let state = engines[0].read_whole_state().unwrap();
        let uses = state.grants.get(grant).map(|grant| grant.uses as usize);
        assert_eq!(uses, Some(CALLERS * USES), "round {round}");
    }
    assert!(engines[0].replay().unwrap().is_consistent());
}

/// The order in the ledger is the order in which things were decided.
pub(super) fn decisions_beside_a_pause_are_replayed(backend: &impl Backend) {
    let engines = open_engines(backend);
    for round in 0..backend.rounds(ROUNDS) {
        let session = open_round(&engines[0], round);
        at_once(&engines, CALLERS, |engine, number| match number {
            0 => engine.pause_agent(&agent()).unwrap(),
            _ => drop(engine.check(&draft("files.read", &session)).unwrap()),
        });
        engines[0].resume_agent(&agent()).unwrap();
    }
    let report = engines[0].replay().unwrap();
    assert!(report.is_consistent(), "{report:?}");
}

/// Many calls in one session do not keep an operator's acts from being committed.
pub(super) fn an_operator_is_not_starved_by_a_busy_session(backend: &impl Backend) {
    let engines = open_engines(backend);
    engines[0].open_session(&owner(), None).unwrap();
    let rounds = backend.rounds(ROUNDS);
    at_once(&engines, CALLERS, |engine, number| {
        for round in 0..rounds {
            let (once, terms) = (Coverage::Everything, (Scope::Once, None, Confirmation::Plain));
            match number {
                0 => drop(grant(engine, session(), once, terms)),
                1 => drop(engine.revoke(&session(), &Revoke::All).unwrap()),
                _ => {
                    let mut draft = call("files.write");
                    draft.args = json!({ "round": round, "caller": number });
                    drop(engine.check(&draft).unwrap());
                }
            }
        }
    });
    assert!(engines[0].replay().unwrap().is_consistent());
}

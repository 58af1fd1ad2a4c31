//! Several nodes on one PostgreSQL: what one of them hears, all of them know.

use super::schema;
use crate::world::{agent, bare_on_node, call, grant, on, on_node, owner, session, yes};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{NodeName, SessionKey, Workflow};
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::request::Attendance;
use countersign_core::model::run::RunState;
use countersign_core::model::words::{Effect, Outcome};
use countersign_core::state::CallState;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    AnswerTarget, CallUpdate, ChangeFeed, CheckResult, Engine, EngineError, Permit, Postgres,
    PostgresSettings,
};
use countersign_ledger::{replay, verify};
use countersign_scratch::Pooler;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::Duration;

fn node(settings: &PostgresSettings) -> Engine<Postgres> {
    on(Postgres::open(settings.clone()).unwrap())
}

fn answered_elsewhere(settings: &PostgresSettings) {
    let (asking, answering) = (node(settings), node(settings));
    let pending = asking.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let (sender, woken) = channel();
    asking.add_commit_listener(Arc::new(move |_| sender.send(()).unwrap_or(())));
    answering.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    woken.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(asking.call_state(operation, &owner()).unwrap(), Some(CallState::Approved));
    let redeemed = asking.retry(operation, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    asking.complete(&permit.complete(Effect::Done)).unwrap();
    verify(&answering.read_all_entries().unwrap()).unwrap();
}

#[test]
fn an_answer_on_one_node_wakes_who_waits_on_another() {
    answered_elsewhere(&schema());
}

#[test]
fn without_notifications_an_answer_is_found_by_looking() {
    let mut settings = schema();
    settings.change_feed = ChangeFeed::Poll;
    answered_elsewhere(&settings);
}

#[test]
fn a_revocation_holds_on_every_node_as_soon_as_it_is_acknowledged() {
    let settings = schema();
    let (one, other) = (
        node(&settings),
        node(&settings)
            .with_question_limits(QuestionLimits { per_session: 20, ..QuestionLimits::default() }),
    );
    for round in 0..20 {
        one.open_session(&owner(), None).unwrap();
        let terms = (Scope::Session, None, Confirmation::Plain);
        grant(&one, session(), Coverage::Everything, terms);
        let mut draft = call("files.write");
        draft.args = json!({ "round": round });
        let allowed = other.check(&draft).unwrap();
        assert_eq!(allowed.decision().outcome, Outcome::Allow);
        one.revoke(&session(), &Revoke::All).unwrap();
        draft.args = json!({"round": round, "after": true});
        assert_eq!(other.check(&draft).unwrap().decision().outcome, Outcome::Ask);
    }
}

#[test]
fn two_nodes_redeem_a_once_grant_once() {
    redeemed_once(&schema());
}

fn redeemed_once(settings: &PostgresSettings) {
    let nodes = [node(settings), node(settings)];
    for _ in 0..20 {
        nodes[0].open_session(&owner(), None).unwrap();
        let terms = (Scope::Once, None, Confirmation::Plain);
        grant(&nodes[0], session(), Coverage::Everything, terms);
        let (won, barrier) = (AtomicUsize::new(0), Barrier::new(2));
        std::thread::scope(|scope| {
            for node in &nodes {
                let (won, barrier) = (&won, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    if let Ok(CheckResult::Allowed { permit, .. }) =
                        node.check(&call("files.write"))
                    {
                        won.fetch_add(1, Ordering::SeqCst);
                        node.complete(&permit.complete(Effect::Done)).unwrap();
                    }
                });
            }
        });
        assert_eq!(won.load(Ordering::SeqCst), 1);
    }
    verify(&nodes[1].read_all_entries().unwrap()).unwrap();
}

/// A task of the gateway is a call on record, so every node reads its state there.
#[test]
fn a_call_that_one_node_withdraws_and_another_carries_out_ends_in_one_state_for_both() {
    let settings = schema();
    let [one, other] = [node(&settings), node(&settings)];
    for number in 0..20 {
        let mut draft = call("files.write");
        draft.args = json!({"number": number});
        let pending = one.check(&draft).unwrap();
        let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
        let state = |node: &Engine<Postgres>| {
            node.read_own_call(operation, &owner()).unwrap().unwrap().state
        };
        assert_eq!(state(&other), CallState::Parked);
        let barrier = Barrier::new(2);
        let (is_done, withdrawn) = std::thread::scope(|scope| {
            let executing = scope.spawn(|| {
                barrier.wait();
                one.answer(AnswerTarget::Call(operation), &yes()).unwrap();
                match one.retry(operation, &owner()) {
                    Ok(CheckResult::Allowed { permit, .. }) => {
                        one.complete(&permit.complete(Effect::Done)).unwrap();
                        true
                    }
                    Ok(_) | Err(_) => false,
                }
            });
            let withdrawing = scope.spawn(|| {
                barrier.wait();
                other.cancel(operation, &owner()).unwrap()
            });
            (executing.join().unwrap(), withdrawing.join().unwrap())
        });
        assert!(is_done != (withdrawn == CallUpdate::Recorded), "{is_done}, {withdrawn:?}");
        let end = if is_done { CallState::Ended(Effect::Done) } else { CallState::Cancelled };
        assert_eq!([state(&one), state(&other)], [end; 2]);
    }
    verify(&one.read_all_entries().unwrap()).unwrap();
}

/// The pooler has fewer connections than the nodes, and hands them round after each transaction.
#[test]
fn nodes_decide_alike_through_a_pooler() {
    let pooler = Pooler::start(&countersign_scratch::shared_server_address()).unwrap();
    let mut settings = schema();
    settings.url = pooler.address();
    settings.change_feed = ChangeFeed::Poll;
    answered_elsewhere(&settings);
    redeemed_once(&settings);
}

#[test]
fn a_database_that_is_not_there_is_a_refusal() {
    let settings = PostgresSettings::new("host=/nowhere user=postgres");
    let refused = Postgres::open(settings).err().unwrap().to_string();
    assert!(refused.contains("reaching the database"), "{refused}");
}

fn named(settings: &PostgresSettings, name: &str) -> Engine<Postgres> {
    let store = Postgres::open(settings.clone()).unwrap();
    on_node(store, NodeName::parse(name).unwrap())
}

fn permitted(node: &Engine<Postgres>, number: u32) -> Permit {
    let mut draft = call("files.read");
    draft.session = SessionKey::parse(&format!("agent-1 s{number}")).unwrap();
    draft.args = json!({ "number": number });
    let checked = node.check(&draft).unwrap();
    let CheckResult::Allowed { permit, .. } = checked else { panic!("{checked:?}") };
    permit
}

fn state_of(node: &Engine<Postgres>, call: CallId) -> CallState {
    node.read_whole_state().unwrap().calls.get(&call).unwrap().state
}

fn run(node: &Engine<Postgres>, session: &str) -> RunId {
    let draft = StartDraft {
        session: SessionKey::parse(&format!("agent-1 {session}")).unwrap(),
        agent: agent(),
        project: None,
        workflow: Workflow::parse("implement-feature-X").unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    };
    node.start_run(&draft).unwrap().0
}

/// What another node has running goes on.
#[test]
fn a_restart_touches_what_its_own_node_had_running() {
    let settings = schema();
    let (one, other) = (named(&settings, "one"), named(&settings, "other"));
    let (mine, theirs) = (permitted(&one, 1), permitted(&other, 2));
    let (my_run, their_run) = (run(&one, "s1"), run(&other, "s2"));
    drop(one);
    let one = named(&settings, "one");
    assert_eq!(state_of(&one, mine.call()), CallState::Ended(Effect::Unknown));
    assert_eq!(state_of(&one, theirs.call()), CallState::Executing);
    let state = one.read_whole_state().unwrap();
    assert_eq!(state.runs.get(&my_run).unwrap().state, RunState::Suspended);
    assert_eq!(state.runs.get(&their_run).unwrap().state, RunState::Live);
    // Its owner has ten minutes to take it up, also while the node serves.
    assert!(one.reattach_run(my_run, &owner()).unwrap());
    other.complete(&theirs.complete(Effect::Done)).unwrap();
    let late = one.complete(&mine.complete(Effect::Done)).unwrap();
    assert_eq!(late, CallUpdate::TooLate(CallState::Ended(Effect::Unknown)));
    let entries = other.read_all_entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *other.read_whole_state().unwrap());
}

#[test]
fn a_run_is_taken_up_again_before_its_node_serves() {
    let settings = schema();
    let one = named(&settings, "one");
    let run = run(&one, "s1");
    drop(one);
    let engine = bare_on_node(Postgres::open(settings).unwrap(), NodeName::parse("one").unwrap());
    engine
        .open(|opening| {
            assert!(matches!(engine.check(&call("files.read")), Err(EngineError::NotOpen)));
            assert!(opening.reattach_run(run, &owner())?);
            Ok(())
        })
        .unwrap();
    assert_eq!(engine.read_whole_state().unwrap().runs.get(&run).unwrap().state, RunState::Live);
}

/// An operator says so; and if that was wrong, what the node still does is refused.
#[test]
fn a_node_that_does_not_come_back_is_retired() {
    let settings = schema();
    let (lost, other) = (named(&settings, "lost"), named(&settings, "other"));
    let permit = permitted(&lost, 1);
    let run = run(&lost, "s1");
    let names: Vec<String> =
        other.list_nodes().unwrap().into_iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names, ["lost", "other"]);
    other.retire_node(&NodeName::parse("lost").unwrap()).unwrap();
    assert_eq!(state_of(&other, permit.call()), CallState::Ended(Effect::Unknown));
    let late = lost.complete(&permit.complete(Effect::Done)).unwrap();
    assert_eq!(late, CallUpdate::TooLate(CallState::Ended(Effect::Unknown)));
    assert!(other.reattach_run(run, &owner()).unwrap());
}

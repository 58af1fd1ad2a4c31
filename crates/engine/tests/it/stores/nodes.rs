//! Several nodes on one PostgreSQL: what one of them hears, all of them know.

use super::schema;
use crate::world::{agent, bare_on_node, call, on, on_node, session, yes};
use countersign_core::ledger::{replay, verify};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{NodeName, SessionName, Workflow};
use countersign_core::model::request::Attendance;
use countersign_core::model::run::RunState;
use countersign_core::model::words::{Effect, Outcome, RunEnding};
use countersign_core::state::CallState;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    Asks, ChangeFeed, Checked, Engine, EngineError, Permit, Postgres, PostgresSettings, Waited,
};
use countersign_scratch::Pooler;
use serde_json::json;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn node(settings: &PostgresSettings) -> Engine<Postgres> {
    on(Postgres::open(settings.clone()).unwrap())
}

fn answered_elsewhere(settings: &PostgresSettings) {
    let (asking, answering) = (node(settings), node(settings));
    let pending = asking.check(&call("files.write")).unwrap();
    let Checked::Pending { operation, .. } = pending else { panic!("{pending:?}") };
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| asking.wait(operation, &session(), Duration::from_secs(30)).unwrap());
        answering.answer(Asks::Call(operation), &yes()).unwrap();
        assert_eq!(waiting.join().unwrap(), Waited::Settled(CallState::Approved));
    });
    let redeemed = asking.retry(operation, &session(), &agent()).unwrap();
    let Checked::Permit { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    asking.finish(permit, Effect::Done).unwrap();
    verify(&answering.entries().unwrap()).unwrap();
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
    let (one, other) = (node(&settings), node(&settings));
    for round in 0..20 {
        one.open(&session(), &agent(), None).unwrap();
        let terms = (Scope::Session, None, Confirmation::Plain);
        one.grant((&session(), &agent()), &Coverage::Everything, terms).unwrap();
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
        nodes[0].open(&session(), &agent(), None).unwrap();
        let terms = (Scope::Once, None, Confirmation::Plain);
        nodes[0].grant((&session(), &agent()), &Coverage::Everything, terms).unwrap();
        let (won, barrier) = (AtomicUsize::new(0), Barrier::new(2));
        std::thread::scope(|scope| {
            for node in &nodes {
                let (won, barrier) = (&won, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    if let Ok(Checked::Permit { permit, .. }) = node.check(&call("files.write")) {
                        won.fetch_add(1, Ordering::SeqCst);
                        node.finish(permit, Effect::Done).unwrap();
                    }
                });
            }
        });
        assert_eq!(won.load(Ordering::SeqCst), 1);
    }
    verify(&nodes[1].entries().unwrap()).unwrap();
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
    draft.session = SessionName::parse(&format!("s{number}")).unwrap();
    draft.args = json!({ "number": number });
    let checked = node.check(&draft).unwrap();
    let Checked::Permit { permit, .. } = checked else { panic!("{checked:?}") };
    permit
}

fn state_of(node: &Engine<Postgres>, call: CallId) -> CallState {
    node.state().unwrap().calls.get(&call).unwrap().state
}

fn run(node: &Engine<Postgres>, session: &str) -> RunId {
    let draft = StartDraft {
        session: SessionName::parse(session).unwrap(),
        agent: agent(),
        project: None,
        workflow: Workflow::parse("implement-feature-X").unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
    };
    node.start(&draft).unwrap().0
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
    let state = one.state().unwrap();
    assert_eq!(state.runs.get(&my_run).unwrap().state, RunState::Ended(RunEnding::Abandoned));
    assert_eq!(state.runs.get(&their_run).unwrap().state, RunState::Live);
    other.finish(theirs, Effect::Done).unwrap();
    assert!(one.finish(mine, Effect::Done).is_err());
    let entries = other.entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *other.state().unwrap());
}

#[test]
fn a_run_is_taken_up_again_before_its_node_serves() {
    let settings = schema();
    let one = named(&settings, "one");
    let run = run(&one, "s1");
    drop(one);
    let engine = bare_on_node(Postgres::open(settings).unwrap(), NodeName::parse("one").unwrap());
    engine
        .serve(|opening| {
            assert!(matches!(engine.check(&call("files.read")), Err(EngineError::Closed)));
            assert!(opening.reattach(run, &session(), &agent())?);
            Ok(())
        })
        .unwrap();
    assert_eq!(engine.state().unwrap().runs.get(&run).unwrap().state, RunState::Live);
}

/// An operator says so; and if that was wrong, what the node still does is refused.
#[test]
fn a_node_that_does_not_come_back_is_retired() {
    let settings = schema();
    let (lost, other) = (named(&settings, "lost"), named(&settings, "other"));
    let permit = permitted(&lost, 1);
    let run = run(&lost, "s1");
    let names: Vec<String> =
        other.nodes().unwrap().into_iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names, ["lost", "other"]);
    other.retire(&NodeName::parse("lost").unwrap()).unwrap();
    assert_eq!(state_of(&other, permit.call()), CallState::Ended(Effect::Unknown));
    assert!(lost.finish(permit, Effect::Done).is_err());
    assert!(other.reattach(run, &session(), &agent()).unwrap());
}

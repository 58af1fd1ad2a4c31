//! Several nodes on one PostgreSQL: what one of them hears, all of them know.

use super::schema;
use crate::world::{agent, call, on, session, yes};
use countersign_core::grant::{Confirmation, Coverage, Scope};
use countersign_core::ledger::verify;
use countersign_core::revoke::Revoke;
use countersign_core::state::CallState;
use countersign_core::words::{Effect, Outcome};
use countersign_engine::{Asks, Checked, Engine, Hints, Postgres, PostgresSettings, Waited};
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
    settings.hints = Hints::Poll;
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
    let pooler = Pooler::start(&countersign_scratch::shared()).unwrap();
    let mut settings = schema();
    settings.url = pooler.address();
    settings.hints = Hints::Poll;
    answered_elsewhere(&settings);
    redeemed_once(&settings);
}

#[test]
fn a_database_that_is_not_there_is_a_refusal() {
    let settings = PostgresSettings::new("host=/nowhere user=postgres");
    let refused = Postgres::open(settings).err().unwrap().to_string();
    assert!(refused.contains("reaching the database"), "{refused}");
}

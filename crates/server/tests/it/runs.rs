//! Runs that a restart left behind: taken up by their owner, or ended by the operator.

use crate::house::{House, refusal};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Agent, NodeName, SessionName, Workflow};
use countersign_core::model::request::Attendance;
use countersign_engine::{Engine, Store};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: []}
workflows:
  look: {actions: [files.read]}
";

fn started(engine: &Engine<Box<dyn Store>>, session: &str) -> RunId {
    let draft = StartDraft {
        session: SessionName::parse(session).unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        workflow: Workflow::parse("look").unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
    };
    engine.start_run(&draft).unwrap().0
}

/// Two runs of one session and one of another wait for their owner.
fn left_behind() -> (House, [RunId; 3]) {
    let mut runs = None;
    let house = House::after(GRAPH, |engine| {
        runs = Some(["s1", "s1", "s2"].map(|session| started(engine, session)));
        engine.retire_node(NodeName::local()).unwrap();
    });
    (house, runs.unwrap())
}

fn reconciled(house: &House, session: &str) -> Value {
    house.operator().post("/v1/workflows/reconcile", &json!({"session": session})).unwrap()
}

fn state(house: &House, run: RunId) -> Value {
    house.operator().get(&format!("/v1/runs/{run}")).unwrap()["state"].clone()
}

#[test]
fn reconciling_a_session_ends_what_nobody_took_up_and_nothing_else() {
    let (house, [taken_up, left, elsewhere]) = left_behind();
    let owner = house.agent().with_token(Some(house.token(&json!({"agent": "coder"}))));
    let take_up = |run: RunId, session: &str| {
        owner.post(&format!("/v1/runs/{run}/reattach"), &json!({"session": session}))
    };
    assert_eq!(state(&house, taken_up), "suspended");
    assert_eq!(take_up(taken_up, "s1").unwrap()["state"], "live");
    assert_eq!(reconciled(&house, "s1"), json!({"swept": true}));
    let states = [taken_up, left, elsewhere].map(|run| state(&house, run));
    assert_eq!(states, ["live", "ended", "suspended"]);
    let in_use = json!({"swept": false, "reason": "active_run_present"});
    assert_eq!(reconciled(&house, "s1"), in_use);
    assert_eq!(refusal(take_up(left, "s1")), (409, "conflict".to_owned()));
    assert_eq!(take_up(elsewhere, "s2").unwrap()["state"], "live");
    let unknown = json!({"swept": false, "reason": "no_session"});
    assert_eq!(reconciled(&house, "s9"), unknown);
}

#[test]
fn only_its_owner_takes_a_run_up_again() {
    let (house, [run, ..]) = left_behind();
    let other = house.agent().with_token(Some(house.token(&json!({"agent": "another"}))));
    let own = json!({"session": "s1"});
    let path = format!("/v1/runs/{run}/reattach");
    assert_eq!(refusal(other.post(&path, &own)).0, 409);
    assert_eq!(state(&house, run), "suspended");
}

//! Runs that a restart interrupted: their owner reattaches them, or the operator ends them.

use crate::test_server::{TestServer, expect_error};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Agent, NodeName, SessionKey, Workflow};
use countersign_core::model::request::Attendance;
use countersign_engine::{Engine, Store};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: []}
workflows:
  look: {actions: [files.read]}
";

fn start_run(engine: &Engine<Box<dyn Store>>, session: &str) -> RunId {
    let draft = StartDraft {
        session: SessionKey::parse(&format!("coder {session}")).unwrap(),
        agent: Agent::parse("coder").unwrap(),
        project: None,
        workflow: Workflow::parse("look").unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    };
    engine.start_run(&draft).unwrap().0
}

/// Two runs of one session and one of another wait for their owner.
fn interrupted_runs() -> (TestServer, [RunId; 3]) {
    let mut runs = None;
    let server = TestServer::with_history(GRAPH, |engine| {
        runs = Some(["s1", "s1", "s2"].map(|session| start_run(engine, session)));
        engine.retire_node(NodeName::local()).unwrap();
    });
    (server, runs.unwrap())
}

fn reconcile(server: &TestServer, session: &str) -> Value {
    server.operator().post("/v1/workflows/reconcile", &json!({"session": session})).unwrap()
}

fn state(server: &TestServer, run: RunId) -> Value {
    server.operator().get(&format!("/v1/runs/{run}")).unwrap()["state"].clone()
}

#[test]
fn reconciling_a_session_ends_its_interrupted_runs_only() {
    let (server, [taken_up, left, elsewhere]) = interrupted_runs();
    let owner = server.agent().with_token(Some(server.issue_token(&json!({"agent": "coder"}))));
    let take_up = |run: RunId, session: &str| {
        owner.post(&format!("/v1/runs/{run}/reattach"), &json!({"session": session}))
    };
    assert_eq!(state(&server, taken_up), "suspended");
    assert_eq!(take_up(taken_up, "s1").unwrap()["state"], "live");
    assert_eq!(reconcile(&server, "s1"), json!({"swept": true}));
    let states = [taken_up, left, elsewhere].map(|run| state(&server, run));
    assert_eq!(states, ["live", "ended", "suspended"]);
    let in_use = json!({"swept": false, "reason": "active_run_present"});
    assert_eq!(reconcile(&server, "s1"), in_use);
    assert_eq!(expect_error(take_up(left, "s1")), (409, "conflict".to_owned()));
    assert_eq!(take_up(elsewhere, "s2").unwrap()["state"], "live");
    let unknown = json!({"swept": false, "reason": "no_session"});
    assert_eq!(reconcile(&server, "s9"), unknown);
}

#[test]
fn only_its_owner_reattaches_a_run() {
    let (server, [run, ..]) = interrupted_runs();
    let other = server.agent().with_token(Some(server.issue_token(&json!({"agent": "another"}))));
    let own = json!({"session": "s1"});
    let path = format!("/v1/runs/{run}/reattach");
    assert_eq!(expect_error(other.post(&path, &own)).0, 404);
    assert_eq!(state(&server, run), "suspended");
}

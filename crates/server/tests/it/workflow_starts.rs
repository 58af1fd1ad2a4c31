//! The start of a run: waiting for its answer, reading, cancelling, and what the card marks.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  notes: {autonomous: [read], requires_approval: [add, tag], blocked: [wipe], actions: {tag: {always_ask: true}}}
  shop: {autonomous: [], requires_approval: [refund], blocked: [], actions: {refund: {risk: high}}}
workflows:
  tidy:
    actions: [notes.read, notes.add, notes.tag, notes.wipe, shop.refund]
    steps: [{name: collect, actions: [notes.add]}, {name: close, actions: [notes.read]}]
";

fn start(server: &TestServer, wait_ms: u32) -> Value {
    let body = json!({"session": "s1", "workflow": "tidy", "wait_ms": wait_ms});
    server.agent().post("/v1/runs", &body).unwrap()
}

fn run_path(started: &Value, rest: &str) -> String {
    format!("/v1/runs/{}{rest}", started["run_id"].as_str().unwrap())
}

fn read(server: &TestServer, started: &Value) -> Value {
    server.agent().get(&run_path(started, "?session=s1")).unwrap()
}

fn decline(server: &TestServer) {
    let card = server.card();
    let body = json!({"digest": card["digest"], "choice": "decline", "note": "not now"});
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    server.operator().post(&path, &body).unwrap();
}

fn own() -> Value {
    json!({"session": "s1"})
}

#[test]
fn a_start_is_waited_for_and_its_run_shows_step_grant_and_end() {
    let server = TestServer::with_graph(GRAPH);
    let started = std::thread::scope(|scope| {
        let started = scope.spawn(|| start(&server, 20_000));
        server.wait_for_card();
        server.answer_card(&server.card(), "once").unwrap();
        started.join().unwrap()
    });
    assert_eq!((&started["status"], &started["outcome"]), (&json!("started"), &json!("allow")));
    let run = read(&server, &started);
    assert_eq!((&run["state"], &run["step"]), (&json!("live"), &Value::Null));
    assert_eq!(run["grant"]["grant_id"], started["grant_id"]);
    assert_eq!(run["grant"]["in_force"], true);
    let call = json!({
        "session": "s1", "actions": ["notes.add"], "run": started["run_id"], "step": "collect",
    });
    let added = server.agent().post("/v1/check", &call).unwrap();
    assert_eq!((&added["status"], &added["reason"]), (&json!("allowed"), &json!("granted")));
    assert_eq!(read(&server, &started)["step"], "collect");
    server.agent().post(&run_path(&started, "/end"), &own()).unwrap();
    let run = read(&server, &started);
    assert_eq!((&run["state"], &run["ended"]["how"]), (&json!("ended"), &json!("completed")));
    assert!(run["ended"]["at"].is_string() && run["grant"]["in_force"] == false, "{run}");
    let seen = server.operator().get(&run_path(&started, "")).unwrap();
    assert_eq!((&seen["step"], &seen["grant"]), (&json!("collect"), &started["grant_id"]));
}

#[test]
fn the_card_marks_the_actions_that_will_still_ask() {
    let server = TestServer::with_graph(GRAPH);
    let started = start(&server, 0);
    let card = server.card();
    let lines = card["exact"][0]["lines"].as_array().unwrap();
    let lines: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "notes.read",
            "notes.add",
            "notes.tag (will still ask)",
            "notes.wipe (the graph denies it)",
            "shop.refund (will still ask)"
        ]
    );
    let within: Vec<Value> = read(&server, &started)["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["within_run"].clone())
        .collect();
    assert_eq!(within, ["covered", "covered", "asks", "denied", "asks"]);
}

#[test]
fn the_same_start_is_one_request_while_it_is_open() {
    let server = TestServer::with_graph(GRAPH);
    let (first, second) = (start(&server, 0), start(&server, 0));
    assert_eq!((&first["status"], &first["run_id"]), (&json!("pending"), &second["run_id"]));
    assert_eq!(first["request_id"], second["request_id"]);
    server.answer_card(&server.card(), "once").unwrap();
    let wait = json!({"session": "s1", "wait_ms": 20_000});
    let run = server.agent().post(&run_path(&first, "/wait"), &wait).unwrap();
    assert_eq!(run["state"], "live");
    // The next start is a new one.
    assert_ne!(start(&server, 0)["run_id"], first["run_id"]);
}

#[test]
fn declined_waiting_cancelled_and_unknown_differ() {
    let server = TestServer::with_graph(GRAPH);
    let agent = server.agent();
    let waiting = start(&server, 0);
    let end = run_path(&waiting, "/end");
    assert_eq!(expect_error(agent.post(&end, &own())), (409, "pending".to_owned()));
    let call = json!({"session": "s1", "actions": ["notes.add"], "run": waiting["run_id"]});
    let early = agent.post("/v1/check", &call).unwrap();
    assert_eq!(early["reason"], "no_grant", "the run allows nothing yet: {early}");
    let withdrawn = format!("/v1/operations/{}/cancel", early["operation_id"].as_str().unwrap());
    agent.post(&withdrawn, &own()).unwrap();
    let cancelled = agent.post(&run_path(&waiting, "/cancel"), &own()).unwrap();
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!(server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
    assert_eq!(expect_error(agent.post(&end, &own())), (409, "conflict".to_owned()));

    let declined = std::thread::scope(|scope| {
        let started = scope.spawn(|| start(&server, 20_000));
        server.wait_for_card();
        decline(&server);
        started.join().unwrap()
    });
    assert_eq!(
        [&declined["status"], &declined["error"], &declined["note"]],
        [&json!("declined"), &json!("consent denied"), &json!("not now")]
    );
    let run = read(&server, &declined);
    assert_eq!((&run["state"], &run["error"]), (&json!("declined"), &json!("consent denied")));
    let end = run_path(&declined, "/end");
    assert_eq!(expect_error(agent.post(&end, &own())), (409, "consent_denied".to_owned()));
    let call = json!({"session": "s1", "actions": ["notes.add"], "run": declined["run_id"]});
    let denied = agent.post("/v1/check", &call).unwrap();
    assert!(denied["sentence"].as_str().unwrap().contains("consent denied"), "{denied}");
    // Asked again, it is declined without a card, with the same note.
    let again = start(&server, 0);
    assert_eq!((&again["status"], &again["error"]), (&json!("declined"), &json!("consent denied")));

    let nobody = "/v1/runs/w000007019b8d627a8070008000000000";
    assert_eq!(expect_error(agent.post(&format!("{nobody}/end"), &own())).0, 404);
    assert_eq!(expect_error(agent.get(&format!("{nobody}?session=s1"))).0, 404);
}

#[test]
fn a_live_run_can_be_cancelled() {
    let server = TestServer::with_graph(GRAPH);
    let started = start(&server, 0);
    server.answer_card(&server.card(), "session").unwrap();
    let cancelled = server.agent().post(&run_path(&started, "/cancel"), &own()).unwrap();
    assert_eq!(cancelled["state"], "ended");
    assert_eq!(read(&server, &started)["ended"]["how"], "cancelled");
    // The class grant spares the next prompt.
    let next = start(&server, 0);
    assert_eq!((&next["status"], &next["reason"]), (&json!("started"), &json!("granted")));
}

//! What an agent lists of its own: consent, requests, calls, and the last records.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

fn consent(server: &TestServer) -> Value {
    server.agent().get("/v1/consent?session=s1").unwrap()
}

#[test]
fn an_agent_lists_its_own_consent_requests_and_calls() {
    let server = TestServer::open();
    let nothing = json!({
        "grants": [], "requests": [], "operations": [], "runs": [], "truncated": false,
        "lines": [],
    });
    assert_eq!(consent(&server), nothing);
    let operation = server.park_call();
    let found = consent(&server);
    assert_eq!(found["requests"][0]["operations"], json!([operation]));
    assert_eq!(found["requests"][0]["kind"], "call");
    assert_eq!(found["operations"][0]["state"], "pending");
    server.answer_card(&server.card(), "session").unwrap();
    let found = consent(&server);
    assert_eq!(found["requests"], json!([]));
    assert_eq!(
        (&found["operations"][0]["state"], &found["grants"][0]["scope"]),
        (&json!("approved"), &json!("this_session"))
    );
    assert!(found["grants"][0]["covers"].as_str().unwrap().contains("writing files"), "{found}");
    // Another agent sees nothing of it, also in a session of the same name.
    let other = server.agent().with_token(Some(server.issue_token(&json!({"agent": "other"}))));
    assert_eq!(other.get("/v1/consent?session=s1").unwrap(), nothing);
    let grant = found["grants"][0]["grant_id"].clone();
    server.operator().post("/v1/revoke", &json!({"grant": grant})).unwrap();
    assert_eq!(consent(&server)["grants"], json!([]));
}

#[test]
fn a_session_that_was_opened_again_lists_only_its_own_calls() {
    let server = TestServer::open();
    let read = json!({"session": "s1", "actions": ["files.read"]});
    server.agent().post("/v1/check", &read).unwrap();
    server.operator().post("/v1/sessions/end", &json!({"session": "s1"})).unwrap();
    let again = server.agent().post("/v1/check", &read).unwrap();
    let listed = consent(&server)["operations"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0]["operation_id"], again["operation_id"]);
}

#[test]
fn the_last_fifty_records_are_listed_and_earlier_ones_before_them() {
    let server = TestServer::open();
    for n in 0..60 {
        let record = json!({"session": "s1", "text": format!("step {n}")});
        server.agent().post("/v1/ledger", &record).unwrap();
    }
    let texts = |page: &Value| -> Vec<String> {
        let records = page["records"].as_array().unwrap().iter();
        records.map(|record| record["text"].as_str().unwrap().to_owned()).collect()
    };
    let steps = |range: std::ops::Range<u32>| -> Vec<String> {
        range.map(|n| format!("step {n}")).collect()
    };
    let latest = server.agent().get("/v1/ledger?session=s1").unwrap();
    assert_eq!(texts(&latest), steps(10..60));
    let before = format!("/v1/ledger?session=s1&before={}", latest["previous"]);
    let earlier = server.agent().get(&before).unwrap();
    assert_eq!(texts(&earlier), steps(0..10));
    let from_start = server.agent().get("/v1/ledger?session=s1&from=0").unwrap();
    assert_eq!(texts(&from_start), steps(0..50));
    let both = "/v1/ledger?session=s1&from=0&before=9";
    assert_eq!(expect_error(server.agent().get(both)).0, 422);
}

#[test]
fn the_tool_s_declared_actions_are_asked_about_before_the_call() {
    let server = TestServer::with_graph(
        "
domains:
  tasks: {autonomous: [], requires_approval: [toggle], blocked: []}
  vault: {autonomous: [], requires_approval: [write], blocked: []}
tools:
  Toggle: {actions: [tasks.toggle], declares: [vault.write]}
",
    );
    let call = json!({"session": "s1", "tool": "Toggle", "args": {"id": 1}});
    let decided = server.agent().post("/v1/check", &call).unwrap();
    assert_eq!(decided["status"], "pending");
    let items = server.card()["items"].as_array().unwrap().clone();
    let actions: Vec<&Value> = items.iter().map(|item| &item["action"]).collect();
    assert_eq!(actions, [&json!("tasks.toggle"), &json!("vault.write")]);
}

//! Calls that nobody answers in time.

use crate::test_server::TestServer;
use serde_json::json;

#[test]
fn a_call_whose_wait_ends_is_pending_and_stays_open() {
    let server = TestServer::open();
    let request =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 1});
    let waited = server.agent().post("/v1/check", &request).unwrap();
    assert_eq!(waited["status"], "pending");
    let operation = waited["operation_id"].as_str().unwrap();
    let path = format!("/v1/operations/{operation}");
    let again = json!({"session": "s1", "wait_ms": 1});
    assert_eq!(server.agent().post(&format!("{path}/wait"), &again).unwrap()["state"], "pending");
    // The request stays open until its own end, and a retry redeems its yes.
    server.answer_card(&server.card(), "once").unwrap();
    let waited = server.agent().post(&format!("{path}/wait"), &again).unwrap();
    assert_eq!(waited["state"], "approved");
    let own = json!({"session": "s1"});
    let redeemed = server.agent().post(&format!("{path}/retry"), &own).unwrap();
    assert_eq!((&redeemed["status"], &redeemed["reason"]), (&json!("allowed"), &json!("granted")));
}

#[test]
fn a_call_that_refuses_parking_is_denied_if_no_surface_is_connected() {
    let server = TestServer::without_surface();
    let request = json!({
        "session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "park": "refused",
    });
    let denied = server.agent().post("/v1/check", &request).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("no_operator")));
    // A call that may be parked waits for `ls` and `approve`.
    let operation = server.park_call();
    server.answer_card(&server.card(), "once").unwrap();
    let own = json!({"session": "s1"});
    let redeemed = server.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    assert_eq!(redeemed["status"], "allowed");
}

#[test]
fn a_headless_daemon_asks_nobody() {
    let server = TestServer::headless();
    let request =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "park": "allowed"});
    let denied = server.agent().post("/v1/check", &request).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("no_operator")));
    let ahead = json!({"session": "s1", "action": "write letters", "reasoning": ""});
    assert_eq!(server.agent().post("/v1/ask-ahead", &ahead).unwrap()["reason"], "no_operator");
    assert_eq!(server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
}

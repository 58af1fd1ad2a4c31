//! What becomes of a call that nobody answers in time.

use crate::house::House;
use serde_json::json;

#[test]
fn a_call_whose_wait_ends_hears_pending_and_stays_open() {
    let house = House::open();
    let asked = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 1});
    let waited = house.agent().post("/v1/check", &asked).unwrap();
    assert_eq!(waited["status"], "pending");
    let operation = waited["operation_id"].as_str().unwrap();
    let path = format!("/v1/operations/{operation}");
    let again = json!({"session": "s1", "wait_ms": 1});
    assert_eq!(house.agent().post(&format!("{path}/wait"), &again).unwrap()["state"], "pending");
    // The request is there until its own end, and its yes is redeemed later.
    house.answer(&house.card(), "once").unwrap();
    let waited = house.agent().post(&format!("{path}/wait"), &again).unwrap();
    assert_eq!(waited["state"], "approved");
    let own = json!({"session": "s1"});
    let redeemed = house.agent().post(&format!("{path}/retry"), &own).unwrap();
    assert_eq!((&redeemed["status"], &redeemed["reason"]), (&json!("allowed"), &json!("granted")));
}

#[test]
fn a_caller_that_will_not_wait_is_denied_where_nobody_can_be_reached() {
    let house = House::unseen();
    let asked = json!({
        "session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "park": "refused",
    });
    let denied = house.agent().post("/v1/check", &asked).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("no_operator")));
    // Whoever may wait is kept for `ls` and `approve`.
    let operation = house.pending();
    house.answer(&house.card(), "once").unwrap();
    let own = json!({"session": "s1"});
    let redeemed = house.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    assert_eq!(redeemed["status"], "allowed");
}

#[test]
fn a_headless_daemon_asks_nobody() {
    let house = House::headless();
    let asked =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "park": "allowed"});
    let denied = house.agent().post("/v1/check", &asked).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("no_operator")));
    let ahead = json!({"session": "s1", "text": "write letters", "category": "filesystem_write"});
    assert_eq!(house.agent().post("/v1/ask-ahead", &ahead).unwrap()["reason"], "no_operator");
    assert_eq!(house.operator().get("/v1/requests").unwrap()["requests"], json!([]));
}

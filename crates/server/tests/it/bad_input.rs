//! Wrong input: an error response with a message and a remedy, never a panic.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

#[test]
fn bodies_are_read_strictly() {
    let server = TestServer::open();
    let wrong = [
        json!(null),
        json!([]),
        json!("check"),
        json!({}),
        json!({"session": 7}),
        json!({"session": ""}),
        json!({"session": "s1"}),
        json!({"session": "s1", "actions": "files.write"}),
        json!({"session": "s1", "actions": ["nothing"]}),
        json!({"session": "s1", "actions": ["files.write"], "surprise": 1}),
        json!({"session": "s1", "actions": ["files.write"], "run": "run_x"}),
        json!({"session": "s\u{202e}1", "actions": ["files.write"]}),
        json!({"session": "s1", "actions": ["files.write"], "wait_ms": -1}),
        json!({"session": "s1", "actions": ["files.write"], "confidence": 7}),
        json!({"session": "s1", "actions": ["files.write"], "confidence": -0.1}),
    ];
    for body in wrong {
        let (status, _) = expect_error(server.agent().post("/v1/check", &body));
        assert!((400..500).contains(&status), "{body}: {status}");
    }
}

#[test]
fn duplicate_keys_and_bodies_that_are_not_json_are_refused() {
    let server = TestServer::open();
    for (kind, body, expected) in [
        (
            "application/json",
            r#"{"session":"s1","session":"s2","actions":["files.read"]}"#,
            (400, "unreadable"),
        ),
        ("application/json", "{", (400, "unreadable")),
        ("application/json", "", (400, "unreadable")),
        ("text/plain", r#"{"session":"s1","actions":["files.read"]}"#, (415, "not_json")),
    ] {
        let (status, text) = server.send_raw("POST", "/v1/check", kind, body);
        let response: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (status, response["error"]["code"].as_str().unwrap()),
            expected,
            "{body}: {text}"
        );
    }
    let long = format!("{{\"session\":\"s1\",\"reason\":\"{}\"}}", "x".repeat(2 << 20));
    assert_eq!(server.send_raw("POST", "/v1/check", "application/json", &long).0, 413);
}

#[test]
fn unknown_ids_routes_and_methods_have_different_errors() {
    let server = TestServer::open();
    let other = "c000007019b8d627a8070008000000000";
    assert_eq!(
        expect_error(server.agent().get(&format!("/v1/operations/{other}?session=s1"))).0,
        404
    );
    assert_eq!(expect_error(server.agent().get("/v1/operations/op_x?session=s1")).0, 404);
    assert_eq!(expect_error(server.agent().get(&format!("/v1/operations/{other}"))).0, 400);
    assert_eq!(expect_error(server.agent().get("/v1/check")), (405, "no_method".to_owned()));
    assert_eq!(expect_error(server.agent().get("/nowhere")), (404, "no_route".to_owned()));
    assert_eq!(expect_error(server.operator().get("/v1/requests/req_x")).0, 404);
    let operation = server.park_call();
    let elsewhere = json!({"session": "s2"});
    let path = format!("/v1/operations/{operation}/retry");
    assert_eq!(server.agent().post(&path, &elsewhere).unwrap()["status"], "denied");
}

//! A key of the arguments is only a key, also one that serde_json uses for itself.
//!
//! The tests are here and not in core, because the HTTP crates enable features of serde_json.

use crate::test_server::TestServer;
use countersign_core::encoding::json;
use serde_json::{Value, json};

const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

/// The arguments that the server recorded for a call with these.
fn recorded_args(server: &TestServer, args: &Value) -> Value {
    let call = json!({"session": "s1", "actions": ["files.wipe"], "args": args});
    server.agent().post("/v1/check", &call).unwrap();
    let entries = server.read_entries();
    let decided = entries.iter().rfind(|entry| entry.kind.word() == "call_decided").unwrap();
    decided.body().unwrap().pointer("/attempt/first/args").unwrap().clone()
}

#[test]
fn a_private_key_of_the_parser_is_recorded_as_it_was_sent() {
    let server = TestServer::open();
    for args in [
        json!({RAW_VALUE: "{\"path\":\"/etc\"}"}),
        json!({"deep": [{RAW_VALUE: "1"}]}),
        json!({NUMBER: "1"}),
        json!({"path": {NUMBER: "12"}}),
    ] {
        assert_eq!(recorded_args(&server, &args), args);
    }
}

#[test]
fn the_features_in_use_give_the_private_key_a_meaning_elsewhere() {
    let text = json!({RAW_VALUE: "[1]"}).to_string();
    // Otherwise the test above proves nothing.
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!([1]));
    assert_eq!(json::parse(text.as_bytes()).unwrap(), json!({RAW_VALUE: "[1]"}));
}

#[test]
fn two_calls_that_differ_in_such_a_key_are_two_calls() {
    let server = TestServer::open();
    let ask = |args: Value| {
        let call = json!({"session": "s1", "actions": ["files.write"], "args": args});
        server.agent().post("/v1/check", &call).unwrap()["reason"].clone()
    };
    assert_eq!(ask(json!({"path": "/etc"})), "no_grant");
    server.answer_card(&server.card(), "decline").unwrap();
    assert_eq!(ask(json!({"path": "/etc"})), "declined_before");
    assert_ne!(ask(json!({RAW_VALUE: "{\"path\":\"/etc\"}"})), "declined_before");
}

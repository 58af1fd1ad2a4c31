//! What a call is decided on, and what is sent.

use crate::world::{World, text_of};
use serde_json::json;

#[tokio::test]
async fn a_blocked_tool_is_a_result_with_one_sentence_and_one_rule() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let denied = client.call("fail", json!({})).await;
    assert_eq!(denied["result"]["isError"], true, "{denied}");
    assert!(text_of(&denied).contains("(rule: blocked)"), "{denied}");
    assert!(!world.lines("received").iter().any(|line| line.contains("tools/call")));
}

#[tokio::test]
async fn what_was_decided_is_what_is_sent_byte_for_byte() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let arguments = r#"{"x": 1.50, "y":[ ], "n":1e2, "z":"\u00e9"}"#;
    let params = format!(r#"{{"name":"echo","arguments":{arguments},"unknown":{{"k": 1.0}}}}"#);
    client
        .write(&format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#))
        .await;
    let response = client.read().await.unwrap();
    assert_eq!(response["id"], "a");
    let received = world.lines("received");
    let call = received.iter().find(|line| line.contains("tools/call")).unwrap();
    assert!(call.contains(&params), "{call}");
}

#[tokio::test]
async fn a_duplicate_key_and_a_number_without_one_meaning_are_refused() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let twice = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}}}"#;
    client.write(twice).await;
    assert_eq!(client.read().await.unwrap()["error"]["code"], -32700);
    let large = r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"a":9007199254740993}}}"#;
    client.write(large).await;
    assert_eq!(client.read().await.unwrap()["error"]["code"], -32602);
    assert!(!world.lines("received").iter().any(|line| line.contains("tools/call")));
}

#[tokio::test]
async fn an_unknown_tool_is_the_servers_to_refuse() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let refused = client.call("nothing", json!({})).await;
    assert_eq!(refused["error"]["message"], "unknown tool nothing");
}

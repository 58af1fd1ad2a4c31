//! Servers and clients that do not keep to the protocol.

use crate::world::{Era, World, text_of};
use countersign_gateway::{Launch, ServerOrigin};
use serde_json::json;

#[tokio::test]
async fn garbage_a_second_answer_and_a_flood_change_nothing() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    assert_eq!(text_of(&client.call("garbage", json!({})).await), "after garbage");
    assert_eq!(text_of(&client.call("twice", json!({})).await), "first");
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);
    assert_eq!(text_of(&client.call("flood", json!({})).await), "flooded");
    let messages = client.seen.iter().filter(|m| m["method"] == "notifications/message");
    assert_eq!(messages.count(), 2_000);
}

#[tokio::test]
async fn a_server_that_dies_during_a_call_leaves_an_unknown_effect_and_is_started_again() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let died = client.call("crash", json!({})).await;
    assert_eq!(died["result"]["_meta"]["countersign/status"], "unknown", "{died}");
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);
    assert_eq!(world.lines("starts").len(), 2);
    assert_eq!(world.lines("executions"), ["crash"], "it is not carried out again by itself");
}

#[tokio::test]
async fn a_result_beyond_the_limit_is_unknown_and_the_next_call_works() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let huge = client.call("huge", json!({})).await;
    assert_eq!(huge["result"]["_meta"]["countersign/status"], "unknown", "{huge}");
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);
    assert_eq!(world.lines("starts").len(), 2);
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_reported_and_not_hammered() {
    let world = World::open();
    let mut server = world.fixture(Era::Legacy, ServerOrigin::Settings);
    if let Launch::Process(process) = &mut server.launch {
        process.command = vec!["/nowhere/at-all".to_owned()];
    }
    let mut client = world.connect_to(Era::Legacy, server);
    let hello = client.initialize().await;
    let why = hello["result"]["instructions"].as_str().unwrap();
    assert!(why.contains("cannot be started"), "{hello}");
    let refused = client.call("echo", json!({})).await;
    assert!(text_of(&refused).contains("started again in"), "{refused}");
}

#[tokio::test]
async fn nonsense_of_a_client_is_refused_and_the_connection_goes_on() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    for (line, code) in [
        ("not json", -32700),
        ("[]", -32700),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{}}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#,
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":43,"method":"tools/call","params":{"name":"éch o"}}"#, -32602),
    ] {
        client.write(line).await;
        let answer = client.read().await.unwrap();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // Responses to nothing, and notifications about nothing.
    client.write(r#"{"jsonrpc":"2.0","id":"countersign-7","result":{}}"#).await;
    client
        .write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#)
        .await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn two_open_requests_cannot_have_one_id() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let request = r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"count","arguments":{}}}"#;
    client.write(request).await;
    world.wait_for_question().await;
    client.write(request).await;
    let refused = client.read().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(77), &json!(-32600)));
}

/// A result that one reader takes for a yes and another for a no, and one that costs a stack.
#[tokio::test]
async fn an_answer_with_a_key_twice_or_nested_too_deeply_ends_its_call_at_once() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    for (tool, why) in [("double", "occurs twice"), ("deep", "cannot be read")] {
        let ended = client.call(tool, json!({})).await;
        assert_eq!(ended["result"]["_meta"]["countersign/status"], "unknown", "{ended}");
        assert!(text_of(&ended).contains(why), "{ended}");
    }
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);
    assert_eq!(world.lines("starts").len(), 1, "the server goes on");
}

#[tokio::test]
async fn a_server_whose_line_has_no_end_is_ended_with_its_call() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let ended = client.call("endless", json!({})).await;
    assert_eq!(ended["result"]["_meta"]["countersign/status"], "unknown", "{ended}");
}

#[tokio::test]
async fn a_client_learns_which_of_its_requests_cannot_be_read() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    client.write(r#"{"jsonrpc":"2.0","id":71,"method":"ping","params":{"a":1,"a":2}}"#).await;
    let refused = client.read().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(71), &json!(-32700)));
}

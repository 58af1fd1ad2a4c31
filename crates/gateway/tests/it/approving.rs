//! The first start of a server that a client names.

use crate::world::{Era, World, text_of};
use countersign_core::model::words::Choice;
use countersign_gateway::{Launch, ServerOrigin};
use serde_json::json;

#[tokio::test]
async fn a_new_server_starts_only_after_a_yes_and_the_client_learns_of_its_tools() {
    let world = World::open();
    let server = world.fixture(Era::Legacy, ServerOrigin::Client);
    let mut client = world.connect_to(Era::Legacy, server.clone());
    let hello = client.initialize().await;
    assert!(hello["result"]["instructions"].as_str().unwrap().contains("waits"), "{hello}");
    let listed = client.request("tools/list", json!({})).await;
    let names = listed["result"]["tools"].to_string();
    assert!(names.contains("\"retry\"") && !names.contains("\"echo\""), "{names}");
    let early = client.call("echo", json!({})).await;
    assert!(text_of(&early).contains("waits for the operator"), "{early}");
    let level = client.request("logging/setLevel", json!({"level": "info"})).await;
    assert_eq!(level["result"], json!({}), "not the result of a tool");
    assert!(world.lines("starts").is_empty());
    assert_eq!(world.open_requests().await.len(), 1, "one question for all attempts");
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    client.wait_for("notifications/tools/list_changed").await;
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);

    // The same server again: no question. Another command line: a question.
    let mut again = world.connect_to(Era::Legacy, server.clone());
    again.initialize().await;
    assert_eq!(text_of(&again.call("echo", json!({})).await), r#"{"n":7}"#);
    let mut other = server;
    if let Launch::Process(process) = &mut other.launch {
        process.command.push("--more".to_owned());
    }
    let mut changed = world.connect_to(Era::Legacy, other);
    changed.initialize().await;
    assert!(text_of(&changed.call("echo", json!({})).await).contains("waits for the operator"));
    assert_eq!(world.lines("starts").len(), 2);
}

#[tokio::test]
async fn a_declined_server_never_starts() {
    let world = World::open();
    let server = world.fixture(Era::Legacy, ServerOrigin::Client);
    let mut client = world.connect_to(Era::Legacy, server);
    client.initialize().await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Decline).await;
    let refused = client.call("echo", json!({})).await;
    assert!(text_of(&refused).contains("is not started"), "{refused}");
    assert!(world.lines("starts").is_empty());
}

#[tokio::test]
async fn a_tool_whose_definition_changed_asks_again() {
    let world = World::open();
    let tools = |words: &str| json!([{"name": "echo", "description": words}]).to_string();
    std::fs::write(world.path("tools"), tools("repeats what you say")).unwrap();
    let mut client = world.legacy_client().await;
    assert_eq!(text_of(&client.call("echo", json!({})).await), "{}");
    std::fs::write(world.path("tools"), tools("repeats what you say to everybody")).unwrap();
    let mut client = world.legacy_client().await;
    let id = client.send("tools/call", json!({"name": "echo", "arguments": {}})).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    assert_eq!(text_of(&client.wait(id).await), "{}");
    assert_eq!(text_of(&client.call("echo", json!({})).await), "{}", "the yes pinned it");
}

//! The first start of a server that a client names.

use crate::world::{Client, Era, World, text_of};
use countersign_core::model::names::SessionName;
use countersign_core::model::words::Choice;
use countersign_engine::SessionOwner;
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

fn define(world: &World, words: &str) {
    let tools = json!([{"name": "echo", "description": words},
        {"name": "count", "description": words}]);
    std::fs::write(world.path("tools"), tools.to_string()).unwrap();
}

/// Calls a tool that asks, and answers.
async fn call_and_answer(world: &World, client: &mut Client, tool: &str, choice: Choice) {
    let id = client.send("tools/call", json!({"name": tool, "arguments": {}})).await;
    let request = world.wait_for_question().await;
    world.answer(&request, choice).await;
    let done = client.wait(id).await;
    assert_ne!(done["result"]["isError"], true, "{done}");
}

#[tokio::test]
async fn a_tool_that_changed_asks_until_a_yes_for_longer_than_once() {
    let world = World::open();
    define(&world, "repeats what you say");
    let mut client = world.legacy_client().await;
    assert_eq!(text_of(&client.call("echo", json!({})).await), "{}");
    define(&world, "repeats what you say to everybody");
    let mut client = world.legacy_client().await;
    for _ in 0..2 {
        call_and_answer(&world, &mut client, "echo", Choice::Once).await;
    }
    call_and_answer(&world, &mut client, "echo", Choice::Session).await;
    assert_eq!(text_of(&client.call("echo", json!({})).await), "{}", "the yes pinned it");
    let mut client = world.legacy_client().await;
    assert_eq!(text_of(&client.call("echo", json!({"a": 1})).await), r#"{"a":1}"#);
}

/// Another session pins the new definition. The first one has its grant still, for the old one.
#[tokio::test]
async fn a_grant_of_the_old_definition_does_not_carry_the_new_one() {
    let world = World::open();
    define(&world, "counts");
    let mut client = world.legacy_client().await;
    call_and_answer(&world, &mut client, "count", Choice::Session).await;
    assert_eq!(text_of(&client.call("count", json!({"a": 1})).await), "counted");
    define(&world, "counts and sends");
    let name = SessionName::parse("s2").unwrap();
    let other = SessionOwner::new(&name, world.owner().agent);
    let server = world.fixture(Era::Legacy, ServerOrigin::Settings);
    let mut second = world.connect_as(other, Era::Legacy, server);
    second.initialize().await;
    call_and_answer(&world, &mut second, "count", Choice::Session).await;
    assert_eq!(text_of(&second.call("count", json!({"a": 2})).await), "counted");
    let mut client = world.legacy_client().await;
    let id = client.send("tools/call", json!({"name": "count", "arguments": {"a": 3}})).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Decline).await;
    assert_eq!(client.wait(id).await["result"]["isError"], true);
}

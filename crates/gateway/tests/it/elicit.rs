//! Questions that are put to the person at a client.

use crate::world::{Client, Era, GRAPH, World, text_of};
use countersign_core::model::request::RequestState;
use countersign_core::model::words::{Choice, Principal};
use countersign_gateway::{ClientIdentity, ServerOrigin};
use serde_json::{Value, json};

async fn connect(world: &World, principal: Principal, era: Era) -> Client {
    let client = ClientIdentity { owner: world.owner(), principal, project: None };
    let server = world.fixture(Era::Modern, ServerOrigin::Settings);
    let mut client = world.connect_client(client, era, server);
    if era == Era::Legacy {
        client.initialize().await;
    }
    client
}

/// Calls a tool that asks, and answers the dialog that comes. Returns what the dialog showed, and the
/// id of the request whose response is the result of the call.
async fn answer_dialog(client: &mut Client, era: Era, action: &str) -> (String, u64) {
    match era {
        Era::Legacy => {
            let id = client.send("tools/call", json!({"name": "count", "arguments": {}})).await;
            let asked = client.wait_for("elicitation/create").await;
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": action}});
            client.write(&answer.to_string()).await;
            (message_of(&asked["params"]), id)
        }
        Era::Modern => {
            let asked = client.call("count", json!({})).await;
            let result = &asked["result"];
            assert_eq!(result["resultType"], "input_required", "{asked}");
            let question = &result["inputRequests"]["approval"];
            assert_eq!(question["method"], "elicitation/create");
            let repeated = json!({"name": "count", "arguments": {},
                "requestState": result["requestState"],
                "inputResponses": {"approval": {"action": action}}});
            (message_of(&question["params"]), client.send("tools/call", repeated).await)
        }
    }
}

async fn call_and_answer(client: &mut Client, era: Era, action: &str) -> (String, Value) {
    let (message, id) = answer_dialog(client, era, action).await;
    (message, client.wait(id).await)
}

/// Calls a tool that asks. The first that the client hears is that the call waits.
async fn call_and_wait(client: &mut Client) -> u64 {
    let meta = json!({"progressToken": 1});
    let params = json!({"name": "count", "arguments": {}, "_meta": meta});
    let id = client.send("tools/call", params).await;
    let first = client.read().await.unwrap();
    assert_eq!(first["method"], "notifications/progress", "{first}");
    id
}

fn message_of(params: &Value) -> String {
    params["message"].as_str().unwrap_or_else(|| panic!("{params}")).to_owned()
}

#[tokio::test]
async fn the_yes_of_an_adapters_client_lets_the_call_run_once() {
    for era in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = connect(&world, Principal::Adapter, era).await;
        let (message, called) = call_and_answer(&mut client, era, "accept").await;
        assert_eq!(text_of(&called), "counted", "{called}");
        assert!(message.contains("count") && message.contains("digest:"), "{message}");
        assert_eq!(world.lines("executions").len(), 1);
        assert!(world.open_requests().await.is_empty());
        let (_, again) = call_and_answer(&mut client, era, "decline").await;
        assert!(text_of(&again).contains("declined"), "a yes is for one call: {again}");
    }
}

#[tokio::test]
async fn the_no_of_an_adapters_client_declines_the_call() {
    for era in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = connect(&world, Principal::Adapter, era).await;
        let (_, called) = call_and_answer(&mut client, era, "decline").await;
        assert_eq!(called["result"]["isError"], true, "{called}");
        assert!(world.lines("executions").is_empty());
        assert!(world.open_requests().await.is_empty());
    }
}

#[tokio::test]
async fn a_dialog_that_is_closed_leaves_the_question_to_the_operator() {
    for era in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = connect(&world, Principal::Adapter, era).await;
        let (_, id) = answer_dialog(&mut client, era, "cancel").await;
        if era == Era::Legacy {
            // Messages are read in order, so the dialog is closed when this is answered.
            client.request("ping", json!({})).await;
        }
        let request = world.wait_for_question().await;
        world.answer(&request, Choice::Once).await;
        let called = client.wait(id).await;
        assert_eq!(text_of(&called), "counted");
        assert_eq!(world.lines("executions").len(), 1);
    }
}

#[tokio::test]
async fn a_client_with_an_agents_credential_is_never_asked() {
    for era in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = connect(&world, Principal::Agent, era).await;
        let id = call_and_wait(&mut client).await;
        world.answer(&world.wait_for_question().await, Choice::Once).await;
        assert_eq!(text_of(&client.wait(id).await), "counted");
        assert!(!client.seen.iter().any(|m| m["method"] == "elicitation/create"));
    }
}

#[tokio::test]
async fn a_question_of_high_risk_is_never_put_to_a_client() {
    for (risk, era) in [("high", Era::Legacy), ("high", Era::Modern), ("critical", Era::Legacy)] {
        let world = World::open();
        let with_risk = GRAPH.replace(
            "blocked: [never]}",
            &format!("blocked: [never], actions: {{ask: {{risk: {risk}}}}}}}"),
        );
        world.load_graph(&with_risk).await;
        let mut client = connect(&world, Principal::Adapter, era).await;
        let id = call_and_wait(&mut client).await;
        world.answer(&world.wait_for_question().await, Choice::Once).await;
        assert_eq!(text_of(&client.wait(id).await), "counted", "{risk}");
        assert!(!client.seen.iter().any(|m| m["method"] == "elicitation/create"), "{risk}");
    }
}

#[tokio::test]
async fn a_client_that_declares_no_dialogs_is_not_asked() {
    let world = World::open();
    let mut client = connect(&world, Principal::Adapter, Era::Modern).await;
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        client.set_capabilities(capabilities);
        let id = call_and_wait(&mut client).await;
        world.answer(&world.wait_for_question().await, Choice::Once).await;
        assert_eq!(text_of(&client.wait(id).await), "counted");
    }
}

#[tokio::test]
async fn an_answer_from_elsewhere_closes_the_dialog() {
    let world = World::open();
    let mut client = connect(&world, Principal::Adapter, Era::Legacy).await;
    let id = client.send("tools/call", json!({"name": "count", "arguments": {}})).await;
    let asked = client.wait_for("elicitation/create").await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    assert_eq!(text_of(&client.wait(id).await), "counted");
    let mut withdrawn = client.seen.iter().filter(|m| m["method"] == "notifications/cancelled");
    assert_eq!(withdrawn.next().unwrap()["params"]["requestId"], asked["id"]);
    // A late yes changes nothing.
    let late = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}});
    client.write(&late.to_string()).await;
    assert_eq!(text_of(&client.call("echo", json!({})).await), r#"{"n":7}"#);
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn an_agents_client_cannot_answer_what_an_adapters_client_was_asked() {
    let world = World::open();
    let mut adapter = connect(&world, Principal::Adapter, Era::Modern).await;
    let asked = adapter.call("count", json!({})).await;
    let repeated = json!({"name": "count", "arguments": {},
        "requestState": asked["result"]["requestState"],
        "inputResponses": {"approval": {"action": "accept"}}});
    let mut agent = connect(&world, Principal::Agent, Era::Modern).await;
    let refused = agent.request("tools/call", repeated.clone()).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let open = world.open_requests().await;
    assert!(matches!(open[0].state, RequestState::Open), "{open:?}");
    assert_eq!(text_of(&adapter.request("tools/call", repeated.clone()).await), "counted");
    let twice = adapter.request("tools/call", repeated).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
    assert_eq!(world.lines("executions").len(), 1);
}

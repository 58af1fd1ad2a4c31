//! A call that asks: held, pending, retried, carried out once.

use crate::world::{Era, World, parsed, text_of};
use countersign_core::model::words::Choice;
use serde_json::{Value, json};
use std::time::Duration;

fn operation(response: &Value) -> String {
    let id = &response["result"]["_meta"]["countersign/operationId"];
    id.as_str().unwrap_or_else(|| panic!("{response}")).to_owned()
}

#[tokio::test]
async fn a_held_call_is_carried_out_as_soon_as_the_operator_says_yes() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let params = json!({"name": "count", "arguments": {"a": 1}, "_meta": {"progressToken": 9}});
    let id = client.send("tools/call", params).await;
    let progress = client.wait_for("notifications/progress").await;
    assert_eq!(progress["params"]["progressToken"], 9);
    let request = world.wait_for_question().await;
    assert!(world.lines("executions").is_empty());
    world.answer(&request, Choice::Once).await;
    assert_eq!(text_of(&client.wait(id).await), "counted");
    assert_eq!(world.lines("executions"), [r#"{"a":1,"n":7}"#]);
}

#[tokio::test]
async fn a_declined_call_is_not_carried_out_and_the_note_reaches_the_agent() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let id = client.send("tools/call", json!({"name": "count", "arguments": {}})).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Decline).await;
    let declined = client.wait(id).await;
    assert_eq!(declined["result"]["isError"], true);
    assert!(text_of(&declined).contains("as you like"), "{declined}");
    assert!(text_of(&declined).contains("(rule: declined_before)"), "{declined}");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn a_call_that_is_no_longer_held_is_pending_and_retry_redeems_it_once() {
    for era in [Era::Legacy, Era::Modern] {
        let world = World::with_answer_wait(Duration::ZERO);
        let mut client = world.connect(era, Era::Legacy);
        if era == Era::Legacy {
            client.initialize().await;
        }
        let pending = client.call("count", json!({"password": "hunter2hunter2"})).await;
        assert_eq!(pending["result"]["_meta"]["countersign/status"], "pending", "{pending}");
        assert!(pending["result"].get("isError").is_none());
        let operation = operation(&pending);
        assert!(text_of(&pending).contains(&operation), "{pending}");
        let still = client.call("retry", json!({"operation_id": operation})).await;
        assert_eq!(still["result"]["_meta"]["countersign/status"], "pending");
        let status = client.call("consent_status", json!({"operation_id": operation})).await;
        assert_eq!(status["result"]["structuredContent"]["status"], "pending", "{status}");
        let request = world.wait_for_question().await;
        world.answer(&request, Choice::Once).await;
        let status = client.call("consent_status", json!({"operation_id": operation})).await;
        assert_eq!(status["result"]["structuredContent"]["status"], "approved", "{status}");
        let done = client.call("retry", json!({"operation_id": operation})).await;
        assert_eq!(text_of(&done), "counted");
        let again = client.call("retry", json!({"operation_id": operation})).await;
        assert_eq!(text_of(&again), "counted", "the kept result");
        let executed = parsed(&world.lines("executions"));
        assert_eq!(executed, [json!({"n": 7, "password": "hunter2hunter2"})], "as sent, once");
    }
}

#[tokio::test]
async fn a_parked_call_survives_its_client_and_the_gateway() {
    let mut world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let plain = operation(&client.call("count", json!({"a": 1.5})).await);
    let secret = operation(&client.call("count", json!({"password": "hunter2hunter2"})).await);
    client.leave().await;
    for request in world.open_requests().await {
        world.answer(&request, Choice::Once).await;
    }
    world.reopen_gateway();
    let mut client = world.legacy_client().await;
    let done = client.call("retry", json!({"operation_id": plain})).await;
    assert_eq!(text_of(&done), "counted");
    let gone = client.call("retry", json!({"operation_id": secret})).await;
    assert!(text_of(&gone).contains("secret"), "{gone}");
    assert_eq!(parsed(&world.lines("executions")), [json!({"a": 1.5, "n": 7})]);
}

#[tokio::test]
async fn a_parked_call_is_not_carried_out_after_a_restart_if_its_tool_changed() {
    let mut world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let operation = operation(&client.call("count", json!({})).await);
    client.leave().await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    world.reopen_gateway();
    let changed = json!([{"name": "count", "description": "counts, and sends it away",
        "inputSchema": {"type": "object"}}]);
    std::fs::write(world.path("tools"), changed.to_string()).unwrap();
    let mut client = world.legacy_client().await;
    let refused = client.call("retry", json!({"operation_id": operation})).await;
    assert!(text_of(&refused).contains("changed while the call waited"), "{refused}");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn a_result_survives_a_restart_and_the_call_is_carried_out_once() {
    let mut world = World::on_disk(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let pending = client.call("count", json!({"a": 1})).await;
    let operation = operation(&pending);
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    let done = client.call("retry", json!({"operation_id": operation})).await;
    assert_eq!(text_of(&done), "counted");
    client.leave().await;
    world.restart().await;
    let mut client = world.legacy_client().await;
    let again = client.call("retry", json!({"operation_id": operation})).await;
    assert_eq!(again["result"], done["result"], "the kept result");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_result_with_a_secret_does_not_survive_a_restart() {
    let mut world = World::on_disk(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let pending = client.call("leak", json!({})).await;
    let operation = operation(&pending);
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    let retry = json!({"operation_id": operation});
    let done = client.call("retry", retry.clone()).await;
    assert_eq!(text_of(&done), "password: hunter2hunter2");
    assert_eq!(client.call("retry", retry.clone()).await["result"], done["result"]);
    client.leave().await;
    world.restart().await;
    let mut client = world.legacy_client().await;
    let again = client.call("retry", retry).await;
    assert!(text_of(&again).contains("no longer available"), "{again}");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_during_a_call_loses_neither_the_call_nor_its_result() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let _id = client.send("tools/call", json!({"name": "wait", "arguments": {}})).await;
    let request = world.wait_for_question().await;
    let call = match &request.subject {
        countersign_core::model::request::Subject::Calls(calls) => calls[0],
        other => panic!("{other:?}"),
    };
    world.answer(&request, Choice::Once).await;
    let mut growth = world.host.ledger_growth();
    while world.lines("executions").is_empty() {
        tokio::task::yield_now().await;
    }
    client.leave().await;
    std::fs::write(world.path("go"), "").unwrap();
    let owner = world.owner();
    loop {
        let owner = owner.clone();
        let state = world.host.run(move |engine| engine.call_state(call, &owner)).await.unwrap();
        if state.is_some_and(|state| state.is_over()) {
            break;
        }
        growth.changed().await.unwrap();
    }
    let mut client = world.legacy_client().await;
    let result = client.call("retry", json!({"operation_id": call.to_string()})).await;
    assert_eq!(text_of(&result), "waited");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_cancelled_call_leaves_its_question_open_and_sends_nothing() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let id = client.send("tools/call", json!({"name": "count", "arguments": {}})).await;
    let request = world.wait_for_question().await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.write(&cancelled.to_string()).await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(world.open_requests().await.len(), 1);
    world.answer(&request, Choice::Once).await;
    assert!(world.lines("executions").is_empty(), "nobody asked for it any more");
    let done = client.call("count", json!({})).await;
    assert_eq!(text_of(&done), "counted", "the same call uses the answer");
}

#[tokio::test]
async fn another_session_cannot_redeem_a_call() {
    let world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    client.call("count", json!({})).await;
    let unknown = "c".to_owned() + &"0".repeat(32);
    let refused = client.call("retry", json!({"operation_id": unknown})).await;
    assert_eq!(refused["result"]["isError"], true);
    let refused = client.call("retry", json!({"operation_id": "nonsense"})).await;
    assert_eq!(refused["result"]["isError"], true);
}

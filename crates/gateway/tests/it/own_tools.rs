//! Our own tools, with the arguments and replies of the systems that they replace.

use crate::world::{Client, World, text_of};
use countersign_core::model::words::Choice;
use serde_json::{Value, json};
use std::time::Duration;

async fn reply(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let response = client.call(tool, arguments).await;
    let content = &response["result"]["structuredContent"];
    assert!(content.is_object(), "{response}");
    let text: Value = serde_json::from_str(text_of(&response)).unwrap();
    assert_eq!(&text, content);
    content.clone()
}

#[tokio::test]
async fn a_permission_is_waited_for_and_has_four_fields() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let arguments = json!({"action": "Overwrite docs/api.md", "reasoning": "the docs are stale",
        "category": "filesystem_write", "scope": "this_session", "fallback": "skip it"});
    let params = json!({"name": "request_permission", "arguments": arguments});
    let id = client.send("tools/call", params).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Session).await;
    let granted = client.wait(id).await["result"]["structuredContent"].clone();
    assert_eq!(granted["granted"], true, "{granted}");
    assert_eq!(granted["scope_granted"], "this_session");
    assert_eq!(granted["operator_note"], "as you like");
    assert!(granted["grant_id"].is_string());
    // The live grant answers the same wish.
    let again = reply(&mut client, "request_permission", arguments).await;
    assert_eq!((&again["granted"], &again["grant_id"]), (&json!(true), &granted["grant_id"]));
    let listed = reply(&mut client, "consent_list", json!({})).await;
    assert_eq!(listed["grants"][0]["grant_id"], granted["grant_id"], "{listed}");
}

#[tokio::test]
async fn a_declined_permission_is_no_error_and_a_pending_one_can_be_looked_up() {
    let world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let arguments =
        json!({"action": "Delete it", "reasoning": "old", "category": "filesystem_write"});
    let pending = reply(&mut client, "request_permission", arguments).await;
    assert_eq!((&pending["granted"], &pending["status"]), (&json!(false), &json!("pending")));
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Decline).await;
    let status =
        reply(&mut client, "consent_status", json!({"request_id": pending["request_id"]})).await;
    assert_eq!(
        (&status["status"], &status["operator_note"]),
        (&json!("declined"), &json!("as you like"))
    );
}

/// As over HTTP: an agent that repeats a secret by mistake is asked about, without the secret.
#[tokio::test]
async fn a_secret_in_a_question_is_redacted_and_the_question_is_asked() {
    let world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let wish = json!({"action": "Upload it", "reasoning": format!("the key {secret} may do it"),
        "fallback": format!("use {secret} by hand"), "category": "filesystem_write"});
    let asked = reply(&mut client, "request_permission", wish).await;
    assert_eq!(asked["status"], "pending", "{asked}");
    let question = json!({"consentCategory": "send_email", "prompt": format!("Send {secret}?")});
    let asked = reply(&mut client, "consent_request", question).await;
    assert_eq!(asked["status"], "pending", "{asked}");
    let open = world.open_requests().await;
    assert_eq!(open.len(), 2);
    assert!(!format!("{open:?}").contains(secret), "{open:?}");
}

#[tokio::test]
async fn a_repeated_decline_is_declined_with_its_note_and_asks_nobody() {
    let world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let wish = json!({"action": "Delete it", "reasoning": "old", "category": "filesystem_write"});
    let question = json!({"consentCategory": "send_email", "prompt": "Send it?"});
    let start = json!({"workflow": "tidy-up"});
    for (tool, arguments) in
        [("request_permission", wish), ("consent_request", question), ("workflow_start", start)]
    {
        let asked = reply(&mut client, tool, arguments.clone()).await;
        assert_eq!(asked["status"], "pending", "{asked}");
        world.answer(&world.wait_for_question().await, Choice::Decline).await;
        let again = reply(&mut client, tool, arguments).await;
        assert_eq!(again["status"], "declined", "{tool}: {again}");
        assert!(again.to_string().contains("as you like"), "{tool}: {again}");
        assert!(world.open_requests().await.is_empty(), "{tool}");
        if tool == "workflow_start" {
            assert_eq!(again["error"], "consent denied", "{again}");
        }
    }
}

#[tokio::test]
async fn a_yes_to_a_critical_category_is_announced_to_give_no_grant() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let question = json!({"consentCategory": "purchase", "prompt": "Buy it?"});
    let asked = reply(&mut client, "consent_request", question).await;
    assert!(asked["notice"].as_str().unwrap().contains("gives no grant"), "{asked}");
}

#[tokio::test]
async fn a_consent_is_requested_and_only_waited_for_by_the_agent() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let asked = reply(
        &mut client,
        "consent_request",
        json!({"runId": "run-1",
        "consentCategory": "send_email", "assistiveMode": "voiceover_aware",
        "prompt": "Send the letter to Ana?", "defaultIfDeclined": "Keep the draft.",
        "surfacesUsed": ["browser_dom"]}),
    )
    .await;
    assert_eq!(asked["status"], "pending", "{asked}");
    let approval = asked["approvalId"].clone();
    let own =
        client.call("consent_resolve", json!({"approvalId": approval, "status": "granted"})).await;
    assert_eq!(own["result"]["isError"], true, "{own}");
    let params = json!({"name": "consent_resolve", "arguments": {"approvalId": approval}});
    let id = client.send("tools/call", params).await;
    let request = world.wait_for_question().await;
    let shown = format!("{:?}", request.subject);
    assert!(shown.contains("voiceover_aware") && shown.contains("browser_dom"), "{shown}");
    world.answer(&request, Choice::Once).await;
    let resolved = client.wait(id).await["result"]["structuredContent"].clone();
    assert_eq!(
        resolved,
        json!({"approvalId": approval, "status": "granted", "decisionSummary": "as you like"})
    );
}

#[tokio::test]
async fn a_consent_for_a_named_call_allows_exactly_that_call() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let call = json!({"tool": "count", "arguments": {"a": 1}});
    let asked = reply(
        &mut client,
        "consent_request",
        json!({"consentCategory": "local_read_only",
        "prompt": "Count?", "call": call}),
    )
    .await;
    assert_eq!(asked["status"], "pending", "{asked}");
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    let resolved =
        reply(&mut client, "consent_resolve", json!({"approvalId": asked["approvalId"]})).await;
    assert_eq!(resolved["status"], "granted", "{resolved}");
    let done = client.call("retry", json!({"operation_id": asked["operation_id"]})).await;
    assert_eq!(text_of(&done), "counted");
    assert_eq!(world.lines("executions").len(), 1);
}

/// The category belongs to the question: calling the tool is the call that was approved.
#[tokio::test]
async fn a_consent_for_a_named_call_allows_calling_its_tool_once() {
    let world = World::with_answer_wait(Duration::ZERO);
    let mut client = world.legacy_client().await;
    let call = json!({"tool": "count", "arguments": {"a": 1}});
    let wanted = json!({"consentCategory": "send_email", "prompt": "Count?", "call": call});
    reply(&mut client, "consent_request", wanted).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    assert_eq!(text_of(&client.call("count", json!({"a": 1})).await), "counted");
    let again = client.call("count", json!({"a": 1})).await;
    assert!(text_of(&again).contains("Waiting for the operator"), "{again}");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn an_action_is_checked_without_asking_anybody() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let check = json!({"domain": "work", "action": "ask", "confidence": 0.9});
    let checked = reply(&mut client, "check_consent", check).await;
    assert_eq!(
        (&checked["tier"], &checked["outcome"]),
        (&json!("VISIBLE"), &json!("ask")),
        "{checked}"
    );
    let blocked =
        reply(&mut client, "check_consent", json!({"domain": "work", "action": "never"})).await;
    assert_eq!(blocked["tier"], "BLOCKED");
    assert!(world.open_requests().await.is_empty());
}

#[tokio::test]
async fn calls_belong_to_the_run_that_the_client_started() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let early = client.call("workflow_step", json!({"step": "sweep"})).await;
    assert_eq!(early["result"]["isError"], true);
    let params = json!({"name": "workflow_start", "arguments": {"workflow": "tidy-up"}});
    let id = client.send("tools/call", params).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    let started = client.wait(id).await["result"]["structuredContent"].clone();
    assert_eq!(started["status"], "running", "{started}");
    reply(&mut client, "workflow_step", json!({"step": "sweep"})).await;
    assert_eq!(
        text_of(&client.call("count", json!({})).await),
        "counted",
        "the run's grant covers it"
    );
    let ended = reply(&mut client, "workflow_end", json!({})).await;
    assert_eq!((&ended["run_id"], &ended["status"]), (&started["run_id"], &json!("ended")));
    let late = reply(&mut client, "workflow_end", json!({"run_id": started["run_id"]})).await;
    assert_eq!(late["status"], "ended", "{late}");
    let status = reply(&mut client, "consent_status", json!({"run_id": started["run_id"]})).await;
    assert_eq!(status["status"], "ended", "{status}");
    let id = client.send("tools/call", json!({"name": "count", "arguments": {"b": 1}})).await;
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Decline).await;
    assert_eq!(client.wait(id).await["result"]["isError"], true, "the run is over");
}

#[tokio::test]
async fn an_agents_records_are_claims_without_secrets() {
    let world = World::open();
    let mut client = world.legacy_client().await;
    let text = "pushed with AKIAIOSFODNN7EXAMPLE";
    let record = json!({"text": text, "evidence": "observed"});
    assert_eq!(reply(&mut client, "action_ledger_record", record).await["recorded"], true);
    let listed = reply(&mut client, "action_ledger_list", json!({})).await;
    let first = &listed["records"][0];
    assert_eq!(first["evidence"], "observed", "{listed}");
    assert!(!first["text"].as_str().unwrap().contains("AKIA"), "{listed}");
    let wrong =
        client.call("action_ledger_record", json!({"text": "x", "evidence": "certain"})).await;
    assert_eq!(wrong["result"]["isError"], true);
}

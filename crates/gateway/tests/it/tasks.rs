//! Tasks: a call that asks returns at once, and its client asks for it later.

use crate::world::{ASKED, Client, Era, GRAPH, World, parsed};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::words::Choice;
use countersign_engine::SessionOwner;
use countersign_gateway::ServerOrigin;
use serde_json::{Value, json};
use std::time::Duration;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Calls a tool that asks, and returns the id of its task.
async fn start(client: &mut Client, tool: &str, arguments: Value) -> String {
    let created = client.call(tool, arguments).await;
    let task = &created["result"];
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")));
    for member in ["createdAt", "lastUpdatedAt", "statusMessage"] {
        assert!(task[member].is_string(), "{created}");
    }
    assert!(task["ttlMs"].is_u64() && task["pollIntervalMs"].is_u64(), "{created}");
    task["taskId"].as_str().unwrap().to_owned()
}

async fn get(client: &mut Client, id: &str) -> Value {
    let found = client.request("tasks/get", json!({"taskId": id})).await;
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    assert_eq!(found["result"]["taskId"], id);
    found["result"].clone()
}

/// Asks until the task has another status than these.
async fn leave_status(client: &mut Client, id: &str, left: &[&str]) -> Value {
    loop {
        let task = get(client, id).await;
        if !left.iter().any(|status| task["status"] == *status) {
            return task;
        }
        tokio::task::yield_now().await;
    }
}

async fn finish(client: &mut Client, id: &str) -> Value {
    leave_status(client, id, &["working"]).await
}

fn text_in(task: &Value) -> &str {
    task["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{task}"))
}

#[tokio::test]
async fn a_task_is_carried_out_once_in_the_background_after_a_yes() {
    for server in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = world.task_client(server);
        let id = start(&mut client, "count", json!({"password": "hunter2hunter2"})).await;
        assert_eq!(get(&mut client, &id).await["status"], "working");
        assert!(world.lines("executions").is_empty());
        world.answer(&world.wait_for_question().await, Choice::Once).await;
        let done = finish(&mut client, &id).await;
        assert_eq!((&done["status"], text_in(&done)), (&json!("completed"), "counted"));
        assert_eq!(done["result"]["kept"], json!(1.0), "unknown fields are kept");
        assert_eq!(done["result"]["resultType"], "complete");
        assert_eq!(finish(&mut client, &id).await, done, "and stays so");
        let executed = parsed(&world.lines("executions"));
        assert_eq!(executed, [json!({"n": 7, "password": "hunter2hunter2"})], "as sent, once");
        let received = parsed(&world.lines("received"));
        let call = received.iter().find(|message| message["method"] == "tools/call").unwrap();
        assert!(!call.to_string().contains(TASKS), "the server answers with a result: {call}");
    }
}

#[tokio::test]
async fn a_call_that_needs_nobody_is_answered_at_once() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let echoed = client.call("echo", json!({})).await;
    assert_eq!(echoed["result"]["resultType"], "complete", "{echoed}");
}

#[tokio::test]
async fn a_declined_task_is_completed_with_the_note() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Decline).await;
    let declined = finish(&mut client, &id).await;
    assert_eq!(
        (&declined["status"], &declined["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    assert!(text_in(&declined).contains("as you like"), "{declined}");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn a_task_that_a_new_rule_blocks_is_completed_as_denied() {
    let mut world = World::on_disk(Duration::ZERO);
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    client.leave().await;
    world.restart().await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let blocked =
        GRAPH.replace("requires_approval: [ask], blocked: [never]", "blocked: [never, ask]");
    let blocked = blocked.replace("autonomous: [do]", "autonomous: [do], requires_approval: []");
    world.load_graph(&blocked).await;
    let mut client = world.task_client(Era::Legacy);
    let denied = finish(&mut client, &id).await;
    assert_eq!(
        (&denied["status"], &denied["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    assert!(text_in(&denied).contains("(rule: blocked)"), "{denied}");
    world.load_graph(GRAPH).await;
    assert_eq!(finish(&mut client, &id).await, denied, "a task that is over stays over");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn an_error_of_the_server_fails_a_task() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "reject", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let failed = finish(&mut client, &id).await;
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(-32050)));
}

#[tokio::test]
async fn a_task_survives_restarts_before_and_after_it_is_carried_out() {
    let mut world = World::on_disk(Duration::ZERO);
    let mut client = world.task_client(Era::Legacy);
    let counted = start(&mut client, "count", json!({"a": 1})).await;
    let rejected = start(&mut client, "reject", json!({})).await;
    let declined = start(&mut client, "count", json!({"a": 2})).await;
    client.leave().await;
    world.restart().await;
    for request in world.open_requests().await {
        let is_declined = request.lists_call(CallId::parse(&declined).unwrap());
        world.answer(&request, if is_declined { Choice::Decline } else { Choice::Once }).await;
    }
    world.restart().await;
    assert!(world.lines("executions").is_empty(), "no client has asked for it");
    let mut client = world.task_client(Era::Legacy);
    let done = finish(&mut client, &counted).await;
    let failed = finish(&mut client, &rejected).await;
    assert_eq!((text_in(&done), &failed["error"]["code"]), ("counted", &json!(-32050)));
    client.leave().await;
    world.restart().await;
    let mut client = world.task_client(Era::Legacy);
    assert_eq!(finish(&mut client, &counted).await["result"], done["result"]);
    assert_eq!(finish(&mut client, &rejected).await["error"], failed["error"]);
    let declined = finish(&mut client, &declined).await;
    assert!(text_in(&declined).contains("as you like"), "{declined}");
    assert_eq!(world.lines("executions").len(), 2, "{:?}", world.lines("executions"));
}

#[tokio::test]
async fn a_task_of_a_client_that_left_is_taken_up_by_the_next_one() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    let request = world.wait_for_question().await;
    client.leave().await;
    let mut client = world.task_client(Era::Legacy);
    world.answer(&request, Choice::Once).await;
    assert_eq!(text_in(&finish(&mut client, &id).await), "counted");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_while_its_task_is_carried_out_loses_nothing() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "wait", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    while world.lines("executions").is_empty() {
        tokio::task::yield_now().await;
    }
    client.leave().await;
    let mut client = world.task_client(Era::Legacy);
    assert_eq!(get(&mut client, &id).await["status"], "working");
    std::fs::write(world.path("go"), "").unwrap();
    assert_eq!(text_in(&finish(&mut client, &id).await), "waited");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_server_that_dies_leaves_a_task_unknown() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "perish", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let ended = finish(&mut client, &id).await;
    assert_eq!(
        (&ended["status"], &ended["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    assert!(text_in(&ended).contains("is unknown"), "{ended}");
    assert_eq!(finish(&mut client, &id).await, ended, "it is not tried again");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_task_that_is_cancelled_while_it_is_carried_out_ends_as_its_server_says() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "wait", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    while world.lines("executions").is_empty() {
        tokio::task::yield_now().await;
    }
    let acknowledged = client.request("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(acknowledged["result"], json!({"resultType": "complete"}));
    std::fs::write(world.path("go"), "").unwrap();
    let ended = finish(&mut client, &id).await;
    assert_eq!((&ended["status"], text_in(&ended)), (&json!("completed"), "waited"), "too late");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_task_that_is_cancelled_before_the_answer_withdraws_its_question() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    world.wait_for_question().await;
    let acknowledged = client.request("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(acknowledged["result"], json!({"resultType": "complete"}));
    assert!(world.open_requests().await.is_empty());
    assert_eq!(get(&mut client, &id).await["status"], "cancelled");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn a_task_that_is_cancelled_after_the_answer_is_not_taken_up_again() {
    let mut world = World::on_disk(Duration::ZERO);
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    client.leave().await;
    world.restart().await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let mut client = world.task_client(Era::Legacy);
    client.request("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(get(&mut client, &id).await["status"], "cancelled");
    client.leave().await;
    world.restart().await;
    let mut client = world.task_client(Era::Legacy);
    assert_eq!(get(&mut client, &id).await["status"], "cancelled");
    assert!(world.lines("executions").is_empty());
}

#[tokio::test]
async fn a_task_asks_its_client_for_input_while_it_runs() {
    for server in [Era::Legacy, Era::Modern] {
        let world = World::open();
        let mut client = world.task_client(server);
        let id = start(&mut client, "consult", json!({})).await;
        world.answer(&world.wait_for_question().await, Choice::Once).await;
        let asks = finish(&mut client, &id).await;
        assert_eq!(asks["status"], "input_required", "{asks}");
        let (key, request) = asks["inputRequests"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(request["method"], "elicitation/create");
        assert_eq!(request["params"]["message"], ASKED);
        let unknown = json!({"taskId": id, "inputResponses": {"other": {}}});
        client.request("tasks/update", unknown).await;
        assert_eq!(get(&mut client, &id).await["inputRequests"], asks["inputRequests"]);
        let answer = json!({key: {"action": "accept", "content": {"name": "Ana"}}});
        let update = json!({"taskId": id, "inputResponses": answer});
        let acknowledged = client.request("tasks/update", update).await;
        assert_eq!(acknowledged["result"], json!({"resultType": "complete"}));
        let done = leave_status(&mut client, &id, &["working", "input_required"]).await;
        assert_eq!(text_in(&done), "hello Ana", "{server:?}");
        assert_eq!(world.lines("executions"), ["asked"]);
    }
}

#[tokio::test]
async fn a_task_that_is_cancelled_instead_of_answered_ends_as_unknown() {
    let world = World::open();
    let mut client = world.task_client(Era::Modern);
    let id = start(&mut client, "consult", json!({})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    assert_eq!(finish(&mut client, &id).await["status"], "input_required");
    client.request("tasks/cancel", json!({"taskId": id})).await;
    let ended = leave_status(&mut client, &id, &["working", "input_required"]).await;
    assert!(text_in(&ended).contains("is unknown"), "{ended}");
}

#[tokio::test]
async fn only_its_session_and_only_a_client_that_declares_tasks_reaches_a_task() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    let mut plain = world.connect(Era::Modern, Era::Legacy);
    let other = SessionName::parse("s2").unwrap();
    let other = SessionOwner::new(&other, Agent::parse("coder").unwrap());
    let mut other =
        world.connect_as(other, Era::Modern, world.fixture(Era::Legacy, ServerOrigin::Settings));
    other.declare_tasks();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": id, "inputResponses": {}});
        let refused = plain.request(method, params.clone()).await;
        assert_eq!(refused["error"]["code"], -32021, "{refused}");
        let required = &refused["error"]["data"]["requiredCapabilities"];
        assert_eq!(required, &json!({"extensions": {TASKS: {}}}));
        assert_eq!(other.request(method, params).await["error"]["code"], -32602);
        for unknown in ["nonsense".to_owned(), format!("c{}", "0".repeat(32))] {
            let params = json!({"taskId": unknown, "inputResponses": {}});
            assert_eq!(client.request(method, params).await["error"]["code"], -32602);
        }
    }
    assert_eq!(world.open_requests().await.len(), 1, "nobody withdrew it");
    assert_eq!(get(&mut client, &id).await["status"], "working");
}

#[tokio::test]
async fn a_subscriber_hears_of_its_tasks() {
    let world = World::open();
    let mut client = world.task_client(Era::Legacy);
    let id = start(&mut client, "count", json!({})).await;
    let unknown = format!("c{}", "0".repeat(32));
    let filter = json!({"notifications": {"taskIds": [id, unknown]}});
    let listening = client.send("subscriptions/listen", filter.clone()).await;
    let acknowledged = client.wait_for("notifications/subscriptions/acknowledged").await;
    assert_eq!(acknowledged["params"]["notifications"]["taskIds"], json!([id]));
    let working = client.wait_for("notifications/tasks").await;
    assert_eq!(working["params"]["status"], "working");
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let task = loop {
        let told = client.wait_for("notifications/tasks").await;
        if told["params"]["status"] != "working" {
            break told["params"].clone();
        }
    };
    assert_eq!(task["_meta"]["io.modelcontextprotocol/subscriptionId"], listening);
    assert_eq!((&task["taskId"], text_in(&task)), (&json!(id), "counted"));
    let mut plain = world.connect(Era::Modern, Era::Legacy);
    let refused = plain.request("subscriptions/listen", filter).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}

#[tokio::test]
async fn the_extension_is_announced_and_a_servers_own_tasks_are_forwarded() {
    for (server, has_tasks) in [(Era::Legacy, false), (Era::Modern, false), (Era::Modern, true)] {
        let world = World::open();
        if has_tasks {
            std::fs::write(world.path("own-tasks"), "").unwrap();
        }
        let mut client = world.task_client(server);
        let hello = client.request("server/discover", json!({})).await;
        let announced = &hello["result"]["capabilities"];
        assert_eq!(announced["extensions"], json!({TASKS: {}}), "{hello}");
        assert!(announced["tools"].is_object(), "{hello}");
        let theirs = client.request("tasks/get", json!({"taskId": "theirs"})).await;
        match has_tasks {
            true => assert_eq!(theirs["result"]["own"], true, "{theirs}"),
            false => assert_eq!(theirs["error"]["code"], -32602, "{theirs}"),
        }
    }
}

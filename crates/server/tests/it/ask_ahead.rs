//! Asking ahead of a call: the reply, waiting for the answer, reading it again, withdrawing.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [], actions: {write: {categories: [filesystem_write]}}}
";

fn question(scope: &str) -> Value {
    json!({
        "session": "s1", "action": "Overwrite docs/api.md", "category": "filesystem_write",
        "scope": scope, "reasoning": "the schema changed", "fallback": "skip it",
    })
}

fn ask(server: &TestServer, body: &Value) -> Value {
    server.agent().post("/v1/ask-ahead", body).unwrap()
}

fn read(server: &TestServer, reply: &Value) -> Value {
    let id = reply["request_id"].as_str().unwrap();
    server.agent().get(&format!("/v1/ask-ahead/{id}?session=s1")).unwrap()
}

fn answer(server: &TestServer, extra: &Value) -> Value {
    let card = server.card();
    server.show_card(&card, "card");
    let mut body = json!({"digest": card["digest"], "surface": "test"});
    for (key, value) in extra.as_object().unwrap() {
        body[key] = value.clone();
    }
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    server.operator().post(&path, &body).unwrap()
}

fn write(server: &TestServer, path: &str) -> Value {
    let call = json!({"session": "s1", "actions": ["files.write"], "args": {"path": path}});
    server.agent().post("/v1/check", &call).unwrap()
}

/// The worked example of a file that is written once.
#[test]
fn a_yes_for_this_call_is_returned_read_again_and_used_up() {
    let server = TestServer::with_graph(GRAPH);
    let asked = ask(&server, &question("this_call"));
    assert_eq!((&asked["status"], &asked["granted"]), (&json!("pending"), &json!(false)));
    assert_eq!(asked["grant_id"], asked["request_id"], "there is no grant yet");
    // The same question while it is open is the same request.
    assert_eq!(ask(&server, &question("this_call"))["request_id"], asked["request_id"]);
    answer(&server, &json!({"choice": "once", "note": "only that file"}));
    let read_now = read(&server, &asked);
    assert_eq!(read_now["status"], "approved");
    assert_eq!(
        [&read_now["granted"], &read_now["scope_granted"], &read_now["operator_note"]],
        [&json!(true), &json!("this_call"), &json!("only that file")]
    );
    let grant = read_now["grant_id"].as_str().unwrap();
    assert!(grant.starts_with('g'), "{grant}");
    let written = write(&server, "/srv/a");
    assert_eq!((&written["status"], &written["reason"]), (&json!("allowed"), &json!("granted")));
    let path = format!("/v1/operations/{}/outcome", written["operation_id"].as_str().unwrap());
    server.agent().post(&path, &json!({"session": "s1", "effect": "done"})).unwrap();
    assert_eq!(write(&server, "/srv/b")["status"], "pending");
    let later = read(&server, &asked);
    assert_eq!(
        [&later["status"], &later["granted"], &later["reason"]],
        [&json!("approved"), &json!(false), &json!("expired")]
    );
}

#[test]
fn the_answer_is_waited_for_in_the_question_or_later() {
    let server = TestServer::with_graph(GRAPH);
    let mut body = question("this_session");
    body["wait_ms"] = json!(20_000);
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&server, &body));
        server.wait_for_card();
        answer(&server, &json!({"choice": "session"}));
        asked.join().unwrap()
    });
    assert_eq!(
        [&asked["status"], &asked["scope_granted"], &asked["scope_requested"]],
        [&json!("approved"), &json!("this_session"), &json!("this_session")]
    );
    let other = json!({"session": "s1", "action": "Push", "category": "git_push", "reasoning": ""});
    let pending = ask(&server, &other);
    let path = format!("/v1/ask-ahead/{}/wait", pending["request_id"].as_str().unwrap());
    let wait = json!({"session": "s1", "wait_ms": 20_000});
    let declined = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.agent().post(&path, &wait).unwrap());
        answer(&server, &json!({"choice": "decline", "note": "not today"}));
        waiting.join().unwrap()
    });
    assert_eq!(
        [&declined["status"], &declined["granted"], &declined["operator_note"]],
        [&json!("declined"), &json!(false), &json!("not today")]
    );
    assert!(declined.get("scope_granted").is_none(), "{declined}");
    // The decline sticks, with its note, and nobody is asked again.
    let again = ask(&server, &other);
    assert_eq!(
        [&again["status"], &again["operator_note"], &again["request_id"]],
        [&json!("declined"), &json!("not today"), &Value::Null]
    );
}

#[test]
fn a_narrowed_yes_brings_no_second_card() {
    let server = TestServer::with_graph(GRAPH);
    let asked = ask(&server, &question("this_session"));
    answer(&server, &json!({"choice": "15m"}));
    let first = read(&server, &asked);
    assert_eq!(first["scope_granted"], "15m");
    let again = ask(&server, &question("this_session"));
    assert_eq!(
        [&again["status"], &again["grant_id"], &again["scope_granted"]],
        [&json!("approved"), &first["grant_id"], &json!("15m")]
    );
    assert_eq!(server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
    // More than was asked for then is a new question.
    assert_eq!(ask(&server, &question("persistent"))["status"], "pending");
}

#[test]
fn persistent_without_a_project_lasts_for_the_session_and_the_reply_says_so() {
    let server = TestServer::with_graph(GRAPH);
    let asked = ask(&server, &question("persistent"));
    answer(&server, &json!({"choice": "project"}));
    let found = read(&server, &asked);
    assert_eq!(
        [&found["scope_requested"], &found["scope_granted"]],
        [&json!("persistent"), &json!("this_session")]
    );
    assert!(found["sentence"].as_str().unwrap().contains("no project"), "{found}");
}

#[test]
fn a_yes_to_a_critical_category_is_recorded_and_mints_nothing() {
    let server = TestServer::with_graph(GRAPH);
    let body =
        json!({"session": "s1", "action": "Buy it", "category": "purchase", "reasoning": "cheap"});
    let asked = ask(&server, &body);
    assert!(asked["sentence"].as_str().unwrap().contains("gives no grant"), "{asked}");
    let card = server.card();
    let shown = card.to_string();
    assert!(shown.contains("it gives no permission"), "{shown}");
    assert!(shown.contains("your yes is recorded, and the call itself still asks"), "{shown}");
    answer(&server, &json!({"choice": "once", "confirm": card["confirm"]["typed"]}));
    let found = read(&server, &asked);
    assert_eq!(
        [&found["status"], &found["granted"], &found["grant_id"], &found["reason"]],
        [&json!("approved"), &json!(false), &asked["request_id"], &json!("too_risky_to_carry")]
    );
    assert_eq!(server.operator().get("/v1/grants").unwrap()["grants"], json!([]));
}

#[test]
fn an_agent_withdraws_and_reads_only_its_own_questions() {
    let server = TestServer::with_graph(GRAPH);
    let asked = ask(&server, &question("this_call"));
    let id = asked["request_id"].as_str().unwrap();
    let other = server.agent().with_token(Some(server.issue_token(&json!({"agent": "other"}))));
    let (path, own) = (format!("/v1/ask-ahead/{id}/cancel"), json!({"session": "s1"}));
    assert_eq!(expect_error(other.post(&path, &own)).0, 404);
    assert_eq!(expect_error(other.get(&format!("/v1/ask-ahead/{id}?session=s1"))).0, 404);
    assert_eq!(server.agent().post(&path, &own).unwrap()["status"], "cancelled");
    assert_eq!(read(&server, &asked)["status"], "cancelled");
    assert_eq!(expect_error(server.agent().post(&path, &own)).0, 409);
    // The request of a call is no question ahead of one.
    let call = write(&server, "/srv/a");
    assert_eq!(call["status"], "pending");
    let card = server.card();
    let request = card["request"].as_str().unwrap();
    let path = format!("/v1/ask-ahead/{request}?session=s1");
    assert_eq!(expect_error(server.agent().get(&path)).0, 404);
}

#[test]
fn nobody_to_ask_is_a_no_with_the_note_of_permission_bridge() {
    let server = TestServer::headless();
    let denied = ask(&server, &question("this_call"));
    assert_eq!(
        [&denied["status"], &denied["granted"], &denied["operator_note"], &denied["reason"]],
        [
            &json!("denied"),
            &json!(false),
            &json!("no interactive operator available"),
            &json!("no_operator")
        ]
    );
}

/// As over MCP: an agent that repeats a secret by mistake is asked about, without the secret.
#[test]
fn a_secret_in_a_question_is_redacted_and_the_question_is_asked() {
    let server = TestServer::with_graph(GRAPH);
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let mut body = question("this_call");
    body["reasoning"] = json!(format!("the key {secret} may do it"));
    body["fallback"] = json!(format!("use {secret} by hand"));
    assert_eq!(ask(&server, &body)["status"], "pending");
    let card = server.card().to_string();
    assert!(!card.contains(secret), "{card}");
    assert!(card.contains("may do it") && card.contains("by hand"), "{card}");
}

#[test]
fn a_question_in_other_words_shows_the_decline_of_the_same_category() {
    let server = TestServer::with_graph(GRAPH);
    ask(&server, &question("this_call"));
    answer(&server, &json!({"choice": "decline", "note": "not while I am away"}));
    let mut again = question("this_call");
    again["action"] = json!("Bring the docs up to date");
    ask(&server, &again);
    let news = server.card()["news"].to_string();
    assert!(news.contains("Overwrite docs/api.md"), "{news}");
    assert!(news.contains("not while I am away"), "{news}");
    // A question of another kind, or after a yes, has nothing to show.
    answer(&server, &json!({"choice": "once"}));
    assert_eq!(write(&server, "/srv/used")["status"], "allowed");
    for (action, category) in [("Push the docs", "git_push"), ("Write a note", "filesystem_write")]
    {
        (again["action"], again["category"]) = (json!(action), json!(category));
        ask(&server, &again);
        let news = server.card()["news"].to_string();
        assert!(!news.contains("declined"), "{news}");
        answer(&server, &json!({"choice": "decline"}));
    }
}

//! Declines and cancelled calls: neither is a reason to try again, and a way around is shown.

use crate::test_server::TestServer;
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  email: {autonomous: [], requires_approval: [send], blocked: [wipe]}
  chat: {autonomous: [], requires_approval: [post], blocked: []}
  shell: {autonomous: [], requires_approval: [run], blocked: []}
  notes:
    autonomous: []
    requires_approval: [tag]
    blocked: []
    actions: {tag: {risk: moderate, reversible: true}}
tools:
  Mail: {actions: [email.send], recipient: /to}
  Post: {actions: [chat.post], target: /to}
  Bash: {actions: [shell.run], command: /command}
";

fn check(server: &TestServer, call: &Value) -> Value {
    server.agent().post("/v1/check", call).unwrap()
}

fn mail(server: &TestServer, to: &str, text: &str) -> Value {
    check(server, &json!({"session": "s1", "tool": "Mail", "args": {"to": to, "text": text}}))
}

fn post(server: &TestServer, to: &str) -> Value {
    check(server, &json!({"session": "s1", "tool": "Post", "args": {"to": to}}))
}

fn act(server: &TestServer, call: &Value, what: &str) -> Value {
    let path = format!("/v1/operations/{}/{what}", call["operation_id"].as_str().unwrap());
    server.agent().post(&path, &json!({"session": "s1"})).unwrap()
}

fn news(card: &Value) -> String {
    card["news"].to_string()
}

#[test]
fn a_declined_call_is_not_retried_with_the_same_digest() {
    let server = TestServer::with_graph(GRAPH);
    let declined = mail(&server, "ana@example.org", "hi");
    server.answer_card(&server.card(), "decline").unwrap();
    assert_eq!(act(&server, &declined, "retry")["reason"], "declined_before");
    assert_eq!(mail(&server, "ana@example.org", "hi")["reason"], "declined_before");
    let other_words = mail(&server, "ana@example.org", "hello");
    assert_eq!(other_words["status"], "pending");
    assert!(news(&server.card()).contains("you declined the same action"), "{}", server.card());
    assert_eq!(mail(&server, "bo@example.org", "hi")["reason"], "no_grant");
}

#[test]
fn a_detour_to_the_same_recipient_shows_the_decline() {
    let server = TestServer::with_graph(GRAPH);
    mail(&server, "ana@example.org", "hi");
    server.answer_card(&server.card(), "decline").unwrap();
    assert_eq!(post(&server, "ana@example.org")["status"], "pending");
    let card = server.card();
    let shown = "you declined email.send for the same target, ana@example.org";
    assert!(news(&card).contains(shown), "{card}");
    server.answer_card(&card, "decline").unwrap();
    assert_eq!(post(&server, "bo@example.org")["status"], "pending");
    assert_eq!(server.card()["news"], json!([]));
}

#[test]
fn a_detour_through_the_shell_and_back_shows_the_decline() {
    let server = TestServer::with_graph(GRAPH);
    let run = |line: &str| {
        check(&server, &json!({"session": "s1", "tool": "Bash", "args": {"command": line}}))
    };
    assert_eq!(post(&server, "/w/shop/list.md")["status"], "pending");
    server.answer_card(&server.card(), "decline").unwrap();
    run("cp a.txt ./list.md");
    let shown = "you declined chat.post for the same target, /w/shop/list.md";
    assert!(news(&server.card()).contains(shown), "{}", server.card());
    server.answer_card(&server.card(), "decline").unwrap();
    run("curl -s https://example.org/a | head");
    assert_eq!(server.card()["news"], json!([]));
    server.answer_card(&server.card(), "decline").unwrap();
    assert_eq!(post(&server, "https://example.org/a")["status"], "pending");
    let shown = "you declined shell.run for the same target, https://example.org/a";
    assert!(news(&server.card()).contains(shown), "{}", server.card());
}

#[test]
fn a_cancelled_call_is_final_and_a_new_one_asks() {
    let server = TestServer::with_graph(GRAPH);
    let cancelled = mail(&server, "ana@example.org", "hi");
    act(&server, &cancelled, "cancel");
    let retried = act(&server, &cancelled, "retry");
    assert_eq!((&retried["status"], &retried["reason"]), (&json!("denied"), &json!("cancelled")));
    let again = mail(&server, "ana@example.org", "hi");
    assert_eq!(again["status"], "pending");
    assert_ne!(again["operation_id"], cancelled["operation_id"]);
    server.answer_card(&server.card(), "once").unwrap();
    assert_eq!(act(&server, &cancelled, "retry")["reason"], "cancelled");
    assert_eq!(act(&server, &again, "retry")["status"], "allowed");
}

#[test]
fn a_notice_names_the_target_and_what_became_of_it() {
    let server = TestServer::with_graph(GRAPH);
    let _watching = server.events(None).unwrap();
    let tag = json!({
        "session": "s1", "actions": ["notes.tag"], "target": ["list.md"], "confidence": 0.9,
    });
    let went_ahead = check(&server, &tag);
    assert_eq!(went_ahead["outcome"], "notify");
    let notice = || server.operator().get("/v1/notices").unwrap()["notices"][0].clone();
    assert_eq!(notice()["target"], json!(["list.md"]));
    assert_eq!(notice()["done"], "executing");
    assert!(notice()["headline"].as_str().unwrap().contains("list.md"), "{}", notice());
    let path = format!("/v1/operations/{}/outcome", went_ahead["operation_id"].as_str().unwrap());
    server.agent().post(&path, &json!({"session": "s1", "effect": "failed"})).unwrap();
    assert_eq!(notice()["done"], "failed");
    let wipe = json!({"session": "s1", "actions": ["email.wipe"], "target": ["inbox"]});
    assert_eq!(check(&server, &wipe)["reason"], "blocked");
    let all = server.operator().get("/v1/notices").unwrap();
    let blocked = &all["notices"][1];
    assert_eq!((&blocked["target"], &blocked["done"]), (&json!(["inbox"]), &json!("denied")));
}

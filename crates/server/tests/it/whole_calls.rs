//! A yes at high risk counts only on a surface that has shown the whole call.

use crate::test_server::{TestServer, expect_error};
use countersign_core::model::ids::RequestId;
use serde_json::{Value, json};

/// A payment with a text that fits on a card, or one that does not.
fn ask_to_pay(server: &TestServer, lines: usize) -> Value {
    let note: Vec<String> = (0..lines).map(|n| format!("line {n}")).collect();
    let args = json!({"payee": "Acme", "amount": "42.00 USD", "note": note.join("\n")});
    let pay = json!({"session": "s1", "tool": "Pay", "args": args});
    assert_eq!(server.agent().post("/v1/check", &pay).unwrap()["status"], "pending");
    server.card()
}

fn approve(server: &TestServer, card: &Value, surface: &Value) -> Result<(), (u16, String)> {
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let body = json!({
        "digest": card["digest"], "choice": "once", "confirm": "42.00 USD", "surface": surface,
    });
    let answer = server.operator().post(&path, &body);
    if answer.is_ok() { Ok(()) } else { Err(expect_error(answer)) }
}

fn refused() -> Result<(), (u16, String)> {
    Err((422, "not_shown".to_owned()))
}

#[test]
fn a_card_that_leaves_nothing_out_shows_the_whole_call() {
    let server = TestServer::open();
    let card = ask_to_pay(&server, 3);
    assert_eq!(card["left_out"], json!({"lines": 0, "characters": 0}));
    assert_eq!(approve(&server, &card, &json!("test")), refused());
    assert_eq!(approve(&server, &card, &json!(null)), refused());
    server.show_card(&card, "part");
    assert_eq!(approve(&server, &card, &json!("test")), refused());
    server.show_card(&card, "card");
    assert_eq!(approve(&server, &card, &json!("other")), refused());
    assert_eq!(approve(&server, &card, &json!("test")), Ok(()));
}

#[test]
fn a_card_that_leaves_something_out_does_not_show_the_whole_call() {
    let server = TestServer::open();
    let card = ask_to_pay(&server, 400);
    assert_eq!(card["left_out"], json!({"lines": 360, "characters": 0}));
    assert!(card["lines"].to_string().contains("360 more lines"), "{card}");
    server.show_card(&card, "card");
    assert_eq!(approve(&server, &card, &json!("test")), refused());
    let id = RequestId::parse(card["request"].as_str().unwrap()).unwrap();
    let whole = server.typed_operator().whole_text(id).unwrap();
    assert!((0..400).all(|n| whole.contains(&format!("  | line {n}"))), "{whole:?}");
    server.show_card(&card, "whole");
    assert_eq!(approve(&server, &card, &json!("test")), Ok(()));
}

#[test]
fn the_refusal_names_the_step_that_shows_the_call_and_a_no_needs_none() {
    let server = TestServer::open();
    let card = ask_to_pay(&server, 400);
    let id = card["request"].as_str().unwrap().to_owned();
    let body = json!({
        "digest": card["digest"], "choice": "once", "confirm": "42.00 USD", "surface": "test",
    });
    let refusal = server.operator().post(&format!("/v1/requests/{id}/answer"), &body).unwrap_err();
    assert!(refusal.is_not_shown(), "{refusal}");
    assert!(refusal.help().contains(&format!("countersign show --full {id}")), "{refusal:?}");
    assert_eq!(server.card()["request"], card["request"], "the request stays open");
    server
        .operator()
        .get("/v1/grants")
        .map(|found| assert_eq!(found["grants"], json!([])))
        .unwrap();
    let no = json!({"digest": card["digest"], "choice": "decline", "surface": "test"});
    server.operator().post(&format!("/v1/requests/{id}/answer"), &no).unwrap();
}

/// An agent has no route that reports what was shown, and the operator's is closed to it.
#[test]
fn an_agent_cannot_report_what_was_shown() {
    let server = TestServer::open();
    let card = ask_to_pay(&server, 400);
    let delivery = json!({
        "request": card["request"], "surface": "test", "evidence": "requested", "shown": "whole",
    });
    assert_eq!(expect_error(server.agent().post("/v1/deliveries", &delivery)).0, 404);
    assert_eq!(approve(&server, &card, &json!("test")), refused());
}

#[test]
fn a_yes_in_the_conversation_needs_a_surface_that_has_shown_the_call() {
    let server = TestServer::open();
    let slow = json!({"session": "s1", "actions": ["files.shred"], "args": {"n": 1}});
    assert_eq!(server.agent().post("/v1/check", &slow).unwrap()["status"], "pending");
    let card = server.card();
    assert_eq!(card["risk"], "high", "{card}");
    let yes = json!({"session": "s1", "text": "yes"});
    let said = server.operator().post("/v1/say", &yes).unwrap();
    assert!(said["lines"].to_string().contains("countersign show --full r"), "{said}");
    assert_eq!(server.card()["request"], card["request"], "the request stays open");
    server.show_card(&card, "card");
    let said = server.operator().post("/v1/say", &yes).unwrap();
    assert_eq!(said["heard"], "answered", "{said}");
}

#[test]
fn a_closed_request_says_so_first_and_offers_nothing() {
    let server = TestServer::open();
    let card = ask_to_pay(&server, 3);
    server.answer_card(&card, "decline").unwrap();
    let path = format!("/v1/requests/{}", card["request"].as_str().unwrap());
    let card = server.operator().get(&path).unwrap()["card"].clone();
    assert_eq!(card["lines"][0], "Answered: you declined this");
    assert_eq!((&card["items"], &card["confirm"]), (&json!([]), &json!(null)));
    assert!(!card["lines"].to_string().contains("choice"), "{card}");
    assert_eq!(card["news"], json!([]), "its own decline is no news about it");
}

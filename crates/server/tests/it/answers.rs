//! The operator's plane: answers, grants, pause.

use crate::test_server::{TestServer, expect_error};
use serde_json::json;

#[test]
fn an_answer_counts_only_for_the_card_that_was_shown() {
    let server = TestServer::open();
    let operation = server.park_call();
    let card = server.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let elsewhere = json!({"digest": "000000…000000", "choice": "once"});
    assert_eq!(
        expect_error(server.operator().post(&path, &elsewhere)),
        (409, "conflict".to_owned())
    );
    let unclear = json!({"digest": card["digest"]});
    assert_eq!(expect_error(server.operator().post(&path, &unclear)), (422, "invalid".to_owned()));
    let both =
        json!({"digest": card["digest"], "choice": "once", "items": {"files.write": "once"}});
    assert_eq!(expect_error(server.operator().post(&path, &both)).0, 422);
    let not_offered = json!({"digest": card["digest"], "choice": "run"});
    assert_eq!(expect_error(server.operator().post(&path, &not_offered)).0, 422);
    let secret = json!({"digest": card["digest"], "choice": "decline", "note": "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"});
    assert_eq!(expect_error(server.operator().post(&path, &secret)).0, 422);
    let torn = json!({"digest": card["digest"], "choice": "once", "stop": true});
    assert_eq!(expect_error(server.operator().post(&path, &torn)).0, 422);
    // The request is still open.
    assert_eq!(server.card()["request"], card["request"]);
    let given = server.answer_card(&card, "15m").unwrap();
    assert_eq!(given["items"][0]["scope_granted"], "15m");
    assert_eq!(expect_error(server.answer_card(&card, "once")).0, 409);
    let retried = server
        .agent()
        .post(&format!("/v1/operations/{operation}/retry"), &json!({"session": "s1"}));
    assert_eq!(retried.unwrap()["status"], "allowed");
}

#[test]
fn a_critical_request_needs_the_text_on_its_card() {
    let server = TestServer::open();
    let pay =
        json!({"session": "s1", "tool": "Pay", "args": {"payee": "Acme", "amount": "42.00 USD"}});
    assert_eq!(server.agent().post("/v1/check", &pay).unwrap()["status"], "pending");
    let card = server.card();
    assert_eq!(card["confirm"], json!({"what": "amount", "typed": "42.00 USD"}));
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    assert_eq!(expect_error(server.answer_card(&card, "once")), (422, "invalid".to_owned()));
    for typed in ["yes", "42", "42.00 usd", ""] {
        let body = json!({"digest": card["digest"], "choice": "once", "confirm": typed});
        assert_eq!(expect_error(server.operator().post(&path, &body)).0, 422, "{typed}");
    }
    let body = json!({
        "digest": card["digest"], "choice": "once", "confirm": "42.00 USD", "surface": "test",
    });
    assert_eq!(server.operator().post(&path, &body).unwrap()["state"], "accepted");
}

#[test]
fn a_no_carries_its_note_and_holds_for_a_retry() {
    let server = TestServer::open();
    server.park_call();
    let card = server.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let body = json!({"digest": card["digest"], "choice": "decline", "note": "not on Fridays"});
    server.operator().post(&path, &body).unwrap();
    let request = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    let again = server.agent().post("/v1/check", &request).unwrap();
    assert_eq!(
        (&again["reason"], &again["note"]),
        (&json!("declined_before"), &json!("not on Fridays"))
    );
}

#[test]
fn a_grant_is_listed_and_revoked() {
    let server = TestServer::open();
    server.park_call();
    server.answer_card(&server.card(), "session").unwrap();
    let grants = server.operator().get("/v1/grants").unwrap();
    let grant = grants["grants"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(grants["grants"][0]["in_force"], true);
    let other = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(server.agent().post("/v1/check", &other).unwrap()["status"], "allowed");
    let revoked = server.operator().post("/v1/revoke", &json!({"grant": grant})).unwrap();
    assert_eq!(revoked["revoked"], json!([grant]));
    let third = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/c"}});
    assert_eq!(server.agent().post("/v1/check", &third).unwrap()["status"], "pending");
    assert_eq!(expect_error(server.operator().post("/v1/revoke", &json!({}))).0, 422);
}

#[test]
fn a_paused_agent_is_denied_until_it_is_resumed() {
    let server = TestServer::open();
    server.park_call();
    let agent = json!({"agent": server.card()["who"][0]["lines"][0]["text"]});
    server.operator().post("/v1/pause", &agent).unwrap();
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    assert_eq!(server.agent().post("/v1/check", &read).unwrap()["reason"], "paused");
    server.operator().post("/v1/resume", &agent).unwrap();
    assert_eq!(server.agent().post("/v1/check", &read).unwrap()["status"], "allowed");
}

#[test]
fn alerts_are_shown_until_they_are_acknowledged() {
    let server = TestServer::open();
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    server.agent().post("/v1/check", &wipe).unwrap();
    let notices = server.operator().get("/v1/notices").unwrap();
    let id = notices["notices"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(notices["notices"][0]["cause"], "blocked");
    server.operator().post(&format!("/v1/notices/{id}/acknowledge"), &json!({})).unwrap();
    assert_eq!(server.operator().get("/v1/notices").unwrap()["notices"], json!([]));
}

#[test]
fn open_requests_are_listed_in_pages() {
    let server = TestServer::open();
    for n in 0..5 {
        let write =
            json!({"session": "s1", "tool": "Write", "args": {"path": format!("/srv/{n}")}});
        server.agent().post("/v1/check", &write).unwrap();
    }
    let whole = server.typed_operator().list_requests().unwrap();
    let whole: Vec<_> = whole.iter().map(|view| json!(view.card.request)).collect();
    let ids = |found: &serde_json::Value| -> Vec<serde_json::Value> {
        found["requests"].as_array().unwrap().iter().map(|card| card["request"].clone()).collect()
    };
    let mut paged = Vec::new();
    let mut path = "/v1/requests?limit=2".to_owned();
    loop {
        let page = server.operator().get(&path).unwrap();
        assert!(ids(&page).len() <= 2);
        paged.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/requests?limit=2&after={next}");
    }
    assert_eq!((paged.len(), paged), (5, whole));
    for wrong in ["limit=0", "limit=501", "after=op_1", "before=x"] {
        let refused = expect_error(server.operator().get(&format!("/v1/requests?{wrong}")));
        assert_eq!(refused.0, 400, "{wrong}");
    }
}

#[test]
fn only_the_operator_s_plane_restores_the_yes_of_a_call_that_never_started() {
    let server = TestServer::open();
    let operation = server.park_call();
    let own = json!({"session": "s1"});
    let attest = format!("/v1/calls/{operation}/nothing-happened");
    let retry = || server.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    // A parked call is not running.
    assert_eq!(expect_error(server.operator().post(&attest, &own)).0, 409);
    server.answer_card(&server.card(), "once").unwrap();
    assert_eq!(retry()["status"], "allowed");
    let none = json!({"session": "s1", "effect": "none"});
    let outcome = format!("/v1/operations/{operation}/outcome");
    assert_eq!(expect_error(server.agent().post(&outcome, &none)).0, 400);
    assert_eq!(expect_error(server.agent().post(&attest, &own)).0, 404);
    let elsewhere = json!({"session": "s2"});
    assert_eq!(expect_error(server.operator().post(&attest, &elsewhere)).0, 404);
    assert_eq!(server.operator().post(&attest, &own).unwrap()["state"], "recorded");
    assert_eq!(expect_error(server.operator().post(&attest, &own)).0, 409);
    // The yes is valid again for this call only.
    let other = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(server.agent().post("/v1/check", &other).unwrap()["status"], "pending");
    let same = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    let again = server.agent().post("/v1/check", &same).unwrap();
    assert_eq!((&again["status"], &again["reason"]), (&json!("allowed"), &json!("granted")));
    let ended = format!("/v1/operations/{}/outcome", again["operation_id"].as_str().unwrap());
    server.agent().post(&ended, &json!({"session": "s1", "effect": "failed"})).unwrap();
    assert_eq!(server.agent().post("/v1/check", &same).unwrap()["status"], "pending");
}

#[test]
fn a_critical_yes_is_not_restored() {
    let server = TestServer::open();
    let pay = json!({"session": "s1", "tool": "Pay", "args": {"payee": "acme", "amount": "5 EUR"}});
    let operation = server.agent().post("/v1/check", &pay).unwrap();
    let operation = operation["operation_id"].as_str().unwrap();
    let card = server.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let typed = &card["confirm"]["typed"];
    let body = json!({
        "digest": card["digest"], "choice": "once", "confirm": typed, "surface": "test",
    });
    server.show_card(&card, "card");
    server.operator().post(&path, &body).unwrap();
    let own = json!({"session": "s1"});
    let again = format!("/v1/operations/{operation}/retry");
    assert_eq!(server.agent().post(&again, &own).unwrap()["status"], "allowed");
    server.operator().post(&format!("/v1/calls/{operation}/nothing-happened"), &own).unwrap();
    assert_eq!(server.agent().post("/v1/check", &pay).unwrap()["status"], "pending");
}

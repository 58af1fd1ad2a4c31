//! What an operator can do, and what an answer is worth.

use crate::house::{House, refusal};
use serde_json::json;

#[test]
fn an_answer_counts_for_what_was_shown() {
    let house = House::open();
    let operation = house.pending();
    let card = house.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let elsewhere = json!({"digest": "000000…000000", "choice": "once"});
    assert_eq!(refusal(house.operator().post(&path, &elsewhere)), (409, "conflict".to_owned()));
    let unclear = json!({"digest": card["digest"]});
    assert_eq!(refusal(house.operator().post(&path, &unclear)), (422, "invalid".to_owned()));
    let both =
        json!({"digest": card["digest"], "choice": "once", "items": {"files.write": "once"}});
    assert_eq!(refusal(house.operator().post(&path, &both)).0, 422);
    let not_offered = json!({"digest": card["digest"], "choice": "run"});
    assert_eq!(refusal(house.operator().post(&path, &not_offered)).0, 422);
    let secret = json!({"digest": card["digest"], "choice": "decline", "note": "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"});
    assert_eq!(refusal(house.operator().post(&path, &secret)).0, 422);
    let torn = json!({"digest": card["digest"], "choice": "once", "stop": true});
    assert_eq!(refusal(house.operator().post(&path, &torn)).0, 422);
    // None of that has answered it.
    assert_eq!(house.card()["request"], card["request"]);
    let given = house.answer(&card, "15m").unwrap();
    assert_eq!(given["items"][0]["scope_granted"], "15m");
    assert_eq!(refusal(house.answer(&card, "once")).0, 409);
    let retried =
        house.agent().post(&format!("/v1/operations/{operation}/retry"), &json!({"session": "s1"}));
    assert_eq!(retried.unwrap()["status"], "allowed");
}

#[test]
fn something_critical_needs_what_the_card_asks_to_be_typed() {
    let house = House::open();
    let pay =
        json!({"session": "s1", "tool": "Pay", "args": {"payee": "Acme", "amount": "42.00 USD"}});
    assert_eq!(house.agent().post("/v1/check", &pay).unwrap()["status"], "pending");
    let card = house.card();
    assert_eq!(card["confirm"], json!({"what": "amount", "typed": "42.00 USD"}));
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    assert_eq!(refusal(house.answer(&card, "once")), (422, "invalid".to_owned()));
    for typed in ["yes", "42", "42.00 usd", ""] {
        let body = json!({"digest": card["digest"], "choice": "once", "confirm": typed});
        assert_eq!(refusal(house.operator().post(&path, &body)).0, 422, "{typed}");
    }
    let body = json!({"digest": card["digest"], "choice": "once", "confirm": "42.00 USD"});
    assert_eq!(house.operator().post(&path, &body).unwrap()["state"], "accepted");
}

#[test]
fn a_no_is_heard_with_its_note_and_sticks() {
    let house = House::open();
    house.pending();
    let card = house.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let body = json!({"digest": card["digest"], "choice": "decline", "note": "not on Fridays"});
    house.operator().post(&path, &body).unwrap();
    let asked = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    let again = house.agent().post("/v1/check", &asked).unwrap();
    assert_eq!(
        (&again["reason"], &again["note"]),
        (&json!("declined_before"), &json!("not on Fridays"))
    );
}

#[test]
fn what_was_given_is_listed_and_taken_back() {
    let house = House::open();
    house.pending();
    house.answer(&house.card(), "session").unwrap();
    let grants = house.operator().get("/v1/grants").unwrap();
    let grant = grants["grants"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(grants["grants"][0]["in_force"], true);
    let other = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(house.agent().post("/v1/check", &other).unwrap()["status"], "allowed");
    let revoked = house.operator().post("/v1/revoke", &json!({"grant": grant})).unwrap();
    assert_eq!(revoked["revoked"], json!([grant]));
    let third = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/c"}});
    assert_eq!(house.agent().post("/v1/check", &third).unwrap()["status"], "pending");
    assert_eq!(refusal(house.operator().post("/v1/revoke", &json!({}))).0, 422);
}

#[test]
fn a_paused_agent_is_denied_until_it_is_resumed() {
    let house = House::open();
    house.pending();
    let agent = json!({"agent": house.card()["who"][0]["lines"][0]["text"]});
    house.operator().post("/v1/pause", &agent).unwrap();
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    assert_eq!(house.agent().post("/v1/check", &read).unwrap()["reason"], "paused");
    house.operator().post("/v1/resume", &agent).unwrap();
    assert_eq!(house.agent().post("/v1/check", &read).unwrap()["status"], "allowed");
}

#[test]
fn alerts_are_shown_until_they_are_acknowledged() {
    let house = House::open();
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    house.agent().post("/v1/check", &wipe).unwrap();
    let notices = house.operator().get("/v1/notices").unwrap();
    let id = notices["notices"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(notices["notices"][0]["cause"], "blocked");
    house.operator().post(&format!("/v1/notices/{id}/acknowledge"), &json!({})).unwrap();
    assert_eq!(house.operator().get("/v1/notices").unwrap()["notices"], json!([]));
}

#[test]
fn what_waits_comes_a_page_at_a_time() {
    let house = House::open();
    for n in 0..5 {
        let write =
            json!({"session": "s1", "tool": "Write", "args": {"path": format!("/srv/{n}")}});
        house.agent().post("/v1/check", &write).unwrap();
    }
    let whole = house.typed_operator().list_requests().unwrap();
    let whole: Vec<_> = whole.iter().map(|view| json!(view.card.request)).collect();
    let ids = |found: &serde_json::Value| -> Vec<serde_json::Value> {
        found["requests"].as_array().unwrap().iter().map(|card| card["request"].clone()).collect()
    };
    let mut paged = Vec::new();
    let mut path = "/v1/requests?limit=2".to_owned();
    loop {
        let page = house.operator().get(&path).unwrap();
        assert!(ids(&page).len() <= 2);
        paged.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/requests?limit=2&after={next}");
    }
    assert_eq!((paged.len(), paged), (5, whole));
    for wrong in ["limit=0", "limit=501", "after=op_1", "before=x"] {
        let refused = refusal(house.operator().get(&format!("/v1/requests?{wrong}")));
        assert_eq!(refused.0, 400, "{wrong}");
    }
}

#[test]
fn what_never_began_is_given_back_by_the_operators_side_alone() {
    let house = House::open();
    let operation = house.pending();
    let own = json!({"session": "s1"});
    let attest = format!("/v1/calls/{operation}/nothing-happened");
    let retry = || house.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    // What waits is not running.
    assert_eq!(refusal(house.operator().post(&attest, &own)).0, 409);
    house.answer(&house.card(), "once").unwrap();
    assert_eq!(retry()["status"], "allowed");
    let none = json!({"session": "s1", "effect": "none"});
    let outcome = format!("/v1/operations/{operation}/outcome");
    assert_eq!(refusal(house.agent().post(&outcome, &none)).0, 400);
    assert_eq!(refusal(house.agent().post(&attest, &own)).0, 404);
    let elsewhere = json!({"session": "s2"});
    assert_eq!(refusal(house.operator().post(&attest, &elsewhere)).0, 404);
    assert_eq!(house.operator().post(&attest, &own).unwrap()["state"], "recorded");
    assert_eq!(refusal(house.operator().post(&attest, &own)).0, 409);
    // The yes serves this call once more, and nothing else.
    let other = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(house.agent().post("/v1/check", &other).unwrap()["status"], "pending");
    let same = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    let again = house.agent().post("/v1/check", &same).unwrap();
    assert_eq!((&again["status"], &again["reason"]), (&json!("allowed"), &json!("granted")));
    let ended = format!("/v1/operations/{}/outcome", again["operation_id"].as_str().unwrap());
    house.agent().post(&ended, &json!({"session": "s1", "effect": "failed"})).unwrap();
    assert_eq!(house.agent().post("/v1/check", &same).unwrap()["status"], "pending");
}

#[test]
fn a_critical_yes_is_not_given_back() {
    let house = House::open();
    let pay = json!({"session": "s1", "tool": "Pay", "args": {"payee": "acme", "amount": "5 EUR"}});
    let operation = house.agent().post("/v1/check", &pay).unwrap();
    let operation = operation["operation_id"].as_str().unwrap();
    let card = house.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let typed = &card["confirm"]["typed"];
    let body = json!({"digest": card["digest"], "choice": "once", "confirm": typed});
    house.operator().post(&path, &body).unwrap();
    let own = json!({"session": "s1"});
    let again = format!("/v1/operations/{operation}/retry");
    assert_eq!(house.agent().post(&again, &own).unwrap()["status"], "allowed");
    house.operator().post(&format!("/v1/calls/{operation}/nothing-happened"), &own).unwrap();
    assert_eq!(house.agent().post("/v1/check", &pay).unwrap()["status"], "pending");
}

//! What is said in sessions: turns, plans, and records of agents.

use crate::house::{House, refusal};
use serde_json::{Value, json};

fn said(house: &House, text: &str) -> Value {
    house.agent().post("/v1/turns", &json!({"session": "s1", "text": text})).unwrap()
}

#[test]
fn a_turn_that_an_agent_reports_can_tighten() {
    let house = House::open();
    house.pending();
    assert_eq!(said(&house, "stop")["heard"], "stop");
    assert_eq!(house.operator().get("/v1/requests").unwrap()["requests"], json!([]));
    assert_eq!(said(&house, "DRY RUN: clean up")["heard"], "dry_run");
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(house.agent().post("/v1/check", &write).unwrap()["reason"], "dry_run");
}

#[test]
fn a_turn_that_would_loosen_is_asked_about_instead() {
    let house = House::open();
    let operation = house.pending();
    for yes in ["yes", "go ahead", "approved"] {
        assert_eq!(said(&house, yes)["heard"], "none");
    }
    let path = format!("/v1/operations/{operation}?session=s1");
    assert_eq!(house.agent().get(&path).unwrap()["state"], "pending");
    said(&house, "Grant standing consent for: git status");
    assert_eq!(house.operator().get("/v1/grants").unwrap()["grants"], json!([]));
    let open = house.operator().get("/v1/requests").unwrap();
    let kinds: Vec<_> = open["requests"].as_array().unwrap().iter().map(|c| &c["kind"]).collect();
    assert_eq!(kinds, [&json!("edit"), &json!("standing")]);
}

#[test]
fn what_the_operator_types_counts() {
    let house = House::open();
    let operation = house.pending();
    let yes = json!({"session": "s1", "text": "yes"});
    assert_eq!(house.operator().post("/v1/say", &yes).unwrap()["heard"], "answered");
    let own = json!({"session": "s1"});
    let retried = house.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    assert_eq!(retried["status"], "allowed");
    let nowhere = json!({"session": "s9", "text": "stop"});
    assert_eq!(refusal(house.operator().post("/v1/say", &nowhere)).0, 404);
}

#[test]
fn a_plan_of_an_agent_has_no_score_of_its_own() {
    let house = House::open();
    let plan = json!({"session": "s1", "actions": ["files.write"]});
    assert_eq!(house.agent().post("/v1/plans", &plan).unwrap()["state"], "recorded");
    let sure = json!({"session": "s1", "actions": ["files.write"], "score": 4});
    assert_eq!(refusal(house.agent().post("/v1/plans", &sure)), (403, "forbidden".to_owned()));
    let nothing = json!({"session": "s1", "actions": []});
    assert_eq!(refusal(house.agent().post("/v1/plans", &nothing)).0, 422);
    house.operator().post("/v1/say", &json!({"session": "s1", "text": "go ahead"})).unwrap();
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    assert_eq!(house.agent().post("/v1/check", &write).unwrap()["status"], "pending");
}

#[test]
fn a_session_moves_on_and_hands_its_standing_commands_over_as_questions() {
    let house = House::open();
    house.pending();
    for moved in ["topic", "context"] {
        let body = json!({"session": "s1", "kind": moved});
        assert_eq!(house.agent().post("/v1/moved", &body).unwrap()["state"], "recorded");
    }
    let grant = json!({"session": "s1", "text": "Grant standing consent for: git status"});
    assert_eq!(house.operator().post("/v1/say", &grant).unwrap()["heard"], "granted");
    let over = json!({"from": "s1", "to": "s2"});
    assert_eq!(house.agent().post("/v1/hand-over", &over).unwrap()["questions"], 1);
    let unknown = json!({"from": "s9", "to": "s2"});
    assert_eq!(refusal(house.agent().post("/v1/hand-over", &unknown)).0, 404);
}

#[test]
fn what_an_agent_records_is_a_claim_without_secrets_that_only_it_reads() {
    let house = House::open();
    let operation = house.pending();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let claim = json!({
        "session": "s1", "operation_id": operation, "ground": "observed",
        "text": format!("wrote the letter with {token}"),
    });
    assert_eq!(house.agent().post("/v1/ledger", &claim).unwrap()["state"], "recorded");
    let plain = json!({"session": "s1", "text": "and nothing else"});
    house.agent().post("/v1/ledger", &plain).unwrap();
    let found = house.agent().get("/v1/ledger?session=s1").unwrap();
    let records = found["records"].as_array().unwrap();
    assert_eq!((records.len(), &found["next"]), (2, &Value::Null));
    assert_eq!(records[0]["operation_id"], json!(operation));
    assert_eq!(
        (&records[0]["ground"], &records[1]["ground"]),
        (&json!("observed"), &json!("unknown"))
    );
    assert!(!found.to_string().contains(token), "{found}");
    assert_eq!(house.agent().get("/v1/ledger?session=s2").unwrap()["records"], json!([]));
    let elsewhere = json!({
        "session": "s1", "text": "x", "operation_id": "op_019b8d627a8070008000000000000007",
    });
    assert_eq!(refusal(house.agent().post("/v1/ledger", &elsewhere)).0, 404);
    // It answers nothing.
    assert_eq!(
        house.operator().get("/v1/requests").unwrap()["requests"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn that_nothing_happened_no_agent_attests() {
    let house = House::open();
    let operation = house.pending();
    let body = r#"{"session":"s1","effect":"none"}"#;
    let path = format!("/v1/operations/{operation}/outcome");
    let (status, text) = house.raw("POST", &path, "application/json", body);
    assert_eq!(status, 400);
    assert!(text.contains("only an executor of ours"), "{text}");
}

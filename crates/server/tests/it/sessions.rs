//! Turns, plans and agents' records in sessions.

use crate::test_server::{TestServer, expect_error};
use countersign_client::Connection;
use serde_json::{Value, json};

fn report_turn(server: &TestServer, text: &str) -> Value {
    server.agent().post("/v1/turns", &json!({"session": "s1", "text": text})).unwrap()
}

#[test]
fn a_turn_from_an_agent_can_make_decisions_stricter() {
    let server = TestServer::open();
    server.park_call();
    assert_eq!(report_turn(&server, "stop")["heard"], "stop");
    assert_eq!(server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
    // An agent's dry run does not end the stop.
    assert_eq!(report_turn(&server, "DRY RUN: clean up")["heard"], "dry_run");
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(server.agent().post("/v1/check", &write).unwrap()["reason"], "stopped");
}

#[test]
fn a_turn_from_an_agent_that_would_make_decisions_looser_becomes_a_question() {
    let server = TestServer::open();
    let operation = server.park_call();
    for yes in ["yes", "go ahead", "approved"] {
        assert_eq!(report_turn(&server, yes)["heard"], "none");
    }
    let path = format!("/v1/operations/{operation}?session=s1");
    assert_eq!(server.agent().get(&path).unwrap()["state"], "pending");
    report_turn(&server, "Grant standing consent for: git status");
    assert_eq!(server.operator().get("/v1/grants").unwrap()["grants"], json!([]));
    let open = server.operator().get("/v1/requests").unwrap();
    let kinds: Vec<_> = open["requests"].as_array().unwrap().iter().map(|c| &c["kind"]).collect();
    assert_eq!(kinds, [&json!("edit"), &json!("standing")]);
}

#[test]
fn the_operator_s_own_turns_count() {
    let server = TestServer::open();
    let operation = server.park_call();
    let yes = json!({"session": "s1", "text": "yes"});
    assert_eq!(server.operator().post("/v1/say", &yes).unwrap()["heard"], "answered");
    let own = json!({"session": "s1"});
    let retried = server.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    assert_eq!(retried["status"], "allowed");
    let nowhere = json!({"session": "s9", "text": "stop"});
    assert_eq!(expect_error(server.operator().post("/v1/say", &nowhere)).0, 404);
}

#[test]
fn an_agent_cannot_send_the_score_of_its_plan() {
    let server = TestServer::open();
    let plan = json!({"session": "s1", "actions": ["files.write"]});
    assert_eq!(server.agent().post("/v1/plans", &plan).unwrap()["state"], "recorded");
    let sure = json!({"session": "s1", "actions": ["files.write"], "score": 4});
    assert_eq!(
        expect_error(server.agent().post("/v1/plans", &sure)),
        (403, "forbidden".to_owned())
    );
    let nothing = json!({"session": "s1", "actions": []});
    assert_eq!(expect_error(server.agent().post("/v1/plans", &nothing)).0, 422);
    server.operator().post("/v1/say", &json!({"session": "s1", "text": "go ahead"})).unwrap();
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
    assert_eq!(server.agent().post("/v1/check", &write).unwrap()["status"], "pending");
}

#[test]
fn standing_commands_are_handed_over_to_a_new_session_as_questions() {
    let server = TestServer::open();
    server.park_call();
    for moved in ["topic", "context"] {
        let body = json!({"session": "s1", "kind": moved});
        assert_eq!(server.agent().post("/v1/moved", &body).unwrap()["state"], "recorded");
    }
    let grant = json!({"session": "s1", "text": "Grant standing consent for: git status"});
    assert_eq!(server.operator().post("/v1/say", &grant).unwrap()["heard"], "granted");
    let over = json!({"from": "s1", "to": "s2"});
    assert_eq!(server.agent().post("/v1/hand-over", &over).unwrap()["questions"], 1);
    let unknown = json!({"from": "s9", "to": "s2"});
    assert_eq!(expect_error(server.agent().post("/v1/hand-over", &unknown)).0, 404);
    // Only an adapter clears a session, and it need not name what it cleared.
    let cleared = json!({"session": "s1", "reason": "cleared"});
    assert_eq!(expect_error(server.agent().post("/v1/end-session", &cleared)).0, 403);
    let unnamed = json!({"to": "s3"});
    assert_eq!(expect_error(server.agent().post("/v1/hand-over", &unnamed)).0, 422);
}

#[test]
fn an_agent_s_record_is_a_claim_without_secrets_that_only_it_can_read() {
    let server = TestServer::open();
    let operation = server.park_call();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let claim = json!({
        "session": "s1", "operation_id": operation, "ground": "observed",
        "text": format!("wrote the letter with {token}"),
    });
    assert_eq!(server.agent().post("/v1/ledger", &claim).unwrap()["state"], "recorded");
    let plain = json!({"session": "s1", "text": "and nothing else"});
    server.agent().post("/v1/ledger", &plain).unwrap();
    let found = server.agent().get("/v1/ledger?session=s1").unwrap();
    let records = found["records"].as_array().unwrap();
    assert_eq!((records.len(), &found["next"]), (2, &Value::Null));
    assert_eq!(records[0]["operation_id"], json!(operation));
    assert_eq!(
        (&records[0]["ground"], &records[1]["ground"]),
        (&json!("observed"), &json!("unknown"))
    );
    assert!(!found.to_string().contains(token), "{found}");
    assert_eq!(server.agent().get("/v1/ledger?session=s2").unwrap()["records"], json!([]));
    let elsewhere = json!({
        "session": "s1", "text": "x", "operation_id": "c000007019b8d627a8070008000000000",
    });
    assert_eq!(expect_error(server.agent().post("/v1/ledger", &elsewhere)).0, 404);
    // It is not an answer.
    assert_eq!(
        server.operator().get("/v1/requests").unwrap()["requests"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn no_agent_can_attest_that_nothing_happened() {
    let server = TestServer::open();
    let operation = server.park_call();
    let body = r#"{"session":"s1","effect":"none"}"#;
    let path = format!("/v1/operations/{operation}/outcome");
    let (status, text) = server.send_raw("POST", &path, "application/json", body);
    assert_eq!(status, 400);
    assert!(text.contains("only an executor of ours"), "{text}");
}

/// Two agents with credentials of their own, each with a parked call in a session of this name.
fn two_agents(server: &TestServer, session: &str) -> [Connection; 2] {
    ["bolt", "nut"].map(|agent| {
        let token = server.issue_token(&json!({"agent": agent}));
        let connection = server.agent().with_token(Some(token));
        let write = json!({
            "session": session, "tool": "Write", "args": {"path": "/srv/a"},
        });
        assert_eq!(connection.post("/v1/check", &write).unwrap()["status"], "pending", "{agent}");
        connection
    })
}

#[test]
fn two_agents_use_the_same_name_for_their_sessions() {
    let server = TestServer::open();
    let [bolt, nut] = two_agents(&server, "run");
    assert_eq!(
        bolt.post("/v1/turns", &json!({"session": "run", "text": "stop"})).unwrap()["heard"],
        "stop"
    );
    // The stop of one is not that of the other: its question is still open.
    let open = server.operator().get("/v1/requests").unwrap();
    assert_eq!(open["requests"].as_array().unwrap().len(), 1);
    let dry = json!({"session": "run", "text": "DRY RUN: look"});
    assert_eq!(nut.post("/v1/turns", &dry).unwrap()["heard"], "dry_run");
}

#[test]
fn an_operator_says_whose_session_is_meant_if_two_agents_use_the_name() {
    let server = TestServer::open();
    two_agents(&server, "run");
    let say = |session: &str| {
        server.operator().post("/v1/say", &json!({"session": session, "text": "stop"}))
    };
    let why = format!("{:?}", say("run").unwrap_err());
    assert!(why.contains("bolt/run, nut/run"), "{why}");
    assert_eq!(say("nut/run").unwrap()["heard"], "stop");
    let open = server.operator().get("/v1/requests").unwrap();
    assert_eq!(open["requests"].as_array().unwrap().len(), 1);
    assert_eq!(expect_error(say("other/run")).0, 404);
}

#[test]
fn an_agent_ends_its_session_and_keeps_what_held_it_back() {
    let server = TestServer::open();
    let operation = server.park_call();
    report_turn(&server, "DRY RUN: clean up");
    let end = |session: &str| {
        server.agent().post("/v1/end-session", &json!({"session": session})).unwrap()
    };
    assert_eq!(end("s1")["ended"], true);
    assert_eq!(end("s1")["ended"], false);
    assert_eq!(server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
    let own = json!({"session": "s1"});
    let retried = server.agent().post(&format!("/v1/operations/{operation}/retry"), &own).unwrap();
    assert_eq!((&retried["status"], &retried["reason"]), (&json!("denied"), &json!("paused")));
    assert_eq!(retried["sentence"], "the session of this call has ended");
    let write = json!({"session": "s2", "tool": "Write", "args": {"path": "/srv/b"}});
    assert_eq!(server.agent().post("/v1/check", &write).unwrap()["reason"], "dry_run");
}

#[test]
fn the_operator_lists_the_open_sessions_and_ends_one() {
    let server = TestServer::open();
    server.park_call();
    let names = || {
        let listed = server.operator().get("/v1/sessions").unwrap();
        let sessions = listed["sessions"].as_array().unwrap().clone();
        sessions.iter().map(|s| s["session"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["s1"]);
    let body = json!({"session": "s1"});
    assert_eq!(server.operator().post("/v1/sessions/end", &body).unwrap()["ended"], true);
    assert_eq!(names(), [""; 0]);
    let nowhere = json!({"session": "s9"});
    assert_eq!(expect_error(server.operator().post("/v1/sessions/end", &nowhere)).0, 404);
}

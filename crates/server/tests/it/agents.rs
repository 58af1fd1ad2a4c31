//! The agents' plane. None of its routes approves.

use crate::test_server::{TestServer, expect_error};
use serde_json::json;

#[test]
fn an_autonomous_call_is_allowed_and_a_blocked_one_is_denied() {
    let server = TestServer::open();
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    let allowed = server.agent().post("/v1/check", &read).unwrap();
    assert_eq!((&allowed["status"], &allowed["reason"]), (&json!("allowed"), &json!("autonomous")));
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    let denied = server.agent().post("/v1/check", &wipe).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("blocked")));
}

#[test]
fn a_call_waits_for_a_yes_and_uses_it_once() {
    let server = TestServer::open();
    let request =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 15_000});
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.agent().post("/v1/check", &request).unwrap());
        // The event arrives as soon as the card is open.
        let events = server.events(Some(1)).unwrap();
        let opened =
            events.map(Result::unwrap).find(|event| event.data.kind.word() == "request_opened");
        let card = json!(opened.unwrap().data.card);
        server.answer_card(&card, "once").unwrap();
        let decided = waiting.join().unwrap();
        assert_eq!(
            (&decided["status"], &decided["reason"]),
            (&json!("allowed"), &json!("granted"))
        );
        let operation = decided["operation_id"].as_str().unwrap();
        let done = json!({"session": "s1", "effect": "done"});
        let path = format!("/v1/operations/{operation}/outcome");
        assert_eq!(server.agent().post(&path, &done).unwrap()["state"], "recorded");
        assert_eq!(expect_error(server.agent().post(&path, &done)), (409, "conflict".to_owned()));
    });
    let mut again = request.clone();
    again["wait_ms"] = json!(0);
    assert_eq!(server.agent().post("/v1/check", &again).unwrap()["status"], "pending");
}

#[test]
fn an_agent_withdraws_its_own_question() {
    let server = TestServer::open();
    let operation = server.park_call();
    let path = format!("/v1/operations/{operation}");
    let own = json!({"session": "s1"});
    assert_eq!(server.agent().get(&format!("{path}?session=s1")).unwrap()["state"], "pending");
    server.agent().post(&format!("{path}/cancel"), &own).unwrap();
    let found = server.operator().get("/v1/requests").unwrap();
    assert_eq!(found["requests"], json!([]));
    assert_eq!(expect_error(server.agent().post(&format!("{path}/cancel"), &own)).0, 409);
    // What is cancelled is final; a new call asks.
    assert_eq!(server.agent().get(&format!("{path}?session=s1")).unwrap()["state"], "cancelled");
    let retried = server.agent().post(&format!("{path}/retry"), &own).unwrap();
    assert_eq!(
        (&retried["status"], &retried["reason"]),
        (&json!("denied"), &json!("cancelled")),
        "{retried}"
    );
    assert_ne!(server.park_call(), operation);
}

#[test]
fn the_agents_socket_has_none_of_the_operator_s_routes() {
    let server = TestServer::open();
    server.park_call();
    let request = server.card()["request"].as_str().unwrap().to_owned();
    let routes = [
        format!("/v1/requests/{request}/answer"),
        "/v1/revoke".into(),
        "/v1/pause".into(),
        "/v1/resume".into(),
        "/v1/presence".into(),
        "/v1/review".into(),
    ];
    for route in routes {
        let refused =
            expect_error(server.agent().post(&route, &json!({"digest": "x", "choice": "once"})));
        assert_eq!(refused, (404, "no_route".to_owned()), "{route}");
    }
    for route in ["/v1/requests", "/v1/grants", "/v1/events", "/v1/status", "/v1/notices"] {
        assert_eq!(expect_error(server.agent().get(route)).0, 404, "{route}");
    }
}

#[test]
fn an_agent_s_claims_cannot_make_a_decision_looser() {
    let server = TestServer::open();
    for field in ["initiator", "parent", "channel", "effect", "gesture", "observed", "agent"] {
        let request = json!({"session": "s1", "actions": ["files.write"], field: "operator"});
        assert_eq!(
            expect_error(server.agent().post("/v1/check", &request)),
            (400, "unreadable".to_owned())
        );
    }
    let observed = [("project", json!("/srv")), ("observed", json!({"initiator": "operator"}))];
    for (field, seen) in observed {
        let request = json!({"session": "s1", "actions": ["files.write"], field: seen});
        assert_eq!(
            expect_error(server.agent().post("/v1/check", &request)),
            (403, "forbidden".to_owned())
        );
    }
    let sure = json!({"session": "s1", "actions": ["files.write"], "confidence": 1.0});
    assert_eq!(server.agent().post("/v1/check", &sure).unwrap()["outcome"], "ask");
    let none = json!({"session": "s1", "effect": "none"});
    let operation = server.park_call();
    let path = format!("/v1/operations/{operation}/outcome");
    assert_eq!(expect_error(server.agent().post(&path, &none)).0, 400);
}

#[test]
fn a_secret_in_a_question_is_not_recorded() {
    let server = TestServer::open();
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    for field in ["action", "reasoning", "fallback"] {
        let mut request = json!({"session": "s1", "action": "May I read?", "reasoning": ""});
        request[field] = json!(format!("{field} with {token}"));
        server.agent().post("/v1/ask-ahead", &request).unwrap();
    }
    let shown = server.operator().get("/v1/requests").unwrap()["requests"].to_string();
    assert!(shown.contains("action with"), "{shown}");
    assert!(!shown.contains(&token), "{shown}");
}

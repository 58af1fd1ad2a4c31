//! What agents can do, and that none of it approves.

use crate::house::{House, refusal};
use serde_json::json;

#[test]
fn what_is_autonomous_passes_and_what_is_blocked_does_not() {
    let house = House::open();
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    let allowed = house.agent().post("/v1/check", &read).unwrap();
    assert_eq!((&allowed["status"], &allowed["reason"]), (&json!("allowed"), &json!("autonomous")));
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    let denied = house.agent().post("/v1/check", &wipe).unwrap();
    assert_eq!((&denied["status"], &denied["reason"]), (&json!("denied"), &json!("blocked")));
}

#[test]
fn a_yes_is_waited_for_and_used_once() {
    let house = House::open();
    let asked =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 15_000});
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| house.agent().post("/v1/check", &asked).unwrap());
        // The card is there as soon as an event says so.
        let events = house.events(Some(1)).unwrap();
        let opened =
            events.map(Result::unwrap).find(|event| event.data.kind.word() == "request_opened");
        let card = json!(opened.unwrap().data.card);
        house.answer(&card, "once").unwrap();
        let decided = waiting.join().unwrap();
        assert_eq!(
            (&decided["status"], &decided["reason"]),
            (&json!("allowed"), &json!("granted"))
        );
        let operation = decided["operation_id"].as_str().unwrap();
        let done = json!({"session": "s1", "effect": "done"});
        let path = format!("/v1/operations/{operation}/outcome");
        assert_eq!(house.agent().post(&path, &done).unwrap()["state"], "recorded");
        assert_eq!(refusal(house.agent().post(&path, &done)), (409, "conflict".to_owned()));
    });
    let mut again = asked.clone();
    again["wait_ms"] = json!(0);
    assert_eq!(house.agent().post("/v1/check", &again).unwrap()["status"], "pending");
}

#[test]
fn an_agent_takes_its_own_question_back() {
    let house = House::open();
    let operation = house.pending();
    let path = format!("/v1/operations/{operation}");
    let own = json!({"session": "s1"});
    assert_eq!(house.agent().get(&format!("{path}?session=s1")).unwrap()["state"], "pending");
    house.agent().post(&format!("{path}/cancel"), &own).unwrap();
    let found = house.operator().get("/v1/requests").unwrap();
    assert_eq!(found["requests"], json!([]));
    assert_eq!(refusal(house.agent().post(&format!("{path}/cancel"), &own)).0, 409);
}

/// Everything that an operator can do is nothing on the agents' socket.
#[test]
fn no_route_of_the_operator_is_there_for_agents() {
    let house = House::open();
    house.pending();
    let request = house.card()["request"].as_str().unwrap().to_owned();
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
            refusal(house.agent().post(&route, &json!({"digest": "x", "choice": "once"})));
        assert_eq!(refused, (404, "no_route".to_owned()), "{route}");
    }
    for route in ["/v1/requests", "/v1/grants", "/v1/events", "/v1/status", "/v1/notices"] {
        assert_eq!(refusal(house.agent().get(route)).0, 404, "{route}");
    }
}

#[test]
fn what_an_agent_says_of_itself_cannot_make_it_milder() {
    let house = House::open();
    for field in ["initiator", "parent", "channel", "effect", "gesture", "observed", "agent"] {
        let asked = json!({"session": "s1", "actions": ["files.write"], field: "operator"});
        assert_eq!(
            refusal(house.agent().post("/v1/check", &asked)),
            (400, "unreadable".to_owned())
        );
    }
    let observed = [("project", json!("/srv")), ("observed", json!({"initiator": "operator"}))];
    for (field, seen) in observed {
        let asked = json!({"session": "s1", "actions": ["files.write"], field: seen});
        assert_eq!(refusal(house.agent().post("/v1/check", &asked)), (403, "forbidden".to_owned()));
    }
    let sure = json!({"session": "s1", "actions": ["files.write"], "confidence": 1.0});
    assert_eq!(house.agent().post("/v1/check", &sure).unwrap()["outcome"], "ask");
    let none = json!({"session": "s1", "effect": "none"});
    let operation = house.pending();
    let path = format!("/v1/operations/{operation}/outcome");
    assert_eq!(refusal(house.agent().post(&path, &none)).0, 400);
}

#[test]
fn a_question_that_holds_a_secret_is_not_shown_to_anybody() {
    let house = House::open();
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    for field in ["text", "reason", "fallback"] {
        let mut asked = json!({"session": "s1", "text": "May I read?", "scope": "session"});
        asked[field] = json!(format!("with {token}"));
        let refused = refusal(house.agent().post("/v1/ask-ahead", &asked));
        assert_eq!(refused, (422, "invalid".to_owned()), "{field}");
    }
    assert_eq!(house.operator().get("/v1/requests").unwrap()["requests"], json!([]));
}

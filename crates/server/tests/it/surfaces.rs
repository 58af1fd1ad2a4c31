//! Reports of surfaces, and due reviews.

use crate::test_server::{TestServer, expect_error};
use serde_json::json;

#[test]
fn a_delivery_is_recorded_and_proves_nothing() {
    let server = TestServer::open();
    server.park_call();
    let card = server.card();
    let shown = json!({"request": card["request"], "surface": "watch", "evidence": "requested"});
    assert_eq!(server.operator().post("/v1/deliveries", &shown).unwrap()["state"], "recorded");
    let events = server.events(Some(1)).unwrap();
    assert!(events.map(Result::unwrap).any(|event| event.data.kind.word() == "request_delivered"));
    assert_eq!(server.card()["request"], card["request"]);
    let unclear = json!({"surface": "watch", "evidence": "requested"});
    assert_eq!(expect_error(server.operator().post("/v1/deliveries", &unclear)).0, 422);
    let seen = json!({"request": card["request"], "surface": "watch", "evidence": "seen"});
    assert_eq!(expect_error(server.operator().post("/v1/deliveries", &seen)).0, 400);
    let unknown = json!({
        "notice": "n000007019b8d627a8070008000000000", "surface": "watch",
        "evidence": "queued",
    });
    assert_eq!(expect_error(server.operator().post("/v1/deliveries", &unknown)).0, 404);
}

#[test]
fn a_click_names_the_actions_that_it_covers() {
    let server = TestServer::open();
    let operation = server.park_call();
    let click = json!({"session": "s1", "declares": ["files.write"], "shows": operation});
    let made = server.operator().post("/v1/gestures", &click).unwrap();
    assert!(made["gesture_id"].as_str().unwrap().starts_with("t"));
    let nothing = json!({"session": "s1"});
    assert_eq!(expect_error(server.operator().post("/v1/gestures", &nothing)).0, 422);
    let nowhere = json!({"session": "s9", "declares": ["files.write"]});
    assert_eq!(expect_error(server.operator().post("/v1/gestures", &nowhere)).0, 404);
    // An agent cannot say whose click started a call.
    let observed = json!({"initiator": "operator", "gesture": made["gesture_id"]});
    let call = json!({"session": "s1", "actions": ["files.write"], "observed": observed});
    assert_eq!(expect_error(server.agent().post("/v1/check", &call)).0, 403);
}

#[test]
fn a_click_is_closed_by_its_surface_and_leaves_the_project_to_the_first_call() {
    let server = TestServer::open();
    let adapter = json!({"agent": "coder", "adapter": true});
    let adapter = server.agent().with_token(Some(server.issue_token(&adapter)));
    let click = json!({
        "session": "desk", "agent": "coder", "declares": ["files.write"], "surface": "dashboard",
    });
    let made = server.operator().post("/v1/gestures", &click).unwrap();
    let sessions = || server.operator().get("/v1/sessions").unwrap()["sessions"].clone();
    assert_eq!(sessions(), json!([]));
    let path = format!("/v1/gestures/{}/close", made["gesture_id"].as_str().unwrap());
    let elsewhere = json!({"session": "desk", "agent": "coder", "surface": "phone"});
    assert_eq!(expect_error(server.operator().post(&path, &elsewhere)).0, 403);
    let observed = json!({"initiator": "operator", "gesture": made["gesture_id"]});
    let call = json!({
        "session": "desk", "actions": ["files.write"], "observed": observed, "project": "/srv",
    });
    let allowed = adapter.post("/v1/check", &call).unwrap();
    assert_eq!((&allowed["status"], &allowed["reason"]), (&json!("allowed"), &json!("gesture")));
    assert_eq!(sessions()[0]["project"], "/srv");
    let elsewhere = json!({"session": "desk", "surface": "phone"});
    assert_eq!(expect_error(server.operator().post(&path, &elsewhere)).0, 403);
    let own = json!({"session": "desk", "surface": "dashboard"});
    assert_eq!(server.operator().post(&path, &own).unwrap()["closed"], true);
    assert_eq!(server.operator().post(&path, &own).unwrap()["closed"], false);
    assert_eq!(server.count_entries(["gesture_closed"]), [1]);
    let mut other = call.clone();
    other["args"] = json!({"path": "/srv/b"});
    assert_eq!(adapter.post("/v1/check", &other).unwrap()["status"], "pending");
}

/// Reports a surface's presence and returns the presence of all surfaces together.
fn report_presence(server: &TestServer, surface: &str, presence: &str) -> String {
    let body = json!({"surface": surface, "presence": presence});
    let found = server.operator().post("/v1/presence", &body).unwrap();
    found["presence"].as_str().unwrap().to_owned()
}

fn status(server: &TestServer) -> String {
    server.operator().get("/v1/status").unwrap()["presence"].as_str().unwrap().to_owned()
}

#[test]
fn the_operator_is_present_if_any_surface_says_so() {
    let server = TestServer::open();
    let open_stream = |surface| server.surface_events(surface).unwrap();
    let mut received = server.events(None).unwrap().map(Result::unwrap);
    let (_desk, _sofa) = (open_stream("desk"), open_stream("sofa"));
    assert_eq!(status(&server), "unknown");
    for (surface, presence, combined) in [
        ("desk", "active", "active"),
        ("sofa", "away", "active"),
        ("sofa", "idle", "active"),
        ("desk", "idle", "idle"),
        ("desk", "away", "idle"),
        ("sofa", "away", "away"),
        ("sofa", "unknown", "away"),
        ("desk", "unknown", "unknown"),
        ("sofa", "active", "active"),
    ] {
        assert_eq!(report_presence(&server, surface, presence), combined, "{surface} {presence}");
        assert_eq!(status(&server), combined);
    }
    server.park_call();
    // Only changes are recorded.
    let kinds = received.by_ref().map(|event| event.data.kind.word());
    let kinds: Vec<&str> = kinds.take_while(|kind| *kind != "request_opened").collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "presence_changed").count(), 5);
}

#[test]
fn the_presence_of_a_surface_ends_with_its_last_stream() {
    let server = TestServer::open();
    let open_stream = |surface| server.surface_events(surface).unwrap();
    let becomes = |word| assert!((0..20_000).any(|_| status(&server) == word), "{word}");
    let (desk, sofa, second_sofa) = (open_stream("desk"), open_stream("sofa"), open_stream("sofa"));
    report_presence(&server, "desk", "away");
    report_presence(&server, "sofa", "active");
    // Its second stream is still open.
    drop(sofa);
    assert_eq!(report_presence(&server, "desk", "idle"), "active");
    drop(second_sofa);
    becomes("idle");
    drop(desk);
    becomes("unknown");
    let gone = json!({"surface": "desk", "presence": "active"});
    assert_eq!(
        expect_error(server.operator().post("/v1/presence", &gone)),
        (409, "conflict".to_owned())
    );
    assert_eq!(status(&server), "unknown");
    let nobody = json!({"presence": "active"});
    assert_eq!(expect_error(server.operator().post("/v1/presence", &nobody)).0, 400);
}

const OLD: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: []}
  mail: {autonomous: [], requires_approval: [send], blocked: [], last_reviewed: 2020-01-01}
consent_decay: {enabled: true, review_interval_days: 30}
";

#[test]
fn due_reviews_are_listed_until_the_review() {
    let server = TestServer::with_graph(OLD);
    let due = server.operator().get("/v1/review").unwrap();
    assert!(due["days_left"].as_i64().unwrap() < 0, "{due}");
    assert_eq!(due["rules"][0]["domain"], json!(null));
    assert_eq!(
        (&due["rules"][0]["due_on"], &due["rules"][0]["days_left"]),
        (&json!(null), &json!(0))
    );
    assert_eq!(due["rules"][1]["domain"], "mail");
    assert_eq!(due["rules"][1]["due_on"], "2020-01-31");
    server.operator().post("/v1/review", &json!({})).unwrap();
    let after = server.operator().get("/v1/review").unwrap();
    assert_eq!(after["days_left"], 30);
    assert_eq!(expect_error(server.operator().post("/v1/review", &json!({"all": true}))).0, 400);
}

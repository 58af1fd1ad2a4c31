//! What surfaces report, and what is due to be looked at again.

use crate::house::{House, refusal};
use serde_json::json;

#[test]
fn a_delivery_is_recorded_and_proves_nothing() {
    let house = House::open();
    house.pending();
    let card = house.card();
    let shown = json!({"request": card["request"], "surface": "watch", "evidence": "requested"});
    assert_eq!(house.operator().post("/v1/deliveries", &shown).unwrap()["state"], "recorded");
    let events = house.events(Some(1)).unwrap();
    assert!(events.map(Result::unwrap).any(|event| event.data.kind.word() == "request_delivered"));
    assert_eq!(house.card()["request"], card["request"]);
    let unclear = json!({"surface": "watch", "evidence": "requested"});
    assert_eq!(refusal(house.operator().post("/v1/deliveries", &unclear)).0, 422);
    let seen = json!({"request": card["request"], "surface": "watch", "evidence": "seen"});
    assert_eq!(refusal(house.operator().post("/v1/deliveries", &seen)).0, 400);
    let unknown = json!({
        "notice": "notice_019b8d627a8070008000000000000007", "surface": "watch",
        "evidence": "queued",
    });
    assert_eq!(refusal(house.operator().post("/v1/deliveries", &unknown)).0, 404);
}

#[test]
fn a_click_names_what_it_covers() {
    let house = House::open();
    let operation = house.pending();
    let click = json!({"session": "s1", "declares": ["files.write"], "shows": operation});
    let made = house.operator().post("/v1/gestures", &click).unwrap();
    assert!(made["gesture_id"].as_str().unwrap().starts_with("ges_"));
    let nothing = json!({"session": "s1"});
    assert_eq!(refusal(house.operator().post("/v1/gestures", &nothing)).0, 422);
    let nowhere = json!({"session": "s9", "declares": ["files.write"]});
    assert_eq!(refusal(house.operator().post("/v1/gestures", &nowhere)).0, 404);
    // Whose click began a call an agent cannot say.
    let observed = json!({"initiator": "operator", "gesture": made["gesture_id"]});
    let call = json!({"session": "s1", "actions": ["files.write"], "observed": observed});
    assert_eq!(refusal(house.agent().post("/v1/check", &call)).0, 403);
}

/// Says whether somebody is at this surface, and hears what that makes of all of them.
fn present(house: &House, surface: &str, presence: &str) -> String {
    let body = json!({"surface": surface, "presence": presence});
    let found = house.operator().post("/v1/presence", &body).unwrap();
    found["presence"].as_str().unwrap().to_owned()
}

fn status(house: &House) -> String {
    house.operator().get("/v1/status").unwrap()["presence"].as_str().unwrap().to_owned()
}

#[test]
fn somebody_at_one_surface_is_there_whatever_the_others_say() {
    let house = House::open();
    let looks = |surface| house.events_of(surface).unwrap();
    let mut heard = house.events(None).unwrap().map(Result::unwrap);
    let (_desk, _sofa) = (looks("desk"), looks("sofa"));
    assert_eq!(status(&house), "unknown");
    for (surface, says, together) in [
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
        assert_eq!(present(&house, surface, says), together, "{surface} {says}");
        assert_eq!(status(&house), together);
    }
    house.pending();
    // It is recorded when it changes, and only then.
    let kinds = heard.by_ref().map(|event| event.data.kind.word());
    let kinds: Vec<&str> = kinds.take_while(|kind| *kind != "request_opened").collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "presence_changed").count(), 5);
}

#[test]
fn the_word_of_a_surface_ends_with_it() {
    let house = House::open();
    let looks = |surface| house.events_of(surface).unwrap();
    let becomes = |word| assert!((0..20_000).any(|_| status(&house) == word), "{word}");
    let (desk, sofa, again) = (looks("desk"), looks("sofa"), looks("sofa"));
    present(&house, "desk", "away");
    present(&house, "sofa", "active");
    // It still looks in another window.
    drop(sofa);
    assert_eq!(present(&house, "desk", "idle"), "active");
    drop(again);
    becomes("idle");
    drop(desk);
    becomes("unknown");
    let gone = json!({"surface": "desk", "presence": "active"});
    assert_eq!(refusal(house.operator().post("/v1/presence", &gone)), (409, "conflict".to_owned()));
    assert_eq!(status(&house), "unknown");
    let nobody = json!({"presence": "active"});
    assert_eq!(refusal(house.operator().post("/v1/presence", &nobody)).0, 400);
}

const OLD: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: []}
  mail: {autonomous: [], requires_approval: [send], blocked: [], last_reviewed: 2020-01-01}
consent_decay: {enabled: true, review_interval_days: 30}
";

#[test]
fn what_is_due_for_review_is_told_until_somebody_looks() {
    let house = House::under(OLD);
    let due = house.operator().get("/v1/review").unwrap();
    assert!(due["days_left"].as_i64().unwrap() < 0, "{due}");
    assert_eq!(due["rules"][0]["domain"], json!(null));
    assert_eq!(
        (&due["rules"][0]["due_on"], &due["rules"][0]["days_left"]),
        (&json!(null), &json!(0))
    );
    assert_eq!(due["rules"][1]["domain"], "mail");
    assert_eq!(due["rules"][1]["due_on"], "2020-01-31");
    house.operator().post("/v1/review", &json!({})).unwrap();
    let after = house.operator().get("/v1/review").unwrap();
    assert_eq!(after["days_left"], 30);
    assert_eq!(refusal(house.operator().post("/v1/review", &json!({"all": true}))).0, 400);
}

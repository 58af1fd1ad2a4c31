//! Changes of an agent to itself.

use crate::house::{House, refusal};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  self: {autonomous: [], requires_approval: [prompt], blocked: [weights], undo_window_days: 7}
  files: {autonomous: [read], requires_approval: [write], blocked: []}
";

fn proposed(house: &House, more: Value) -> Value {
    let mut body = json!({
        "session": "s1", "action": "self.prompt",
        "diff": {"before": "be kind", "after": "be brief"}, "undo": "put the old one back",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    house.agent().post("/v1/proposals", &body).unwrap()
}

#[test]
fn a_proposal_waits_for_an_answer_to_itself_and_is_undone_once() {
    let house = House::under(GRAPH);
    let first = proposed(&house, json!({}));
    assert_eq!(first["outcome"], "ask");
    let id = first["proposal_id"].as_str().unwrap();
    let apply =
        || house.agent().post(&format!("/v1/proposals/{id}/apply"), &json!({"session": "s1"}));
    assert_eq!(refusal(apply()), (409, "conflict".to_owned()));
    house.answer(&house.card(), "once").unwrap();
    let own = house.agent().get(&format!("/v1/proposals/{id}/state?session=s1")).unwrap();
    assert_eq!(own["state"], "approved");
    assert_eq!(apply().unwrap()["state"], "applied");
    assert_eq!(refusal(apply()).0, 409);
    let seen = house.operator().get("/v1/proposals").unwrap();
    assert_eq!(seen["proposals"][0]["state"], "applied");
    let undo = || house.operator().post(&format!("/v1/proposals/{id}/undo"), &json!({}));
    assert_eq!(undo().unwrap()["state"], "undone");
    assert_eq!(refusal(undo()).0, 409);
    let one = house.operator().get(&format!("/v1/proposals/{id}")).unwrap();
    assert_eq!(one["diff"], json!({"before": "be kind", "after": "be brief"}));
}

#[test]
fn a_veto_ends_it_and_what_is_incomplete_or_anothers_is_refused() {
    let house = House::under(GRAPH);
    let id = proposed(&house, json!({}))["proposal_id"].as_str().unwrap().to_owned();
    let veto = || house.operator().post(&format!("/v1/proposals/{id}/veto"), &json!({}));
    assert_eq!(veto().unwrap()["state"], "vetoed");
    assert_eq!(refusal(veto()).0, 409);
    let apply = house.agent().post(&format!("/v1/proposals/{id}/apply"), &json!({"session": "s1"}));
    assert_eq!(refusal(apply).0, 409);
    for (more, reason) in [
        (json!({"undo": null}), "undo_missing"),
        (json!({"diff": null}), "diff_missing"),
        (json!({"action": "self.weights"}), "blocked"),
        (json!({"edits": "prop_019b8d627a8070008000000000000007"}), "malformed"),
        (json!({"edits": id, "session": "s2"}), "malformed"),
    ] {
        let refused = proposed(&house, more.clone());
        assert_eq!((&refused["outcome"], &refused["reason"]), (&json!("deny"), &json!(reason)));
        assert_eq!(refused["proposal_id"], Value::Null, "{more}");
    }
    let path = format!("/v1/proposals/{id}/state?session=s2");
    assert_eq!(refusal(house.agent().get(&path)).0, 404);
}

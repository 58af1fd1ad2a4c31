//! Changes that agents propose to themselves.

use crate::test_server::{TestServer, expect_error};
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  self: {autonomous: [], requires_approval: [prompt], blocked: [weights], undo_window_days: 7}
  files: {autonomous: [read], requires_approval: [write], blocked: []}
";

fn propose(server: &TestServer, more: Value) -> Value {
    let mut body = json!({
        "session": "s1", "action": "self.prompt",
        "diff": {"before": "be kind", "after": "be brief"}, "undo": "put the old one back",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.agent().post("/v1/proposals", &body).unwrap()
}

#[test]
fn a_proposal_waits_for_its_own_answer_and_is_undone_once() {
    let server = TestServer::with_graph(GRAPH);
    let first = propose(&server, json!({}));
    assert_eq!(first["outcome"], "ask");
    let id = first["proposal_id"].as_str().unwrap();
    let apply =
        || server.agent().post(&format!("/v1/proposals/{id}/apply"), &json!({"session": "s1"}));
    assert_eq!(expect_error(apply()), (409, "conflict".to_owned()));
    server.answer_card(&server.card(), "once").unwrap();
    let own = server.agent().get(&format!("/v1/proposals/{id}/state?session=s1")).unwrap();
    assert_eq!(own["state"], "approved");
    assert_eq!(apply().unwrap()["state"], "applied");
    assert_eq!(expect_error(apply()).0, 409);
    let seen = server.operator().get("/v1/proposals").unwrap();
    assert_eq!(seen["proposals"][0]["state"], "applied");
    let undo = || server.operator().post(&format!("/v1/proposals/{id}/undo"), &json!({}));
    assert_eq!(undo().unwrap()["state"], "undone");
    assert_eq!(expect_error(undo()).0, 409);
    let one = server.operator().get(&format!("/v1/proposals/{id}")).unwrap();
    assert_eq!(one["diff"], json!({"before": "be kind", "after": "be brief"}));
}

#[test]
fn a_veto_ends_a_proposal_and_incomplete_or_foreign_ones_are_refused() {
    let server = TestServer::with_graph(GRAPH);
    let id = propose(&server, json!({}))["proposal_id"].as_str().unwrap().to_owned();
    let veto = || server.operator().post(&format!("/v1/proposals/{id}/veto"), &json!({}));
    assert_eq!(veto().unwrap()["state"], "vetoed");
    assert_eq!(expect_error(veto()).0, 409);
    let apply =
        server.agent().post(&format!("/v1/proposals/{id}/apply"), &json!({"session": "s1"}));
    assert_eq!(expect_error(apply).0, 409);
    for (more, reason) in [
        (json!({"undo": null}), "undo_missing"),
        (json!({"diff": null}), "diff_missing"),
        (json!({"action": "self.weights"}), "blocked"),
        (json!({"edits": "p000007019b8d627a8070008000000000"}), "malformed"),
        (json!({"edits": id, "session": "s2"}), "malformed"),
    ] {
        let refused = propose(&server, more.clone());
        assert_eq!((&refused["outcome"], &refused["reason"]), (&json!("deny"), &json!(reason)));
        assert_eq!(refused["proposal_id"], Value::Null, "{more}");
    }
    let path = format!("/v1/proposals/{id}/state?session=s2");
    assert_eq!(expect_error(server.agent().get(&path)).0, 404);
}

#[test]
fn a_diff_with_equal_sides_is_refused() {
    let server = TestServer::with_graph(GRAPH);
    let same = propose(&server, json!({"diff": {"before": "be kind", "after": "be kind"}}));
    assert_eq!((&same["outcome"], &same["reason"]), (&json!("deny"), &json!("diff_missing")));
    let sentence = same["sentence"].as_str().unwrap();
    assert!(sentence.contains("its two sides are the same"), "{sentence}");
}

#[test]
fn the_card_shows_the_undo_plan_and_its_window() {
    let server = TestServer::with_graph(GRAPH);
    propose(&server, json!({}));
    let card = server.card();
    let how = "by the plan below, until 7d after it is applied";
    assert_eq!(card["undo"], json!({"reversible": {"how": how}}));
    let exact = card["exact"].as_array().unwrap();
    let plan = exact.iter().find(|field| field["name"] == "undo plan").unwrap();
    assert!(plan["lines"].to_string().contains("put the old one back"), "{plan}");
}

#[test]
fn a_refusal_for_cooling_names_the_time_it_ends() {
    let cooling = GRAPH.replace("undo_window_days: 7", "cooling_period_hours: 2");
    let server = TestServer::with_graph(&cooling);
    let id = propose(&server, json!({}))["proposal_id"].as_str().unwrap().to_owned();
    server.answer_card(&server.card(), "once").unwrap();
    let cools_until = server.operator().get(&format!("/v1/proposals/{id}")).unwrap()["cools_until"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = |what: &str| format!("/v1/proposals/{id}/{what}");
    for applied in [
        server.agent().post(&path("apply"), &json!({"session": "s1"})),
        server.operator().post(&path("put-in-force"), &json!({})),
    ] {
        let Err(countersign_client::ClientError::Refused { status, message, .. }) = applied else {
            panic!("{applied:?}");
        };
        let expected = format!("this is still cooling: it can be applied from {cools_until} on");
        assert_eq!((status, message), (409, expected));
    }
}

#[test]
fn the_operator_applies_an_approved_proposal() {
    let server = TestServer::with_graph(GRAPH);
    let id = propose(&server, json!({}))["proposal_id"].as_str().unwrap().to_owned();
    let apply = || server.operator().post(&format!("/v1/proposals/{id}/put-in-force"), &json!({}));
    assert_eq!(expect_error(apply()).0, 409);
    server.answer_card(&server.card(), "once").unwrap();
    assert_eq!(apply().unwrap()["state"], "applied");
    let none = server
        .operator()
        .post("/v1/proposals/p000007019b8d627a8070008000000000/put-in-force", &json!({}));
    assert_eq!(expect_error(none).0, 404);
}

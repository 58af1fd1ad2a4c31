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

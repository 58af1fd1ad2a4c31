//! What only an adapter may send: turns that make decisions looser, and observations.

use crate::http::{HttpRequest, HttpResponse};
use crate::test_server::TestServer;
use serde_json::{Value, json};
use std::io::BufReader;
use std::os::unix::net::UnixStream;

/// The tokens of an agent and of its adapter.
pub struct AdapterTest {
    pub server: TestServer,
    agent: String,
    adapter: String,
}

impl AdapterTest {
    fn open() -> Self {
        Self::new(TestServer::open())
    }

    pub fn with_graph(graph: &str) -> Self {
        Self::new(TestServer::with_graph(graph))
    }

    fn new(server: TestServer) -> Self {
        let agent = server.issue_token(&json!({"agent": "claude"}));
        let adapter = server.issue_token(&json!({"agent": "claude", "adapter": true}));
        Self { server, agent, adapter }
    }

    fn post(&self, token: &str, path: &str, body: &Value) -> HttpResponse {
        let stream = UnixStream::connect(&self.server.sockets.agent).unwrap();
        let request = HttpRequest::post(path, body).token(token).header("host", "localhost");
        request.send_on(&mut BufReader::new(stream))
    }

    pub fn post_as_agent(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(&self.agent, path, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    pub fn post_as_adapter(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(&self.adapter, path, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    fn write(&self, path: &str) -> Value {
        self.post_as_agent(
            "/v1/check",
            &json!({"session": "s1", "tool": "Write", "args": {"path": path}}),
        )
    }
}

#[test]
fn a_yes_that_an_adapter_reports_counts_and_one_of_the_agent_does_not() {
    let test = AdapterTest::open();
    let operation = test.write("/srv/a")["operation_id"].clone();
    let yes = json!({"session": "s1", "text": "yes"});
    assert_eq!(test.post_as_agent("/v1/turns", &yes)["heard"], "none");
    assert_eq!(test.post_as_adapter("/v1/turns", &yes)["heard"], "answered");
    let path = format!("/v1/operations/{}/retry", operation.as_str().unwrap());
    assert_eq!(test.post_as_agent(&path, &json!({"session": "s1"}))["status"], "allowed");
}

#[test]
fn a_plan_with_a_score_is_accepted_by_a_clear_yes() {
    let test = AdapterTest::open();
    test.write("/srv/a");
    let plan = json!({"session": "s1", "actions": ["files.write"], "score": 4});
    assert_eq!(test.post(&test.agent, "/v1/plans", &plan).error().0, 403);
    test.post_as_adapter("/v1/plans", &plan);
    let yes = json!({"session": "s1", "text": "go ahead"});
    assert_eq!(test.post_as_adapter("/v1/turns", &yes)["heard"], "plan_accepted");
    assert_eq!(test.write("/srv/b")["reason"], "plan");
    assert_eq!(test.write("/srv/c")["status"], "pending");
}

#[test]
fn an_adapter_s_observations_count() {
    let test = AdapterTest::open();
    test.write("/srv/a");
    let click = json!({"session": "s1", "declares": ["files.write"]});
    let made = test.server.operator().post("/v1/gestures", &click).unwrap();
    let call = json!({
        "session": "s1", "actions": ["files.write"], "project": "/srv",
        "observed": {"initiator": "operator", "gesture": made["gesture_id"]},
    });
    assert_eq!(test.post(&test.agent, "/v1/check", &call).error(), (403, "forbidden"));
    assert_eq!(test.post_as_adapter("/v1/check", &call)["reason"], "gesture");
    let changed = json!({
        "session": "s1", "tool": "Read", "args": {"path": "/srv/a"},
        "observed": {"definition": "changed"},
    });
    assert_eq!(test.post_as_adapter("/v1/check", &changed)["reason"], "tool_changed");
    // No credential makes a channel trusted.
    let trusted = json!({
        "session": "s1", "actions": ["files.write"], "observed": {"channel": "trusted"},
    });
    assert_eq!(test.post(&test.adapter, "/v1/check", &trusted).error(), (400, "unreadable"));
}

#[test]
fn an_adapter_cannot_write_to_another_agent_s_session() {
    let test = AdapterTest::open();
    test.write("/srv/a");
    let other = test.server.issue_token(&json!({"agent": "other", "adapter": true}));
    let over = json!({"from": "s1", "to": "s2"});
    assert_eq!(test.post(&other, "/v1/hand-over", &over).error().0, 404);
    // The same name is a session of its own, so the question of the first agent stays open.
    for (path, body) in [
        ("/v1/turns", json!({"session": "s1", "text": "stop"})),
        ("/v1/plans", json!({"session": "s1", "actions": ["files.write"]})),
        ("/v1/moved", json!({"session": "s1", "kind": "topic"})),
        ("/v1/ledger", json!({"session": "s1", "text": "all is well"})),
    ] {
        assert_eq!(test.post(&other, path, &body).status, 200, "{path}");
    }
    assert_eq!(test.server.card()["risk"], "moderate");
}

const SLASH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
slash: {publish: [files.write, files.wipe]}
";

#[test]
fn a_slash_command_that_an_agent_reports_is_shown_to_the_operator_and_does_nothing() {
    let test = AdapterTest::with_graph(SLASH);
    let write = json!({"session": "s1", "actions": ["files.write"]});
    let slash = json!({"session": "s1", "text": "/publish now"});
    let said = test.post_as_agent("/v1/turns", &slash);
    assert_eq!((&said["heard"], &said["gesture_id"]), (&json!("none"), &json!(null)));
    let card = test.server.card();
    assert_eq!(card["lines"][1], "Be allowed any files write ahead", "{card}");
    assert!(card["claims"].to_string().contains("/publish"), "{card}");
    // A second report does not open a second question, and no other turn of the agent answers it.
    for text in ["/publish", "yes", "go ahead", "approved"] {
        test.post_as_agent("/v1/turns", &json!({"session": "s1", "text": text}));
    }
    assert_eq!(test.server.card()["request"], card["request"]);
    assert_eq!(test.server.operator().get("/v1/grants").unwrap()["grants"], json!([]));
    assert_eq!(test.post_as_agent("/v1/check", &write)["status"], "pending");
    assert!(test.server.answer_card(&card, "session").is_err());
    test.server.answer_card(&card, "once").unwrap();
    let other = json!({"session": "s1", "actions": ["files.write"], "args": {"n": 1}});
    assert_eq!(test.post_as_agent("/v1/check", &other)["reason"], "granted");
    let third = json!({"session": "s1", "actions": ["files.write"], "args": {"n": 2}});
    assert_eq!(test.post_as_agent("/v1/check", &third)["status"], "pending");
}

#[test]
fn a_slash_command_that_an_adapter_reports_is_the_click() {
    let test = AdapterTest::with_graph(SLASH);
    let slash = json!({"session": "s1", "text": "/publish"});
    let said = test.post_as_adapter("/v1/turns", &slash);
    let call = json!({
        "session": "s1", "actions": ["files.write"],
        "observed": {"initiator": "operator", "gesture": said["gesture_id"]},
    });
    assert_eq!(test.post_as_adapter("/v1/check", &call)["reason"], "gesture");
    assert_eq!(test.server.operator().get("/v1/requests").unwrap()["requests"], json!([]));
}

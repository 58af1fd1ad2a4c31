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

    fn get(&self, path: &str) -> Value {
        let stream = UnixStream::connect(&self.server.sockets.agent).unwrap();
        let request = HttpRequest::get(path).token(&self.agent).header("host", "localhost");
        request.send_on(&mut BufReader::new(stream)).body
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

#[test]
fn a_stop_reaches_the_session_of_a_sub_agent_and_only_words_there_lift_it() {
    let test = AdapterTest::open();
    test.write("/srv/a");
    let helper = test.server.issue_token(&json!({"agent": "helper"}));
    let adapter = test.server.issue_token(&json!({"agent": "helper", "adapter": true}));
    let write = json!({"session": "s2", "tool": "Write", "args": {"path": "/srv/b"}});
    let other = json!({"session": "s2", "above": "s1", "above_agent": "claude"});
    // Only an adapter names a session of another agent, and there has to be one.
    assert_eq!(test.post(&helper, "/v1/sub-agent", &other).error(), (403, "forbidden"));
    let own = json!({"session": "s2", "above": "s9"});
    assert_eq!(test.post(&helper, "/v1/sub-agent", &own).error().0, 404);
    let joined = test.post(&adapter, "/v1/sub-agent", &other);
    assert_eq!((joined.status, &joined.body["state"]), (200, &json!("recorded")));
    assert_eq!(test.post(&helper, "/v1/check", &write).body["status"], "pending");
    let again = json!({"session": "s2", "above": "s3"});
    test.post(&helper, "/v1/check", &json!({"session": "s3", "tool": "Write", "args": {}}));
    assert_eq!(test.post(&helper, "/v1/sub-agent", &again).error().0, 409);
    test.post_as_adapter("/v1/turns", &json!({"session": "s1", "text": "stop"}));
    let open = test.server.operator().get("/v1/requests").unwrap();
    let cards = open["requests"].as_array().unwrap();
    assert_eq!(cards.len(), 1, "{open}");
    assert!(cards[0]["lines"].to_string().contains("session: s3"), "{open}");
    test.server
        .operator()
        .post("/v1/say", &json!({"session": "helper/s2", "text": "go on"}))
        .unwrap();
    assert_eq!(test.post(&helper, "/v1/check", &write).body["reason"], "stopped");
    test.post_as_adapter("/v1/turns", &json!({"session": "s1", "text": "go on"}));
    assert_eq!(test.post(&helper, "/v1/check", &write).body["status"], "pending");
    let ended = test.server.operator().post("/v1/sessions/end", &json!({"session": "s1"})).unwrap();
    assert_eq!(ended["ended"], true);
    let left = test.server.operator().get("/v1/sessions").unwrap();
    let names = left["sessions"].as_array().unwrap().iter().map(|s| s["session"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["s3"]);
}

const TIDY: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write, move], blocked: []}
workflows: {tidy: {actions: [files.write]}}
";

#[test]
fn the_reply_names_deviations_the_last_plan_and_what_each_operation_rests_on() {
    let test = AdapterTest::with_graph(TIDY);
    test.post_as_adapter("/v1/turns", &json!({"session": "s1", "text": "tidy up"}));
    let start = json!({"session": "s1", "workflow": "tidy"});
    let run = test.post_as_agent("/v1/runs", &start)["run_id"].clone();
    test.server.answer_card(&test.server.card(), "once").unwrap();
    let plan = json!({"session": "s1", "actions": ["files.write"], "score": 4});
    test.post_as_adapter("/v1/plans", &plan);
    let yes = json!({"session": "s1", "text": "go ahead"});
    assert_eq!(test.post_as_adapter("/v1/turns", &yes)["heard"], "plan_accepted");
    let call = |action: &str| json!({"session": "s1", "actions": [action], "run": run});
    let write = test.post_as_agent("/v1/check", &call("files.write"));
    assert_eq!(write["status"], "allowed");
    let other = test.post_as_agent("/v1/check", &call("files.move"));
    assert_eq!(other["status"], "pending");
    let listed = test.get("/v1/consent?session=s1");
    let expected = json!([{"run_id": run, "name": "tidy", "last_plan_turn": 1, "deviations": 1}]);
    assert_eq!(listed["runs"], expected, "{listed}");
    let operations = listed["operations"].as_array().unwrap();
    let find = |id: &Value| operations.iter().find(|one| one["operation_id"] == *id).unwrap();
    let (write, other) = (find(&write["operation_id"]), find(&other["operation_id"]));
    assert_eq!((&write["consent"], &other["consent"]), (&json!("granted"), &json!("required")));
    assert!(write["granted_turn"].is_u64() && write["source"].is_string(), "{write}");
    let own = test.get(&format!("/v1/runs/{}?session=s1", run.as_str().unwrap()));
    assert_eq!((&own["deviations"], &own["last_plan_turn"]), (&json!(1), &json!(1)));
    let asked = json!({"session": "s1", "text": "What have I consented to?"});
    let lines = test.post_as_adapter("/v1/turns", &asked)["lines"].to_string();
    for line in ["Last plan: turn 1", "Deviations from the plan: 1", "files.move (moderate): waits"]
    {
        assert!(lines.contains(line), "{line}: {lines}");
    }
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
    assert_eq!(card["lines"][1], "Give a permission in advance: writing files", "{card}");
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

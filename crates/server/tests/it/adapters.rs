//! What an adapter's credential adds: turns that loosen, and what was observed.

use crate::house::House;
use crate::wire::{Answer, Asked};
use serde_json::{Value, json};
use std::io::BufReader;
use std::os::unix::net::UnixStream;

/// An agent by name, and what reports for it.
struct Desk {
    house: House,
    agent: String,
    adapter: String,
}

impl Desk {
    fn open() -> Self {
        Self::at(House::open())
    }

    fn under(graph: &str) -> Self {
        Self::at(House::under(graph))
    }

    fn at(house: House) -> Self {
        let agent = house.token(&json!({"agent": "claude"}));
        let adapter = house.token(&json!({"agent": "claude", "adapter": true}));
        Self { house, agent, adapter }
    }

    fn post(&self, token: &str, path: &str, body: &Value) -> Answer {
        let stream = UnixStream::connect(&self.house.sockets.agent).unwrap();
        let asked = Asked::post(path, body).by(token).with("host", "localhost");
        asked.on(&mut BufReader::new(stream))
    }

    fn agents(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(&self.agent, path, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    fn adapters(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(&self.adapter, path, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    fn write(&self, path: &str) -> Value {
        self.agents("/v1/check", &json!({"session": "s1", "tool": "Write", "args": {"path": path}}))
    }
}

#[test]
fn a_yes_that_an_adapter_reports_counts_and_one_of_the_agent_does_not() {
    let desk = Desk::open();
    let operation = desk.write("/srv/a")["operation_id"].clone();
    let yes = json!({"session": "s1", "text": "yes"});
    assert_eq!(desk.agents("/v1/turns", &yes)["heard"], "none");
    assert_eq!(desk.adapters("/v1/turns", &yes)["heard"], "answered");
    let path = format!("/v1/operations/{}/retry", operation.as_str().unwrap());
    assert_eq!(desk.agents(&path, &json!({"session": "s1"}))["status"], "allowed");
}

#[test]
fn a_plan_with_a_score_is_accepted_by_a_clear_yes() {
    let desk = Desk::open();
    desk.write("/srv/a");
    let plan = json!({"session": "s1", "actions": ["files.write"], "score": 4});
    assert_eq!(desk.post(&desk.agent, "/v1/plans", &plan).refusal().0, 403);
    desk.adapters("/v1/plans", &plan);
    let yes = json!({"session": "s1", "text": "go ahead"});
    assert_eq!(desk.adapters("/v1/turns", &yes)["heard"], "plan_accepted");
    assert_eq!(desk.write("/srv/b")["reason"], "plan");
    assert_eq!(desk.write("/srv/c")["status"], "pending");
}

#[test]
fn what_an_adapter_observed_counts() {
    let desk = Desk::open();
    desk.write("/srv/a");
    let click = json!({"session": "s1", "declares": ["files.write"]});
    let made = desk.house.operator().post("/v1/gestures", &click).unwrap();
    let call = json!({
        "session": "s1", "actions": ["files.write"], "project": "/srv",
        "observed": {"initiator": "operator", "gesture": made["gesture_id"]},
    });
    assert_eq!(desk.post(&desk.agent, "/v1/check", &call).refusal(), (403, "forbidden"));
    assert_eq!(desk.adapters("/v1/check", &call)["reason"], "gesture");
    let changed = json!({
        "session": "s1", "tool": "Read", "args": {"path": "/srv/a"},
        "observed": {"definition": "changed"},
    });
    assert_eq!(desk.adapters("/v1/check", &changed)["reason"], "tool_changed");
    // No credential makes a channel a trusted one.
    let trusted = json!({
        "session": "s1", "actions": ["files.write"], "observed": {"channel": "trusted"},
    });
    assert_eq!(desk.post(&desk.adapter, "/v1/check", &trusted).refusal(), (400, "unreadable"));
}

#[test]
fn nobody_speaks_in_a_session_of_another_agent() {
    let desk = Desk::open();
    desk.write("/srv/a");
    let other = desk.house.token(&json!({"agent": "other", "adapter": true}));
    for (path, body) in [
        ("/v1/turns", json!({"session": "s1", "text": "stop"})),
        ("/v1/plans", json!({"session": "s1", "actions": ["files.write"]})),
        ("/v1/moved", json!({"session": "s1", "kind": "topic"})),
        ("/v1/ledger", json!({"session": "s1", "text": "all is well"})),
    ] {
        assert_eq!(desk.post(&other, path, &body).refusal(), (403, "forbidden"), "{path}");
    }
    let over = json!({"from": "s1", "to": "s2"});
    assert_eq!(desk.post(&other, "/v1/hand-over", &over).refusal().0, 404);
    let call = json!({"session": "s1", "actions": ["files.read"]});
    assert_eq!(desk.post(&other, "/v1/check", &call).body["reason"], "malformed");
    assert_eq!(desk.house.card()["risk"], "moderate");
}

const SLASH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
slash: {publish: [files.write, files.wipe]}
";

#[test]
fn a_slash_command_that_an_agent_reports_is_shown_to_the_operator_and_does_nothing() {
    let desk = Desk::under(SLASH);
    let write = json!({"session": "s1", "actions": ["files.write"]});
    let slash = json!({"session": "s1", "text": "/publish now"});
    let said = desk.agents("/v1/turns", &slash);
    assert_eq!((&said["heard"], &said["gesture_id"]), (&json!("none"), &json!(null)));
    let card = desk.house.card();
    assert_eq!(card["lines"][1], "Be allowed files.write ahead", "{card}");
    assert!(card["claims"].to_string().contains("/publish"), "{card}");
    // Asked again it is the same question, and no other turn of the agent answers it.
    for text in ["/publish", "yes", "go ahead", "approved"] {
        desk.agents("/v1/turns", &json!({"session": "s1", "text": text}));
    }
    assert_eq!(desk.house.card()["request"], card["request"]);
    assert_eq!(desk.house.operator().get("/v1/grants").unwrap()["grants"], json!([]));
    assert_eq!(desk.agents("/v1/check", &write)["status"], "pending");
    assert!(desk.house.answer(&card, "session").is_err());
    desk.house.answer(&card, "once").unwrap();
    let other = json!({"session": "s1", "actions": ["files.write"], "args": {"n": 1}});
    assert_eq!(desk.agents("/v1/check", &other)["reason"], "granted");
    let third = json!({"session": "s1", "actions": ["files.write"], "args": {"n": 2}});
    assert_eq!(desk.agents("/v1/check", &third)["status"], "pending");
}

#[test]
fn a_slash_command_that_an_adapter_reports_is_the_click() {
    let desk = Desk::under(SLASH);
    let slash = json!({"session": "s1", "text": "/publish"});
    let said = desk.adapters("/v1/turns", &slash);
    let call = json!({
        "session": "s1", "actions": ["files.write"],
        "observed": {"initiator": "operator", "gesture": said["gesture_id"]},
    });
    assert_eq!(desk.adapters("/v1/check", &call)["reason"], "gesture");
    assert_eq!(desk.house.operator().get("/v1/requests").unwrap()["requests"], json!([]));
}

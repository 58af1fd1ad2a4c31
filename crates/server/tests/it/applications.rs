//! Applications: bound to named actions, nested by a token, clicks only with the right to them.

use crate::http::{HttpRequest, HttpResponse};
use crate::test_server::TestServer;
use serde_json::{Value, json};
use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

const GRAPH: &str = "
domains:
  tasks: {autonomous: [brief], requires_approval: [toggle, write, create], blocked: []}
  vault: {autonomous: [], requires_approval: [eval], blocked: [], actions: {eval: {risk: high}}}
  bank: {autonomous: [], requires_approval: [pay], blocked: [], actions: {pay: {categories: [purchase]}}}
reducers: [{caller: tasks.brief, action: vault.eval, to: low}]
tools: {Bash: {actions: [tasks.toggle], command: /command}}
";

struct Application {
    server: TestServer,
    token: String,
}

impl Application {
    fn open() -> Self {
        let server = TestServer::with_graph(GRAPH);
        let rights = json!({
            "actions": ["tasks.*", "vault.eval", "bank.pay"],
            "gestures": ["tasks.create", "tasks.toggle", "bank.pay"],
        });
        let token = server.issue_token(&json!({"agent": "shop", "application": rights}));
        Self { server, token }
    }

    fn send(&self, token: &str, request: HttpRequest) -> HttpResponse {
        let stream = UnixStream::connect(&self.server.sockets.agent).unwrap();
        let request = request.token(token).header("host", "localhost");
        request.send_on(&mut BufReader::new(stream))
    }

    fn post(&self, path: &str, body: &Value) -> HttpResponse {
        self.send(&self.token, HttpRequest::post(path, body))
    }

    fn get(&self, path: &str) -> HttpResponse {
        self.send(&self.token, HttpRequest::get(path))
    }

    fn check(&self, action: &str, context: &Value) -> Value {
        let call = json!({"session": "main", "actions": [action], "context": context});
        let answer = self.post("/v1/check", &call);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// A call that the operator has approved, and that runs now.
    fn run_approved(&self, call: &Value) -> Value {
        let parked = self.post("/v1/check", call).body;
        assert_eq!(parked["status"], "pending", "{parked}");
        assert!(parked["parent_token"].is_null(), "{parked}");
        self.server.answer_card(&self.server.card(), "once").unwrap();
        let path = format!("/v1/operations/{}/retry", parked["operation_id"].as_str().unwrap());
        let running = self.post(&path, &json!({"session": "main"})).body;
        assert_eq!(running["status"], "allowed", "{running}");
        running
    }

    fn state(&self, operation: &Value) -> Value {
        let path = format!("/v1/operations/{}?session=main", operation.as_str().unwrap());
        self.get(&path).body["state"].clone()
    }
}

#[test]
fn an_application_acts_only_within_its_actions() {
    let test = Application::open();
    assert_eq!(test.check("tasks.brief", &json!({}))["status"], "allowed");
    for call in [
        json!({"session": "main", "actions": ["files.read"]}),
        json!({"session": "main", "actions": ["tasks.brief", "files.read"]}),
        json!({"session": "main", "actions": ["tasks.brief"], "declares": ["files.read"]}),
        json!({"session": "main", "tool": "Read"}),
    ] {
        let refused = test.post("/v1/check", &call);
        assert_eq!(refused.error(), (403, "forbidden"), "{call}: {}", refused.body);
        assert!(refused.body.to_string().contains("is bound to tasks.*"), "{}", refused.body);
    }
    // Classes would replace the action of a command line.
    for call in [
        json!({"session": "main", "actions": ["tasks.toggle"], "command": "ls"}),
        json!({"session": "main", "actions": ["tasks.toggle"], "tool": "Bash", "args": {"command": "ls"}}),
    ] {
        assert_eq!(test.post("/v1/check", &call).error(), (403, "forbidden"), "{call}");
    }
    let own = test.get("/v1/application").body;
    assert_eq!(own["rights"]["gestures"], json!(["tasks.create", "tasks.toggle", "bank.pay"]));
    let reducer = json!([{"caller": "tasks.brief", "action": "vault.eval", "to": "low"}]);
    assert_eq!(own["reducers"], reducer);
}

#[test]
fn an_application_reports_no_turns_plans_observations_or_proposals() {
    let test = Application::open();
    let body = json!({"session": "main"});
    for path in [
        "/v1/turns",
        "/v1/plans",
        "/v1/moved",
        "/v1/hand-over",
        "/v1/sub-agent",
        "/v1/ledger",
        "/v1/proposals",
        "/v1/program-outcome",
        "/v1/program-decline",
        "/mcp",
        "/v1/unheard-of",
    ] {
        assert_eq!(test.post(path, &body).error(), (403, "forbidden"), "{path}");
    }
    let seen = json!({
        "session": "main", "actions": ["tasks.toggle"], "observed": {"initiator": "operator"},
    });
    assert_eq!(test.post("/v1/check", &seen).error(), (403, "forbidden"));
    // Its token opens nothing of the operator's.
    let stream = UnixStream::connect(&test.server.sockets.operator).unwrap();
    let request = HttpRequest::get("/v1/requests").token(&test.token).header("host", "localhost");
    assert_eq!(request.send_on(&mut BufReader::new(stream)).error().0, 403);
}

#[test]
fn a_call_inside_an_approved_one_rides_on_it_while_it_runs() {
    let test = Application::open();
    let outer =
        json!({"session": "main", "actions": ["tasks.toggle"], "declares": ["tasks.write"]});
    let parked = test.post("/v1/check", &outer).body;
    let card = test.server.card();
    assert!(card.to_string().contains("tasks.write"), "{card}");
    test.server.show_card(&card, "card");
    let items = json!({"tasks.toggle": "once", "tasks.write": "once"});
    let answer = json!({"digest": card["digest"], "items": items, "surface": "test"});
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    test.server.operator().post(&path, &answer).unwrap();
    let retry = format!("/v1/operations/{}/retry", parked["operation_id"].as_str().unwrap());
    let running = test.post(&retry, &json!({"session": "main"})).body;
    assert_eq!(running["status"], "allowed", "{running}");
    let inside = json!({"parent": running["parent_token"]});
    let nested = test.check("tasks.write", &inside);
    assert_eq!((&nested["status"], &nested["reason"]), (&json!("allowed"), &json!("nested")));
    let deeper = test.check("tasks.write", &json!({"parent": nested["parent_token"]}));
    assert_eq!(deeper["status"], "pending", "the inner call declares nothing: {deeper}");
    // What the call did not declare asks at run time.
    assert_eq!(test.check("tasks.create", &inside)["status"], "pending");
    // Without the token the call is none of its own.
    assert_eq!(test.check("tasks.write", &json!({}))["status"], "pending");
    let done = json!({"session": "main", "effect": "done"});
    for call in [&running, &nested] {
        let path = format!("/v1/operations/{}/outcome", call["operation_id"].as_str().unwrap());
        assert_eq!(test.post(&path, &done).status, 200);
    }
    assert_eq!(test.check("tasks.write", &inside)["status"], "pending", "the parent has ended");
}

#[test]
fn a_token_of_a_parent_is_refused_if_it_is_not_ours() {
    let test = Application::open();
    let brief = test.check("tasks.brief", &json!({}));
    let token = brief["parent_token"].as_str().unwrap();
    let other = json!({"agent": "other", "application": {"actions": ["tasks.*"]}});
    let other = test.server.issue_token(&other);
    let nested = json!({
        "session": "main", "actions": ["tasks.write"], "context": {"parent": token},
    });
    let foreign = test.send(&other, HttpRequest::post("/v1/check", &nested));
    assert_eq!(foreign.error(), (422, "invalid"));
    let call = brief["operation_id"].as_str().unwrap();
    for forged in [format!("{call}.{}", "0".repeat(64)), call.to_owned(), String::new()] {
        let nested = json!({
            "session": "main", "actions": ["tasks.write"], "context": {"parent": forged},
        });
        assert_eq!(test.post("/v1/check", &nested).error(), (422, "invalid"), "{forged}");
    }
}

#[test]
fn a_reducer_counts_on_the_application_s_stack_and_not_on_an_agent_s() {
    let test = Application::open();
    let brief = test.check("tasks.brief", &json!({}));
    let inside = json!({"parent": brief["parent_token"]});
    let reduced = test.check("vault.eval", &inside);
    assert_eq!((&reduced["status"], &reduced["reason"]), (&json!("allowed"), &json!("reduced")));
    assert_eq!(test.check("vault.eval", &json!({}))["status"], "pending");
    // An agent gets no token, and what it says about its place is ignored.
    let agent = test.server.issue_token(&json!({"agent": "claude"}));
    let ask = |action: &str, context: &Value| {
        let call = json!({"session": "main", "actions": [action], "context": context});
        test.send(&agent, HttpRequest::post("/v1/check", &call)).body
    };
    let running = ask("tasks.brief", &json!({}));
    assert_eq!((&running["status"], &running["parent_token"]), (&json!("allowed"), &Value::Null));
    let claimed =
        json!({"parent": brief["parent_token"], "gesture": "v".to_owned() + &"0".repeat(32)});
    assert_eq!(ask("vault.eval", &json!({"parent": brief["parent_token"]}))["status"], "pending");
    let answer = ask("tasks.create", &claimed);
    assert_ne!(answer["status"], "allowed", "{answer}");
}

#[test]
fn a_click_covers_the_named_actions_in_the_own_session_and_never_a_critical_one() {
    let test = Application::open();
    let click = |declares: Value| {
        let body = json!({"session": "main", "label": "dashboard.click", "declares": declares});
        test.post("/v1/application/gestures", &body)
    };
    assert_eq!(click(json!([])).error(), (422, "invalid"));
    assert_eq!(click(json!(["tasks.write"])).error(), (403, "forbidden"));
    assert_eq!(click(json!(["files.read"])).error(), (403, "forbidden"));
    let made = click(json!(["tasks.create", "bank.pay"]));
    let gesture = made.body["gesture_id"].clone();
    let inside = json!({"gesture": gesture});
    assert_eq!(test.check("tasks.create", &inside)["reason"], "gesture");
    assert_eq!(test.check("tasks.toggle", &inside)["status"], "pending", "not declared");
    assert_eq!(test.check("bank.pay", &inside)["status"], "pending", "critical");
    let other = json!({"session": "other", "actions": ["tasks.create"], "context": inside});
    assert_ne!(test.post("/v1/check", &other).body["status"], "allowed");
    let path = format!("/v1/application/gestures/{}/close", gesture.as_str().unwrap());
    let wrong = json!({"session": "main", "label": "other.click"});
    assert_eq!(test.post(&path, &wrong).error().0, 404);
    let own = json!({"session": "main", "label": "dashboard.click"});
    assert_eq!(test.post(&path, &own).body["closed"], true);
    assert_ne!(test.check("tasks.create", &inside)["reason"], "gesture");
}

#[test]
fn only_an_application_with_the_right_to_clicks_makes_one() {
    let test = Application::open();
    let body = json!({"session": "main", "label": "click", "declares": ["tasks.create"]});
    let plain = json!({"agent": "plain", "application": {"actions": ["tasks.*"]}});
    let others = [
        test.server.issue_token(&plain),
        test.server.issue_token(&json!({"agent": "claude"})),
        test.server.issue_token(&json!({"agent": "claude", "adapter": true})),
    ];
    for token in &others {
        let refused = test.send(token, HttpRequest::post("/v1/application/gestures", &body));
        assert_eq!(refused.error(), (403, "forbidden"), "{}", refused.body);
    }
    let gesture = test.post("/v1/application/gestures", &body).body["gesture_id"].clone();
    let call = json!({
        "session": "main", "actions": ["tasks.create"], "context": {"gesture": gesture},
    });
    let [plain, agent, _] = &others;
    assert_eq!(test.send(plain, HttpRequest::post("/v1/check", &call)).error().0, 403);
    let asked = test.send(agent, HttpRequest::post("/v1/check", &call)).body;
    assert_eq!(asked["status"], "pending", "{asked}");
}

#[test]
fn rights_are_checked_when_the_credential_is_issued() {
    let test = Application::open();
    let add = |body: &Value| test.server.operator().post("/v1/agents", body).map(|_| ());
    for bad in [
        json!({"agent": "a", "application": {"actions": []}}),
        json!({"agent": "a", "application": {"actions": ["*"]}}),
        json!({"agent": "a", "application": {"actions": ["*.send"]}}),
        json!({"agent": "a", "application": {"actions": ["tasks.*"], "gestures": ["email.send"]}}),
        json!({"agent": "a", "application": {"actions": ["tasks.a"], "gestures": ["tasks.*"]}}),
        json!({"agent": "a", "adapter": true, "application": {"actions": ["tasks.*"]}}),
        json!({"agent": "uid-1000", "application": {"actions": ["tasks.*"]}}),
        // Its sessions are its own, so no agent or adapter has its name.
        json!({"agent": "shop"}),
        json!({"agent": "shop", "adapter": true}),
    ] {
        assert!(add(&bad).is_err(), "{bad}");
    }
    add(&json!({"agent": "claude"})).unwrap();
    assert!(add(&json!({"agent": "claude", "application": {"actions": ["tasks.*"]}})).is_err());
    let status = test.server.operator().get("/v1/status").unwrap();
    assert_eq!(status["applications"][0]["agent"], "shop", "{status}");
}

#[test]
fn a_stored_call_has_its_arguments_and_is_redeemed_only_within_the_actions_of_today() {
    let test = Application::open();
    let call = json!({
        "session": "main", "actions": ["tasks.write"], "tool": "app.write",
        "args": {"path": "a.md", "password": "hunter2"},
    });
    let parked = test.post("/v1/check", &call).body;
    let operation = parked["operation_id"].as_str().unwrap();
    let stored = test.get(&format!("/v1/operations/{operation}/call?session=main")).body;
    assert_eq!((&stored["tool"], &stored["redacted"]), (&json!("app.write"), &json!(true)));
    assert_eq!(stored["args"]["path"], "a.md");
    assert!(!stored.to_string().contains("hunter2"), "{stored}");
    test.server.answer_card(&test.server.card(), "once").unwrap();
    test.server.operator().post("/v1/agents/shop/revoke", &json!({})).unwrap();
    let less = json!({"agent": "shop", "application": {"actions": ["tasks.brief"]}});
    let less = test.server.issue_token(&less);
    let retry = format!("/v1/operations/{operation}/retry");
    let own = json!({"session": "main"});
    assert_eq!(test.send(&less, HttpRequest::post(&retry, &own)).error(), (403, "forbidden"));
    assert_eq!(test.post(&retry, &own).error().0, 401, "the old token is revoked");
}

/// A program that connects, is allowed, and is killed before it reports.
#[test]
fn a_call_of_a_killed_process_is_unknown() {
    let test = Application::open();
    let body = r#"{"session":"main","actions":["tasks.brief"]}"#;
    let script = format!(
        "import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.connect({socket:?})
s.sendall(b'POST /v1/check HTTP/1.1\\r\\nhost: localhost\\r\\ncontent-type: application/json\\r\\n'
          b'authorization: Bearer {token}\\r\\ncontent-length: {length}\\r\\n\\r\\n{body}')
while b'operation_id' not in s.recv(65536): pass
print('allowed', flush=True)
sys.stdin.read()",
        socket = test.server.sockets.agent.to_str().unwrap(),
        token = test.token,
        length = body.len(),
    );
    let mut child = Command::new("python3")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut BufReader::new(child.stdout.take().unwrap()), &mut line)
        .unwrap();
    assert_eq!(line.trim(), "allowed");
    let listed = test.get("/v1/consent?session=main").body;
    let operation = listed["operations"][0]["operation_id"].clone();
    assert_eq!(test.state(&operation), "executing");
    child.kill().unwrap();
    child.wait().unwrap();
    let events = test.server.events(Some(1)).unwrap();
    let mut kinds = events.map(|event| event.unwrap().data.kind);
    assert!(kinds.any(|kind| kind.word() == "call_completed"));
    assert_eq!(test.state(&operation), "unknown");
}

#[test]
fn an_approved_call_runs_once() {
    let test = Application::open();
    let call = json!({"session": "main", "actions": ["tasks.toggle"], "args": {"id": 1}});
    let running = test.run_approved(&call);
    let operation = running["operation_id"].clone();
    let retry = format!("/v1/operations/{}/retry", operation.as_str().unwrap());
    let again = test.post(&retry, &json!({"session": "main"})).body;
    assert_eq!((&again["status"], &again["reason"]), (&json!("denied"), &json!("running")));
}

//! Clients and servers on HTTP.

use crate::world::{Era, World, text_of};
use axum::Extension;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::words::Choice;
use countersign_engine::SessionOwner;
use countersign_gateway::{HttpSpec, Launch, ServerName, ServerOrigin, ServerSpec};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Serves a gateway's endpoint, as the daemon's agent plane does.
pub async fn serve(world: &World) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let agent = Extension(Agent::parse("coder").unwrap());
    let routes = world.gateway.routes().layer(agent);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

pub struct Reply {
    pub status: u16,
    head: String,
    /// The messages of the body.
    messages: Vec<Value>,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let line =
            self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")));
        line.and_then(|line| line.split_once(": ")).map(|(_, value)| value.trim())
    }

    pub fn last(&self) -> &Value {
        self.messages.last().unwrap_or_else(|| panic!("{} {}", self.status, self.head))
    }
}

pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    // Lines of chunk sizes are no messages.
    let lines = body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let messages =
        lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap());
    Reply { status, head: head.to_owned(), messages: messages.collect() }
}

/// A modern request with the headers that it needs.
async fn modern(address: SocketAddr, path: &str, method: &str, mut params: Value) -> Reply {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    let capabilities = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    if capabilities.is_null() {
        *capabilities = json!({"elicitation": {}});
    }
    let name = params["name"].as_str().or(params["taskId"].as_str()).map(str::to_owned);
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if let Some(name) = &name {
        headers.push(("mcp-name", name));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    send(address, "POST", path, &headers, &body).await
}

async fn legacy(address: SocketAddr, session: Option<&str>, method: &str, params: Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let headers: Vec<(&str, &str)> = session.iter().map(|id| ("mcp-session-id", *id)).collect();
    send(address, "POST", "/mcp", &headers, &body).await
}

fn world(era: Era) -> World {
    let world = World::open();
    world.add_server(world.fixture(era, ServerOrigin::Settings));
    world
}

#[tokio::test]
async fn a_modern_request_stands_alone_and_its_headers_say_what_its_body_says() {
    for era in [Era::Legacy, Era::Modern] {
        let world = world(era);
        let address = serve(&world).await;
        let found = modern(address, "/mcp", "server/discover", json!({})).await;
        assert_eq!(
            (found.status, &found.last()["result"]["supportedVersions"]),
            (200, &json!(["2026-07-28"]))
        );
        let listed = modern(address, "/mcp", "tools/list", json!({})).await;
        assert!(listed.last().to_string().contains("\"fixture__echo\""), "{}", listed.last());
        let call = json!({"name": "fixture__echo", "arguments": {"a": 1}});
        let called = modern(address, "/mcp", "tools/call", call).await;
        assert_eq!(text_of(called.last()), r#"{"a":1,"n":7}"#);
        let single = json!({"name": "echo", "arguments": {"a": 1}});
        let called = modern(address, "/mcp/fixture", "tools/call", single).await;
        assert_eq!(text_of(called.last()), r#"{"a":1,"n":7}"#);
        let unknown = modern(address, "/mcp", "no/such", json!({})).await;
        assert_eq!((unknown.status, &unknown.last()["error"]["code"]), (404, &json!(-32601)));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}});
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")];
        let differing = send(address, "POST", "/mcp", &headers, &body.to_string()).await;
        assert_eq!((differing.status, &differing.last()["error"]["code"]), (400, &json!(-32020)));
        let nowhere = modern(address, "/mcp/other", "tools/list", json!({})).await;
        assert_eq!(nowhere.status, 404);
    }
}

#[tokio::test]
async fn a_task_is_reached_by_requests_that_stand_alone() {
    let world = world(Era::Modern);
    let address = serve(&world).await;
    let meta = json!({"io.modelcontextprotocol/clientCapabilities":
        {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
    let call = json!({"name": "fixture__count", "arguments": {}, "_meta": meta});
    let created = modern(address, "/mcp", "tools/call", call).await;
    assert_eq!(created.last()["result"]["resultType"], "task", "{}", created.last());
    let wanted = json!({"taskId": created.last()["result"]["taskId"], "_meta": meta});
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let done = loop {
        let found = modern(address, "/mcp", "tasks/get", wanted.clone()).await;
        if found.last()["result"]["status"] != "working" {
            break found.last()["result"].clone();
        }
    };
    assert_eq!(done["result"]["content"][0]["text"], "counted", "{done}");
    assert_eq!(world.lines("executions").len(), 1);
    let echo = json!({"name": "fixture__echo", "arguments": {}, "_meta": meta});
    modern(address, "/mcp", "tools/call", echo).await;
    let calls = world.lines("received");
    let mut calls = calls.iter().filter(|line| line.contains("tools/call"));
    assert!(!calls.any(|call| call.contains("modelcontextprotocol/tasks")), "several servers");
}

#[tokio::test]
async fn a_modern_request_without_its_meta_is_a_bad_request_with_its_id() {
    let world = world(Era::Modern);
    let address = serve(&world).await;
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    let version = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let capabilities = json!({"io.modelcontextprotocol/clientCapabilities": {}});
    for params in [json!({}), json!({"_meta": version}), json!({"_meta": capabilities})] {
        let body =
            json!({"jsonrpc": "2.0", "id": 7, "method": "server/discover", "params": params});
        let refused = send(address, "POST", "/mcp", &headers, &body.to_string()).await;
        let answer = refused.last();
        assert_eq!(
            (refused.status, &answer["error"]["code"], &answer["id"]),
            (400, &json!(-32602), &json!(7)),
            "{params}"
        );
    }
}

#[tokio::test]
async fn methods_that_the_modern_era_removed_are_unknown_to_it() {
    for era in [Era::Legacy, Era::Modern] {
        let world = world(era);
        let address = serve(&world).await;
        for method in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
        ] {
            let answer = modern(address, "/mcp/fixture", method, json!({})).await;
            assert_eq!(
                (answer.status, &answer.last()["error"]["code"]),
                (404, &json!(-32601)),
                "{method}"
            );
        }
    }
}

#[tokio::test]
async fn a_legacy_server_learns_the_capabilities_of_each_modern_client() {
    let world = world(Era::Legacy);
    let address = serve(&world).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    send(address, "POST", "/mcp/fixture", &headers, &body.to_string()).await;
    for _ in 0..2 {
        let asked = modern(address, "/mcp/fixture", "tools/call", json!({"name": "ask"})).await;
        assert_eq!(asked.last()["result"]["resultType"], "input_required", "{}", asked.last());
    }
    let received = world.lines("received");
    let hellos: Vec<bool> = received
        .iter()
        .filter(|line| line.contains("\"initialize\""))
        .map(|line| line.contains("\"elicitation\""))
        .collect();
    assert_eq!(hellos, [false, true]);
}

#[tokio::test]
async fn a_modern_request_gets_log_messages_only_if_it_names_a_level() {
    let world = world(Era::Legacy);
    let address = serve(&world).await;
    let silent = modern(address, "/mcp/fixture", "tools/call", json!({"name": "flood"})).await;
    assert_eq!(silent.messages.len(), 1);
    let meta = json!({"io.modelcontextprotocol/logLevel": "info"});
    let params = json!({"name": "flood", "_meta": meta});
    let logged = modern(address, "/mcp/fixture", "tools/call", params).await;
    assert_eq!(logged.messages[0]["method"], "notifications/message");
}

#[tokio::test]
async fn a_request_state_that_was_never_given_out_is_refused() {
    let world = world(Era::Modern);
    let address = serve(&world).await;
    for (method, name) in [("tools/call", "echo"), ("prompts/get", "any")] {
        let params = json!({"name": name, "requestState": "forged", "inputResponses": {}});
        let refused = modern(address, "/mcp/fixture", method, params).await;
        assert_eq!(refused.last()["error"]["code"], json!(-32602), "{}", refused.last());
    }
}

#[tokio::test]
async fn a_legacy_client_has_a_session_until_it_ends_it() {
    let world = world(Era::Legacy);
    let address = serve(&world).await;
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let opened = legacy(address, None, "initialize", hello).await;
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    let called = legacy(
        address,
        Some(&session),
        "tools/call",
        json!({"name": "fixture__echo", "arguments": {}}),
    )
    .await;
    assert_eq!(text_of(called.last()), r#"{"n":7}"#);
    assert_eq!(legacy(address, None, "tools/list", json!({})).await.status, 400);
    assert_eq!(legacy(address, Some("guess"), "tools/list", json!({})).await.status, 404);
    let headers = [("mcp-session-id", session.as_str())];
    assert_eq!(send(address, "DELETE", "/mcp", &headers, "").await.status, 200);
    assert_eq!(legacy(address, Some(&session), "tools/list", json!({})).await.status, 404);
    assert_eq!(send(address, "GET", "/mcp", &[], "").await.status, 405);
    assert_eq!(send(address, "POST", "/mcp", &[], "{").await.status, 400);
}

#[tokio::test]
async fn a_call_that_asks_is_answered_by_a_stream_with_progress() {
    let world = world(Era::Modern);
    let address = serve(&world).await;
    let call = json!({"name": "fixture__count", "arguments": {}, "_meta": {"progressToken": "p"}});
    let calling = tokio::spawn(async move { modern(address, "/mcp", "tools/call", call).await });
    let request = world.wait_for_question().await;
    world.answer(&request, Choice::Once).await;
    let called = calling.await.unwrap();
    assert_eq!(called.header("content-type"), Some("text/event-stream"));
    assert_eq!(called.messages[0]["params"]["progressToken"], "p");
    assert_eq!(text_of(called.last()), "counted");
    assert_eq!(world.lines("executions").len(), 1);
}

#[tokio::test]
async fn a_server_on_http_is_reached_in_every_pairing_of_eras() {
    for (client_era, server_era) in [
        (Era::Legacy, Era::Legacy),
        (Era::Legacy, Era::Modern),
        (Era::Modern, Era::Legacy),
        (Era::Modern, Era::Modern),
    ] {
        // A gateway is the server on HTTP: it speaks both eras.
        let far = world(server_era);
        let address = serve(&far).await;
        let near = World::open();
        let http = HttpSpec { url: format!("http://{address}/mcp/fixture"), headers: Vec::new() };
        let server = ServerSpec {
            name: ServerName::parse("fixture").unwrap(),
            launch: Launch::Http(http),
            origin: ServerOrigin::Settings,
        };
        let mut client = near.connect_to(client_era, server);
        if client_era == Era::Legacy {
            client.initialize().await;
        }
        let listed = client.request("tools/list", json!({})).await;
        assert!(listed.to_string().contains("\"echo\""), "{listed}");
        let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": 4}});
        assert_eq!(text_of(&client.request("tools/call", params).await), "progressed");
        assert!(client.seen.iter().any(|m| m["params"]["progressToken"] == 4), "{:?}", client.seen);
        assert_eq!(text_of(&client.call("echo", json!({"a": 1})).await), r#"{"a":1,"n":7}"#);
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_has_received_nothing() {
    let world = World::open();
    let http = HttpSpec { url: "http://127.0.0.1:1/mcp".to_owned(), headers: Vec::new() };
    let name = ServerName::parse("fixture").unwrap();
    let server = ServerSpec { name, launch: Launch::Http(http), origin: ServerOrigin::Settings };
    let mut client = world.connect_to(Era::Legacy, server);
    let hello = client.initialize().await;
    assert!(
        hello["result"]["instructions"].as_str().unwrap().contains("cannot be reached"),
        "{hello}"
    );
}

/// What one node began, another node on the record goes on with.
#[tokio::test]
async fn a_legacy_session_goes_on_at_another_node() {
    let mut world = World::on_disk(std::time::Duration::from_secs(30));
    world.add_server(world.fixture(Era::Legacy, ServerOrigin::Settings));
    let first = serve(&world).await;
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let opened = legacy(first, None, "initialize", hello).await;
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    world.reopen_gateway();
    let second = serve(&world).await;
    let call = json!({"name": "fixture__echo", "arguments": {}});
    let called = legacy(second, Some(&session), "tools/call", call.clone()).await;
    assert_eq!(text_of(called.last()), r#"{"n":7}"#);
    let headers = [("mcp-session-id", session.as_str())];
    assert_eq!(send(second, "DELETE", "/mcp", &headers, "").await.status, 200);
    assert_eq!(legacy(second, Some(&session), "tools/call", call.clone()).await.status, 404);
    let changed = session.replacen('.', ".00", 1);
    assert_eq!(legacy(second, Some(&changed), "tools/call", call).await.status, 404);
    let elsewhere = send(second, "POST", "/mcp/fixture", &headers, "{}").await;
    assert_ne!(elsewhere.status, 200, "the session is that of another path");
}

#[tokio::test]
async fn a_parents_token_is_valid_on_every_node_while_its_call_runs() {
    let mut world = World::on_disk(std::time::Duration::from_secs(30));
    let graph = crate::world::GRAPH.replace(
        "mcp__fixture__wait: {actions: [work.ask]}",
        "mcp__fixture__wait: {actions: [work.ask], declares: [work.ask]}",
    );
    world.load_graph(&graph).await;
    let mut outer = world.legacy_client().await;
    let id = outer.send("tools/call", json!({"name": "wait", "arguments": {}})).await;
    world.answer(&world.wait_for_question().await, Choice::Once).await;
    let token = loop {
        let received = world.lines("received");
        let call = received.iter().find(|line| line.contains("parentToken"));
        if let Some(call) = call {
            let call: Value = serde_json::from_str(call).unwrap();
            break call["params"]["_meta"]["countersign/parentToken"].clone();
        }
        tokio::task::yield_now().await;
    };
    world.reopen_gateway();
    let mut inner = world.legacy_client().await;
    let call = |token: &Value| json!({"name": "count", "arguments": {}, "_meta": {"countersign/parentToken": token}});
    let nested = inner.request("tools/call", call(&token)).await;
    assert_eq!(text_of(&nested), "counted");
    let forged = token.as_str().unwrap().replacen('.', ".0", 1);
    let refused = inner.request("tools/call", call(&json!(forged))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    // A server that is an agent itself: a stop in the session of the call reaches its own session.
    let helper =
        SessionOwner::new(&SessionName::parse("s2").unwrap(), Agent::parse("sub").unwrap());
    let fixture = world.fixture(Era::Legacy, ServerOrigin::Settings);
    let mut apart = world.connect_as(helper.clone(), Era::Legacy, fixture);
    apart.initialize().await;
    apart.send("tools/call", call(&token)).await;
    world.wait_for_question().await;
    let state = world.host.run(|engine| engine.read_whole_state()).await.unwrap();
    assert_eq!(state.sessions.get(&helper.session).unwrap().above, Some(world.owner().session));
    std::fs::write(world.path("go"), "").unwrap();
    outer.wait(id).await;
    let late = inner.request("tools/call", call(&token)).await;
    assert_eq!(late["error"]["code"], -32602, "{late}");
}

/// A server on HTTP whose answers to calls cannot be read.
async fn serve_unreadable(answer: &'static str, kind: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let respond = move |body: String| async move {
        let message: Value = serde_json::from_str(&body).unwrap_or_default();
        let id = message["id"].clone();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}),
            Some("tools/list") => {
                json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
            }
            Some("tools/call") => {
                let text = answer.replace("ID", &id.to_string());
                return ([("content-type", kind)], text);
            }
            _ => {
                let error =
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}});
                return ([("content-type", "application/json")], error.to_string());
            }
        };
        let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
        ([("content-type", "application/json")], reply.to_string())
    };
    let routes = axum::Router::new().route("/mcp", axum::routing::post(respond));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

#[tokio::test]
async fn an_answer_on_http_that_cannot_be_read_ends_its_call_and_says_why() {
    const DOUBLE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"isError":false,"isError":true}}"#;
    const STREAM: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":1,\"a\":2}}\n\n";
    for (answer, kind) in [(DOUBLE, "application/json"), (STREAM, "text/event-stream")] {
        let address = serve_unreadable(answer, kind).await;
        let world = World::open();
        let http = HttpSpec { url: format!("http://{address}/mcp"), headers: Vec::new() };
        let name = ServerName::parse("fixture").unwrap();
        let server =
            ServerSpec { name, launch: Launch::Http(http), origin: ServerOrigin::Settings };
        let mut client = world.connect_to(Era::Legacy, server);
        client.initialize().await;
        let ended = client.call("echo", json!({})).await;
        assert_eq!(ended["result"]["_meta"]["countersign/status"], "unknown", "{ended}");
        assert!(text_of(&ended).contains("occurs twice"), "{kind}: {ended}");
    }
}

#[tokio::test]
async fn the_reviewers_prompt_is_listed_beside_those_of_servers() {
    let world = world(Era::Modern);
    let address = serve(&world).await;
    let listed = modern(address, "/mcp", "prompts/list", json!({})).await;
    assert_eq!(listed.last()["result"]["prompts"][0]["name"], "high-consent-guard");
    let wanted = json!({"name": "high-consent-guard", "arguments": {"action": "pay 42 EUR"}});
    let found = modern(address, "/mcp", "prompts/get", wanted).await;
    let text = found.last()["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("credential_or_payment") && text.ends_with("pay 42 EUR"), "{text}");
}

//! Arguments that a tool wants repeated in HTTP headers.

use crate::http::{Reply, send, serve};
use crate::world::{Era, World, text_of};
use countersign_gateway::{HttpSpec, Launch, ServerName, ServerOrigin, ServerSpec};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A server on HTTP whose tool names two headers, one of them for an argument with a default.
async fn far_server() -> (World, SocketAddr) {
    let far = World::open();
    let header = |name: &str| json!({"type": "string", "x-mcp-header": name});
    let mut zone = header("Zone");
    zone["default"] = json!("a");
    let tools = json!([
        {"name": "echo", "inputSchema": {"properties": {"region": header("Region"), "zone": zone}}},
        {"name": "count", "inputSchema": {"properties": {"region": header("not a token")}}},
    ]);
    std::fs::write(far.path("tools"), tools.to_string()).unwrap();
    far.add_server(far.fixture(Era::Modern, ServerOrigin::Settings));
    let address = serve(&far).await;
    (far, address)
}

#[tokio::test]
async fn a_server_on_http_gets_the_headers_that_its_tool_names() {
    let (_far, address) = far_server().await;
    let near = World::open();
    for era in [Era::Legacy, Era::Modern] {
        let http = HttpSpec { url: format!("http://{address}/mcp/fixture"), headers: Vec::new() };
        let server = ServerSpec {
            name: ServerName::parse("fixture").unwrap(),
            launch: Launch::Http(http),
            origin: ServerOrigin::Settings,
        };
        let mut client = near.connect_to(era, server);
        if era == Era::Legacy {
            client.initialize().await;
        }
        // The far gateway refuses a call whose headers do not say what its arguments say.
        let called = client.call("echo", json!({"region": "são"})).await;
        assert_eq!(text_of(&called), r#"{"region":"são","zone":"a"}"#);
        let listed = client.request("tools/list", json!({})).await.to_string();
        assert!(listed.contains("\"echo\"") && !listed.contains("\"count\""), "{listed}");
    }
}

async fn call(address: SocketAddr, arguments: Value, extra: &[(&str, &str)]) -> Reply {
    let params = json!({"name": "echo", "arguments": arguments, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let own = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    let headers = [&own, extra].concat();
    send(address, "POST", "/mcp/fixture", &headers, &body.to_string()).await
}

#[tokio::test]
async fn a_client_on_http_is_refused_if_its_headers_differ_from_its_arguments() {
    let (_far, address) = far_server().await;
    let eu = json!({"region": "eu"});
    let same = call(address, eu.clone(), &[("Mcp-Param-Region", "eu")]).await;
    assert_eq!(text_of(same.last()), r#"{"region":"eu","zone":"a"}"#);
    for wrong in [
        &[][..],
        &[("Mcp-Param-Region", "us")],
        &[("Mcp-Param-Region", "eu"), ("Mcp-Param-Zone", "b")],
    ] {
        let refused = call(address, eu.clone(), wrong).await;
        assert_eq!(
            (refused.status, &refused.last()["error"]["code"]),
            (400, &json!(-32020)),
            "{wrong:?}"
        );
    }
}

//! Calls that the gateway tries again by itself.

use crate::world::{Client, Era, GRAPH, World, text_of};
use axum::Router;
use axum::http::StatusCode;
use countersign_core::model::names::Agent;
use countersign_gateway::{HttpSpec, Launch, ServerName, ServerOrigin, ServerSpec};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A service whose health is asked by its address.
#[derive(Default)]
struct Service {
    status: AtomicU16,
    asked: AtomicUsize,
}

impl Service {
    async fn start(self: &Arc<Self>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = Arc::clone(self);
        let answer = move || async move {
            service.asked.fetch_add(1, Ordering::SeqCst);
            StatusCode::from_u16(service.status.load(Ordering::SeqCst)).unwrap()
        };
        let routes = Router::new().route("/health", axum::routing::get(answer));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        address
    }
}

/// A server on HTTP that can go away and come back.
async fn serve(world: &World, address: &str) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let agent = axum::Extension(Agent::parse("coder").unwrap());
    let routes = world.gateway.routes().layer(agent);
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    (address, serving)
}

fn calls(far: &World) -> usize {
    far.lines("received").iter().filter(|line| line.contains("tools/call")).count()
}

/// A client whose server goes away after the client knows its tools, and a call that failed for it.
async fn fail_once(near: &World, far: &World) -> (Client, SocketAddr, Value) {
    far.add_server(far.fixture(Era::Modern, ServerOrigin::Settings));
    let (address, serving) = serve(far, "127.0.0.1:0").await;
    let url = format!("http://{address}/mcp/fixture");
    let launch = Launch::Http(HttpSpec { url, headers: Vec::new() });
    let name = ServerName::parse("fixture").unwrap();
    let server = ServerSpec { name, launch, origin: ServerOrigin::Settings };
    let mut client = near.connect_to(Era::Modern, server);
    client.request("tools/list", json!({})).await;
    serving.abort();
    let _aborted = serving.await;
    let failed = client.call("echo", json!({"text": "again"})).await;
    assert!(text_of(&failed).contains("cannot be reached"), "{failed}");
    let operation = failed["result"]["_meta"]["countersign/operationId"].clone();
    (client, address, operation)
}

#[tokio::test]
async fn a_tools_health_address_is_asked_between_attempts_instead_of_its_server() {
    let (near, far, service) = (World::open(), World::open(), Arc::<Service>::default());
    let health = service.start().await;
    let tool = format!(
        "  mcp__fixture__echo: {{actions: [work.do], health: \"http://{health}/health\"}}\n"
    );
    near.load_graph(&format!("{GRAPH}{tool}")).await;
    let (_client, address, _) = fail_once(&near, &far).await;
    let (_, _serving) = serve(&far, &address.to_string()).await;
    let before = far.lines("received").len();
    for status in [503, 302] {
        service.status.store(status, Ordering::SeqCst);
        near.clock.advance(Duration::from_secs(25));
        near.gateway.repeat_due().await.unwrap();
    }
    assert_eq!((service.asked.load(Ordering::SeqCst), calls(&far)), (2, 0));
    service.status.store(204, Ordering::SeqCst);
    near.clock.advance(Duration::from_secs(60));
    near.gateway.repeat_due().await.unwrap();
    let received = far.lines("received").split_off(before);
    assert_eq!((service.asked.load(Ordering::SeqCst), received.len()), (3, 1), "{received:?}");
    assert_eq!(calls(&far), 1);
}

#[tokio::test]
async fn a_health_address_that_cannot_be_reached_or_read_holds_the_call_back() {
    for health in ["http://127.0.0.1:1/health", "ftp://127.0.0.1/health"] {
        let (near, far) = (World::open(), World::open());
        let tool = format!("  mcp__fixture__echo: {{actions: [work.do], health: \"{health}\"}}\n");
        near.load_graph(&format!("{GRAPH}{tool}")).await;
        let (_client, address, _) = fail_once(&near, &far).await;
        let (_, _serving) = serve(&far, &address.to_string()).await;
        near.clock.advance(Duration::from_secs(15));
        near.gateway.repeat_due().await.unwrap();
        assert_eq!(calls(&far), 0, "{health}");
    }
}

#[tokio::test]
async fn without_a_health_address_the_server_itself_is_asked() {
    let (near, far) = (World::open(), World::open());
    let (_client, address, _) = fail_once(&near, &far).await;
    near.clock.advance(Duration::from_secs(15));
    near.gateway.repeat_due().await.unwrap();
    assert_eq!(calls(&far), 0);
    let (_, _serving) = serve(&far, &address.to_string()).await;
    near.clock.advance(Duration::from_secs(25));
    near.gateway.repeat_due().await.unwrap();
    assert_eq!(calls(&far), 1);
}

/// A tool whose health is asked at a service that is well, while its server is away.
async fn fail_at_a_healthy_service(
    near: &World,
    far: &World,
    service: &Arc<Service>,
) -> (Client, SocketAddr, Value) {
    service.status.store(204, Ordering::SeqCst);
    let health = service.start().await;
    let tool = format!(
        "  mcp__fixture__echo: {{actions: [work.do], health: \"http://{health}/health\"}}\n"
    );
    near.load_graph(&format!("{GRAPH}{tool}")).await;
    fail_once(near, far).await
}

/// Which attempts were made shows at the health service: it is asked before each.
#[tokio::test]
async fn a_call_is_tried_five_times_with_growing_waits_and_then_no_more() {
    let (near, far, service) = (World::open(), World::open(), Arc::<Service>::default());
    let (_client, address, _) = fail_at_a_healthy_service(&near, &far, &service).await;
    for (made, wait) in [10, 20, 45, 90, 120].into_iter().enumerate() {
        // The clock goes on by itself, so that there has to be room before an attempt.
        near.clock.advance(Duration::from_secs(wait - 8));
        near.gateway.repeat_due().await.unwrap();
        assert_eq!(service.asked.load(Ordering::SeqCst), made, "attempt {made} came too early");
        near.clock.advance(Duration::from_secs(8));
        near.gateway.repeat_due().await.unwrap();
        near.gateway.repeat_due().await.unwrap();
        assert_eq!(service.asked.load(Ordering::SeqCst), made + 1, "attempt {made}");
    }
    let (_, _serving) = serve(&far, &address.to_string()).await;
    near.clock.advance(Duration::from_secs(3600));
    near.gateway.repeat_due().await.unwrap();
    assert_eq!((service.asked.load(Ordering::SeqCst), calls(&far)), (5, 0));
}

#[tokio::test]
async fn of_many_sweeps_at_once_one_makes_the_attempt_and_retry_returns_its_result() {
    let (near, far) = (World::open(), World::open());
    let (mut client, address, operation) =
        fail_at_a_healthy_service(&near, &far, &Arc::default()).await;
    let (_, _serving) = serve(&far, &address.to_string()).await;
    near.clock.advance(Duration::from_secs(10));
    let sweeps: Vec<_> = (0..8)
        .map(|_| {
            let gateway = Arc::clone(&near.gateway);
            tokio::spawn(async move { gateway.repeat_due().await.unwrap() })
        })
        .collect();
    for sweep in sweeps {
        sweep.await.unwrap();
    }
    assert_eq!(calls(&far), 1);
    let received = far.lines("received").join("\n");
    assert!(received.contains("\"text\":\"again\""), "{received}");
    // The server is a gateway too, and has a tool `retry` of its own.
    let kept = client.call("countersign_retry", json!({"operation_id": operation})).await;
    assert!(text_of(&kept).contains("again"), "{kept}");
    near.clock.advance(Duration::from_secs(3600));
    near.gateway.repeat_due().await.unwrap();
    assert_eq!(calls(&far), 1, "what succeeded is not tried again");
}

#[tokio::test]
async fn what_is_blocked_or_paused_meanwhile_is_not_repeated() {
    for is_paused in [true, false] {
        let (near, far) = (World::open(), World::open());
        let (_client, address, _) = fail_at_a_healthy_service(&near, &far, &Arc::default()).await;
        let (_, _serving) = serve(&far, &address.to_string()).await;
        match is_paused {
            true => {
                let agent = near.owner().agent;
                near.host.run(move |engine| engine.pause_agent(&agent)).await.unwrap();
            }
            false => {
                let work = "{autonomous: [do], requires_approval: [ask], blocked: [never]}";
                let stricter = "{autonomous: [], requires_approval: [ask], blocked: [do, never]}";
                near.load_graph(&GRAPH.replace(work, stricter)).await;
            }
        }
        for wait in [10, 20, 45] {
            near.clock.advance(Duration::from_secs(wait));
            near.gateway.repeat_due().await.unwrap();
        }
        assert_eq!(calls(&far), 0, "paused: {is_paused}");
    }
}

/// The client comes when the server is away already, and knows the tool from its pin alone.
#[tokio::test]
async fn a_call_of_a_server_that_is_down_is_decided_and_repeated() {
    let (near, far) = (World::open(), World::open());
    let (client, address, _) = fail_once(&near, &far).await;
    client.leave().await;
    let url = format!("http://{address}/mcp/fixture");
    let launch = Launch::Http(HttpSpec { url, headers: Vec::new() });
    let name = ServerName::parse("fixture").unwrap();
    let server = ServerSpec { name, launch, origin: ServerOrigin::Settings };
    let mut client = near.connect_to(Era::Modern, server);
    let unknown = client.call("never_seen", json!({})).await;
    assert_eq!(unknown["result"]["_meta"]["countersign/status"], "refused", "{unknown}");
    let failed = client.call("echo", json!({"text": "later"})).await;
    assert_eq!(failed["result"]["_meta"]["countersign/status"], "unreachable", "{failed}");
    let (_, _serving) = serve(&far, &address.to_string()).await;
    // The server is not tried again at once.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(10)).await;
    tokio::time::resume();
    near.clock.advance(Duration::from_secs(15));
    near.gateway.repeat_due().await.unwrap();
    let operation = failed["result"]["_meta"]["countersign/operationId"].clone();
    let kept = client.call("countersign_retry", json!({"operation_id": operation})).await;
    assert!(text_of(&kept).contains("later"), "{kept}");
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_for_a_tool_that_may_run_twice() {
    for (flag, executions) in [(", idempotent: true", 2), ("", 1)] {
        let world = World::open();
        let tool = format!("  mcp__fixture__crash: {{actions: [work.do]{flag}}}\n");
        world.load_graph(&format!("{GRAPH}{tool}")).await;
        let mut client = world.legacy_client().await;
        let died = client.call("crash", json!({})).await;
        let status = if executions == 2 { "unreachable" } else { "unknown" };
        assert_eq!(died["result"]["_meta"]["countersign/status"], status, "{died}");
        world.clock.advance(Duration::from_secs(15));
        world.gateway.repeat_due().await.unwrap();
        assert_eq!(world.lines("executions").len(), executions, "{flag}");
    }
}

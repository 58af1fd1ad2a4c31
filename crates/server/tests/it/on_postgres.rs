//! Daemons on a database: every route answers, two nodes work together, and a database that hangs is
//! a refusal and not an end.

use crate::all_routes::PostRoute;
use crate::sample::sample;
use crate::test_server::{TestServer, expect_error};
use countersign_engine::PostgresSettings;
use countersign_scratch::{Fsync, PostgresServer};
use countersign_server::Plane;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A schema that nobody else uses.
fn own_schema(test: &str) -> PostgresSettings {
    let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
    settings.schema = format!("server_{}_{test}", std::process::id());
    settings
}

/// The routes that are read, with an id where the path has one.
fn reading_routes() -> Vec<(Plane, String)> {
    let mut routes = Vec::new();
    for plane in [Plane::Agent, Plane::Operator] {
        let document: Value = serde_json::from_str(plane.document()).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            if methods["get"].is_null() || path.ends_with("/events") {
                continue;
            }
            let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
            let mut path = path.clone();
            let mut query = Vec::new();
            for parameter in parameters {
                let value = sample(&document, &parameter["schema"]);
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let name = parameter["name"].as_str().unwrap();
                match parameter["in"].as_str() {
                    Some("path") => path = path.replace(&format!("{{{name}}}"), &value),
                    _ if parameter["required"] == true => query.push(format!("{name}={value}")),
                    _ => {}
                }
            }
            let query =
                if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
            routes.push((plane, format!("{path}{query}")));
        }
    }
    assert!(routes.len() > 15, "{}", routes.len());
    routes
}

#[test]
fn every_route_of_both_planes_answers() {
    let mut server = TestServer::on_postgres(&own_schema("routes"));
    server.park_call();
    for (plane, path) in reading_routes() {
        let (status, text) = server.send_raw_to(plane, ("GET", &path), "application/json", b"");
        assert!(status < 500, "GET {path}: {status} {text}");
    }
    for route in PostRoute::all() {
        let body = route.minimal_body().to_string();
        let target = ("POST", route.path.as_str());
        let (status, text) =
            server.send_raw_to(route.plane, target, "application/json", body.as_bytes());
        assert!(status < 500, "POST {}: {status} {text}", route.path);
    }
    for path in ["/v1/grants", "/v1/review", "/v1/agents", "/v1/status"] {
        server.operator().get(path).unwrap();
    }
    server.operator().post("/v1/agents", &json!({"agent": "another"})).unwrap();
    // One of the routes above ended the session.
    server.agent().post("/v1/check", &json!({"session": "s1", "actions": ["files.read"]})).unwrap();
    let grant =
        json!({"session": "s1", "action": "files.write", "scope": "session", "seconds": 60});
    server.operator().post("/v1/grants", &grant).unwrap();
    server.stop();
}

#[test]
fn a_token_of_one_node_is_valid_on_the_other_and_revoked_on_both() {
    let settings = own_schema("tokens");
    let (mut one, mut two) =
        (TestServer::on_postgres(&settings), TestServer::on_postgres(&settings));
    let read = json!({"session": "s1", "actions": ["files.read"]});
    let status = |server: &TestServer, token: &str| {
        let agent = server.agent().with_token(Some(token.to_owned()));
        match agent.post("/v1/check", &read) {
            Ok(_) => 200,
            error => expect_error(error).0,
        }
    };
    let token = one.issue_token(&json!({"agent": "claude"}));
    assert_eq!((status(&one, &token), status(&two, &token)), (200, 200));
    let own = two.issue_token(&json!({"agent": "claude", "adapter": true}));
    assert_eq!((status(&one, &own), status(&two, &own)), (200, 200));
    let listed = |server: &TestServer| {
        let listed = server.operator().get("/v1/agents").unwrap();
        let agents = listed["agents"].as_array().unwrap().iter();
        let mut principals: Vec<Value> = agents.map(|one| one["principal"].clone()).collect();
        principals.sort_by_key(Value::to_string);
        principals
    };
    assert_eq!(listed(&one), ["adapter", "agent"], "both nodes list both");
    assert_eq!(listed(&two), ["adapter", "agent"]);
    // The operator of the second node revokes what the first one issued, too.
    let revoked = two.operator().post("/v1/agents/claude/revoke", &json!({})).unwrap();
    assert_eq!(revoked["revoked"].as_array().unwrap().len(), 2, "{revoked}");
    for token in [&token, &own] {
        assert_eq!((status(&one, token), status(&two, token)), (401, 401));
    }
    assert!(listed(&one).is_empty() && listed(&two).is_empty());
    assert_eq!(status(&one, "cs_agent_0"), 401);
    // An agent's token is none of the operator's, wherever it was issued.
    let again = one.issue_token(&json!({"agent": "codex"}));
    let operator = two.operator().with_token(Some(again));
    assert_eq!(expect_error(operator.get("/v1/status")).0, 401);
    one.stop();
    two.stop();
}

#[test]
fn an_answer_on_one_node_releases_a_call_on_another() {
    let settings = own_schema("nodes");
    let (one, other) = (TestServer::on_postgres(&settings), TestServer::on_postgres(&settings));
    let wanted =
        json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 20_000});
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| one.agent().post("/v1/check", &wanted).unwrap());
        let card = loop {
            let found = other.operator().get("/v1/requests").unwrap();
            match found["requests"].as_array().unwrap().as_slice() {
                [card] => break card.clone(),
                _ => std::thread::yield_now(),
            }
        };
        other.answer_card(&card, "once").unwrap();
        assert_eq!(waiting.join().unwrap()["status"], "allowed");
    });
}

#[test]
fn a_database_that_hangs_is_a_refusal_within_five_seconds() {
    let database = PostgresServer::start(Fsync::Off).unwrap();
    let server = TestServer::on_postgres(&PostgresSettings::new(&database.address()));
    let read = json!({"session": "s1", "tool": "Read", "args": {"path": "/srv/a"}});
    assert_eq!(server.agent().post("/v1/check", &read).unwrap()["status"], "allowed");
    let suspended = database.suspend().unwrap();
    for _ in 0..2 {
        let began = Instant::now();
        let pause = json!({"agent": "agent-1"});
        std::thread::scope(|scope| {
            let check = scope.spawn(|| server.agent().post("/v1/check", &read));
            let status = scope.spawn(|| server.operator().get("/v1/requests"));
            let pause = scope.spawn(|| server.operator().post("/v1/pause", &pause));
            for refused in [check, status, pause] {
                let refused = refused.join().unwrap();
                assert!(refused.is_err(), "{refused:?}");
            }
        });
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    drop(suspended);
    let began = Instant::now();
    while server.agent().post("/v1/check", &read).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "it did not recover");
        std::thread::yield_now();
    }
}

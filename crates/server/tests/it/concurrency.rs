//! Many agents at once: responses match the ledger, and an answer wakes the call that waits for it.

use crate::test_server::TestServer;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Barrier, Mutex};

const AGENTS: usize = 24;
const CALLS_PER_AGENT: usize = 12;

#[test]
fn concurrent_calls_return_what_the_ledger_records() {
    let server = TestServer::open();
    let (barrier, responses) = (Barrier::new(AGENTS), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for agent in 0..AGENTS {
            let (server, barrier, responses) = (&server, &barrier, &responses);
            scope.spawn(move || {
                // Three agents share a session, so that some of their commits conflict.
                let session = format!("s{}", agent / 3);
                barrier.wait();
                for _ in 0..CALLS_PER_AGENT {
                    let read =
                        json!({"session": session, "tool": "Read", "args": {"path": "/srv/a"}});
                    let decided = server.agent().post("/v1/check", &read).unwrap();
                    assert_eq!(decided["status"], "allowed", "{decided}");
                    let operation = decided["operation_id"].as_str().unwrap().to_owned();
                    let path = format!("/v1/operations/{operation}/outcome");
                    let done = json!({"session": session, "effect": "done"});
                    assert_eq!(server.agent().post(&path, &done).unwrap()["state"], "recorded");
                    // A second report is refused.
                    assert!(server.agent().post(&path, &done).is_err());
                    responses.lock().unwrap().push(operation);
                }
            });
        }
    });
    let responses = responses.into_inner().unwrap();
    let operations: BTreeSet<&String> = responses.iter().collect();
    assert_eq!(
        (responses.len(), operations.len()),
        (AGENTS * CALLS_PER_AGENT, AGENTS * CALLS_PER_AGENT)
    );
    let recorded = server.count_entries(["call_decided", "call_completed"]);
    assert_eq!(recorded, [AGENTS * CALLS_PER_AGENT, AGENTS * CALLS_PER_AGENT]);
}

#[test]
fn an_answer_wakes_the_call_that_waits_for_it() {
    let server = TestServer::open();
    let answered: Vec<Value> = std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let server = &server;
                scope.spawn(move || {
                    let write = json!({
                        "session": format!("s{agent}"), "tool": "Write", "wait_ms": 15_000,
                        "args": {"path": format!("/srv/{agent}")},
                    });
                    server.agent().post("/v1/check", &write).unwrap()
                })
            })
            .collect();
        let mut left: BTreeSet<String> = BTreeSet::new();
        while left.len() < AGENTS {
            let open = server.typed_operator().list_requests().unwrap();
            let cards: Vec<_> = open.iter().map(|card| json!(card)).collect();
            for card in
                cards.iter().filter(|card| !left.contains(card["request"].as_str().unwrap()))
            {
                server.answer_card(card, "once").unwrap();
            }
            left.extend(cards.iter().map(|card| card["request"].as_str().unwrap().to_owned()));
        }
        waiting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for decided in answered {
        assert_eq!(
            (&decided["status"], &decided["reason"]),
            (&json!("allowed"), &json!("granted"))
        );
    }
}

#[test]
fn the_operator_is_served_while_the_agents_runtime_is_blocked() {
    let server = TestServer::open();
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 0});
    server.agent().post("/v1/check", &write).unwrap();
    let held = server.block_agents();
    let shown = server.operator().get("/v1/requests").unwrap();
    assert_eq!(shown["requests"].as_array().map(Vec::len), Some(1), "{shown}");
    server.operator().post("/v1/pause", &json!({"agent": "*"})).unwrap();
    drop(held);
    server.agent().post("/v1/check", &write).unwrap();
}

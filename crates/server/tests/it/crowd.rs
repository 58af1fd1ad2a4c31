//! Many at once: what each is told is what stands in the record, and one answer reaches the one who
//! waits for it.

use crate::house::House;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Barrier, Mutex};

const AGENTS: usize = 24;
const EACH: usize = 12;

#[test]
fn whoever_asks_beside_others_is_told_what_is_recorded() {
    let house = House::open();
    let (together, told) = (Barrier::new(AGENTS), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for agent in 0..AGENTS {
            let (house, together, told) = (&house, &together, &told);
            scope.spawn(move || {
                // Three to a session, so that some of them get into each other's way.
                let session = format!("s{}", agent / 3);
                together.wait();
                for _ in 0..EACH {
                    let read =
                        json!({"session": session, "tool": "Read", "args": {"path": "/srv/a"}});
                    let decided = house.agent().post("/v1/check", &read).unwrap();
                    assert_eq!(decided["status"], "allowed", "{decided}");
                    let operation = decided["operation_id"].as_str().unwrap().to_owned();
                    let path = format!("/v1/operations/{operation}/outcome");
                    let done = json!({"session": session, "effect": "done"});
                    assert_eq!(house.agent().post(&path, &done).unwrap()["state"], "recorded");
                    // Once is enough for everybody.
                    assert!(house.agent().post(&path, &done).is_err());
                    told.lock().unwrap().push(operation);
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    let operations: BTreeSet<&String> = told.iter().collect();
    assert_eq!((told.len(), operations.len()), (AGENTS * EACH, AGENTS * EACH));
    let recorded = house.recorded(["call_decided", "call_completed"]);
    assert_eq!(recorded, [AGENTS * EACH, AGENTS * EACH]);
}

#[test]
fn an_answer_reaches_the_one_of_many_who_waits_for_it() {
    let house = House::open();
    let answered: Vec<Value> = std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let house = &house;
                scope.spawn(move || {
                    let write = json!({
                        "session": format!("s{agent}"), "tool": "Write", "wait_ms": 15_000,
                        "args": {"path": format!("/srv/{agent}")},
                    });
                    house.agent().post("/v1/check", &write).unwrap()
                })
            })
            .collect();
        let mut left: BTreeSet<String> = BTreeSet::new();
        while left.len() < AGENTS {
            let open = house.typed_operator().list_requests().unwrap();
            let cards: Vec<_> = open.iter().map(|card| json!(card)).collect();
            for card in
                cards.iter().filter(|card| !left.contains(card["request"].as_str().unwrap()))
            {
                house.answer(card, "once").unwrap();
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
fn the_operator_is_heard_while_agents_are_held_up() {
    let house = House::open();
    let write = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}, "wait_ms": 0});
    house.agent().post("/v1/check", &write).unwrap();
    let held = house.hold_up_agents();
    let shown = house.operator().get("/v1/requests").unwrap();
    assert_eq!(shown["requests"].as_array().map(Vec::len), Some(1), "{shown}");
    house.operator().post("/v1/pause", &json!({"agent": "nobody"})).unwrap();
    drop(held);
    house.agent().post("/v1/check", &write).unwrap();
}

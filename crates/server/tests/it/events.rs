//! The event stream starts at any position and has no gaps.

use crate::http::HttpRequest;
use crate::test_server::{TestServer, expect_error};
use countersign_core::model::words::Ending;
use serde_json::json;

#[test]
fn a_client_that_reconnects_misses_nothing() {
    let server = TestServer::open();
    server.park_call();
    server.answer_card(&server.card(), "once").unwrap();
    let events = server.events(Some(1)).unwrap();
    let mut seen = Vec::new();
    for event in events.map(Result::unwrap) {
        seen.push((event.seq, event.data.kind));
        if event.data.kind.word() == "grant_minted" {
            break;
        }
    }
    let places: Vec<u64> = seen.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(places, (1..=places.len() as u64).collect::<Vec<_>>());
    let from = seen[2].0;
    let again = server.events(Some(from)).unwrap();
    let first = again.map(Result::unwrap).next().unwrap();
    assert_eq!((first.seq, first.data.kind), seen[2]);
}

#[test]
fn a_stream_starts_with_its_position() {
    let mut server = TestServer::open();
    server.park_call();
    let responses = server.events(Some(1)).unwrap().map(Result::unwrap);
    let last = responses
        .take_while(|event| event.data.kind.word() != "request_opened")
        .last()
        .unwrap()
        .seq
        + 1;
    let mut events = server.events(None).unwrap();
    assert_eq!(events.last_position(), None);
    server.stop();
    assert!(events.next().is_none_or(|end| end.is_err()));
    assert_eq!(events.last_position(), Some(last));
}

#[test]
fn new_entries_arrive_without_polling() {
    let server = TestServer::open();
    server.park_call();
    let events = server.events(None).unwrap();
    server.answer_card(&server.card(), "decline").unwrap();
    let received = events
        .map(Result::unwrap)
        .find(|event| event.data.kind.word() == "request_answered")
        .unwrap();
    assert_eq!(received.data.ending, Some(Ending::Declined));
    assert_eq!(received.data.surface.unwrap().as_str(), "test");
}

#[test]
fn an_event_says_on_which_surface_a_request_was_answered() {
    let server = TestServer::open();
    server.park_call();
    let events = server.events(None).unwrap();
    let card = server.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let body = json!({"digest": card["digest"], "choice": "once", "surface": "phone"});
    server.operator().post(&path, &body).unwrap();
    let received = events
        .map(Result::unwrap)
        .find(|event| event.data.kind.word() == "request_answered")
        .unwrap();
    assert_eq!(received.data.ending, Some(Ending::Approved));
    assert_eq!(received.data.surface.unwrap().as_str(), "phone");
}

#[test]
fn a_surface_reports_delivery_evidence_only() {
    let server = TestServer::open();
    let operation = server.park_call();
    let card = server.card();
    assert_eq!(card["calls"], json!([operation]));
    let say = |body: serde_json::Value| server.operator().post("/v1/deliveries", &body);
    let shown = json!({"request": card["request"], "surface": "terminal", "evidence": "requested"});
    say(shown.clone()).unwrap();
    for (field, value) in [
        ("evidence", json!("seen")),
        ("evidence", json!("delivered")),
        ("surface", json!("")),
        ("more", json!(1)),
    ] {
        let mut wrong = shown.clone();
        wrong[field] = value;
        assert_eq!(expect_error(say(wrong)), (400, "unreadable".to_owned()), "{field}");
    }
    let nothing = json!({"surface": "terminal", "evidence": "queued"});
    assert_eq!(expect_error(say(nothing)), (422, "invalid".to_owned()));
    let mut unknown = shown;
    unknown["request"] = json!("r00000000000000000000000000000000");
    assert_eq!(expect_error(say(unknown)), (404, "unknown".to_owned()));
    // No delivery is an answer.
    assert_eq!(server.card()["request"], card["request"]);
    let events = server.events(Some(1)).unwrap();
    events.map(Result::unwrap).find(|event| event.data.kind.word() == "request_delivered").unwrap();
}

#[test]
fn an_alert_event_contains_its_text() {
    let server = TestServer::open();
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    server.agent().post("/v1/check", &wipe).unwrap();
    let events = server.events(Some(1)).unwrap();
    let alert =
        events.map(Result::unwrap).find(|event| event.data.kind.word() == "notice_raised").unwrap();
    let notice = json!(alert.data.notice);
    assert_eq!((&notice["urgency"], &notice["cause"]), (&json!("alert"), &json!("blocked")));
    assert_eq!(notice["action"], "files.wipe");
}

/// The server buffers little for a slow reader and continues from the ledger.
#[test]
fn a_slow_reader_misses_nothing_and_delays_nobody() {
    let server = TestServer::open();
    let mut events = server.events(Some(1)).unwrap();
    let first = events.next().unwrap().unwrap().seq;
    for n in 0..200 {
        let read = json!({"session": "s1", "tool": "Read", "args": {"path": format!("/srv/{n}")}});
        assert_eq!(server.agent().post("/v1/check", &read).unwrap()["status"], "allowed");
    }
    let seen: Vec<u64> = events.map(|event| event.unwrap().seq).take(200).collect();
    assert_eq!(seen, (first + 1..=first + 200).collect::<Vec<_>>());
}

#[test]
fn a_malformed_event_id_is_refused() {
    let server = TestServer::open();
    let stream = std::os::unix::net::UnixStream::connect(&server.sockets.operator).unwrap();
    let request =
        HttpRequest::get("/v1/events").header("host", "localhost").header("last-event-id", "soon");
    let answer = request.send_on(&mut std::io::BufReader::new(stream));
    assert_eq!(answer.error(), (400, "unreadable"));
}

//! The event stream: from any place on, without a gap.

use crate::house::{House, refusal};
use crate::wire::Asked;
use countersign_core::model::words::Ending;
use serde_json::json;

#[test]
fn whoever_comes_back_misses_nothing() {
    let house = House::open();
    house.pending();
    house.answer(&house.card(), "once").unwrap();
    let events = house.events(Some(1)).unwrap();
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
    let again = house.events(Some(from)).unwrap();
    let first = again.map(Result::unwrap).next().unwrap();
    assert_eq!((first.seq, first.data.kind), seen[2]);
}

#[test]
fn a_stream_says_where_it_begins_before_anything_has_come() {
    let mut house = House::open();
    house.pending();
    let told = house.events(Some(1)).unwrap().map(Result::unwrap);
    let last =
        told.take_while(|event| event.data.kind.word() != "request_opened").last().unwrap().seq + 1;
    let mut events = house.events(None).unwrap();
    assert_eq!(events.last_position(), None);
    house.stop();
    assert!(events.next().is_none_or(|end| end.is_err()));
    assert_eq!(events.last_position(), Some(last));
}

#[test]
fn what_happens_next_is_heard_without_asking() {
    let house = House::open();
    house.pending();
    let events = house.events(None).unwrap();
    house.answer(&house.card(), "decline").unwrap();
    let heard = events
        .map(Result::unwrap)
        .find(|event| event.data.kind.word() == "request_answered")
        .unwrap();
    assert_eq!(heard.data.ending, Some(Ending::Declined));
    assert_eq!(heard.data.surface, None);
}

#[test]
fn the_others_hear_where_something_was_answered() {
    let house = House::open();
    house.pending();
    let events = house.events(None).unwrap();
    let card = house.card();
    let path = format!("/v1/requests/{}/answer", card["request"].as_str().unwrap());
    let body = json!({"digest": card["digest"], "choice": "once", "surface": "phone"});
    house.operator().post(&path, &body).unwrap();
    let heard = events
        .map(Result::unwrap)
        .find(|event| event.data.kind.word() == "request_answered")
        .unwrap();
    assert_eq!(heard.data.ending, Some(Ending::Approved));
    assert_eq!(heard.data.surface.unwrap().as_str(), "phone");
}

#[test]
fn a_surface_can_say_how_far_showing_got_and_no_more() {
    let house = House::open();
    let operation = house.pending();
    let card = house.card();
    assert_eq!(card["calls"], json!([operation]));
    let say = |body: serde_json::Value| house.operator().post("/v1/deliveries", &body);
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
        assert_eq!(refusal(say(wrong)), (400, "unreadable".to_owned()), "{field}");
    }
    let nothing = json!({"surface": "terminal", "evidence": "queued"});
    assert_eq!(refusal(say(nothing)), (422, "invalid".to_owned()));
    let mut unknown = shown;
    unknown["request"] = json!("req_00000000000000000000000000000000");
    assert_eq!(refusal(say(unknown)), (404, "unknown".to_owned()));
    // None of that is an answer.
    assert_eq!(house.card()["request"], card["request"]);
    let events = house.events(Some(1)).unwrap();
    events.map(Result::unwrap).find(|event| event.data.kind.word() == "request_delivered").unwrap();
}

#[test]
fn alerts_come_with_what_they_are_about() {
    let house = House::open();
    let wipe = json!({"session": "s1", "actions": ["files.wipe"]});
    house.agent().post("/v1/check", &wipe).unwrap();
    let events = house.events(Some(1)).unwrap();
    let alert =
        events.map(Result::unwrap).find(|event| event.data.kind.word() == "notice_raised").unwrap();
    let notice = json!(alert.data.notice);
    assert_eq!((&notice["urgency"], &notice["cause"]), (&json!("alert"), &json!("blocked")));
    assert_eq!(notice["action"], "files.wipe");
}

/// Nothing is kept for it: it reads on from the record when it comes to it.
#[test]
fn a_slow_reader_misses_nothing_and_holds_up_nobody() {
    let house = House::open();
    let mut events = house.events(Some(1)).unwrap();
    let first = events.next().unwrap().unwrap().seq;
    for n in 0..200 {
        let read = json!({"session": "s1", "tool": "Read", "args": {"path": format!("/srv/{n}")}});
        assert_eq!(house.agent().post("/v1/check", &read).unwrap()["status"], "allowed");
    }
    let seen: Vec<u64> = events.map(|event| event.unwrap().seq).take(200).collect();
    assert_eq!(seen, (first + 1..=first + 200).collect::<Vec<_>>());
}

#[test]
fn a_place_that_is_none_is_refused_and_not_passed_over() {
    let house = House::open();
    let stream = std::os::unix::net::UnixStream::connect(&house.sockets.operator).unwrap();
    let asked = Asked::get("/v1/events").with("host", "localhost").with("last-event-id", "soon");
    let answer = asked.on(&mut std::io::BufReader::new(stream));
    assert_eq!(answer.refusal(), (400, "unreadable"));
}

//! The event stream: from any place on, without a gap.

use crate::house::House;

#[test]
fn whoever_comes_back_misses_nothing() {
    let house = House::open();
    house.pending();
    house.answer(&house.card(), "once").unwrap();
    let events = house.operator().events(Some(1)).unwrap();
    let mut seen = Vec::new();
    for event in events.map(Result::unwrap) {
        seen.push((event.seq, event.kind.clone()));
        if event.kind == "grant_minted" {
            break;
        }
    }
    let places: Vec<u64> = seen.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(places, (1..=places.len() as u64).collect::<Vec<_>>());
    let from = seen[2].0;
    let again = house.operator().events(Some(from)).unwrap();
    let first = again.map(Result::unwrap).next().unwrap();
    assert_eq!((first.seq, first.kind), seen[2]);
}

#[test]
fn what_happens_next_is_heard_without_asking() {
    let house = House::open();
    house.pending();
    let events = house.operator().events(None).unwrap();
    house.answer(&house.card(), "decline").unwrap();
    let heard = events.map(Result::unwrap).find(|event| event.kind == "request_answered").unwrap();
    assert_eq!(heard.data["ending"], "declined");
}

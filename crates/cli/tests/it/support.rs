//! `countersign review` and `countersign support`: reading for somebody else.

use crate::daemon::Daemon;
use crate::desk::Desk;
use crate::tale::{masked, recorded_desk};
use serde_json::Value;

#[test]
fn a_review_shows_facts_harms_claims_earlier_declines_and_questions() {
    let desk = recorded_desk();
    let asked = desk.output(&["why", "--last-asked", "--json"]);
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    let id = asked["id"].as_str().unwrap();
    insta::assert_snapshot!(masked(&desk.run(&["review", id])));
    let json = desk.output(&["review", id, "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["facts"]["actions"], "email.delete");
    assert_eq!(json["questions"].as_array().unwrap().len(), 7);
    assert_eq!(desk.code(&["review", "c0000nothing"]), 2);
}

#[test]
fn a_packet_has_no_arguments_no_notes_and_no_contacts_and_overwrites_nothing() {
    let desk = recorded_desk();
    let run = desk.run(&["support", "create", "--out", desk.path("p.json").to_str().unwrap()]);
    assert!(run.contains("exit: 0"), "{run}");
    let text = desk.text("p.json");
    let packet: Value = serde_json::from_str(&text).unwrap();
    assert!(packet["entries"].as_array().unwrap().len() > 10, "{text}");
    assert!(packet["doctor"]["checks"].is_array() && packet["version"].is_string(), "{text}");
    for private in ["today", "@example"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    let again = desk.run(&["support", "create", "--out", desk.path("p.json").to_str().unwrap()]);
    assert!(again.contains("exists already") && again.contains("exit: 2"), "{again}");
    let unknown = desk.run(&["support", "create", "--call", "c000", "-o", "/dev/null/x"]);
    assert!(unknown.contains("exit:") && !unknown.contains("exit: 0"), "{unknown}");
}

#[test]
fn a_packet_is_shared_only_after_the_destination_was_typed() {
    let daemon = Daemon::open();
    let desk: &Desk = &daemon.desk;
    let (packet, to) = (desk.path("p.json"), desk.path("out.json"));
    let (packet, to) = (packet.to_str().unwrap(), to.to_str().unwrap());
    desk.run(&["support", "create", "-o", packet]);
    let not = desk.run(&[
        "support",
        "share",
        desk.path("countersign.yaml").to_str().unwrap(),
        "--to",
        to,
    ]);
    assert!(not.contains("is no support packet"), "{not}");
    let asked = desk.run(&["support", "share", packet, "--to", to]);
    assert!(asked.contains("exit: 8") && !desk.path("out.json").exists(), "{asked}");
    let card = desk.run(&["ls"]);
    assert!(card.contains("CRITICAL") || card.contains("critical"), "{card}");
    let id = crate::desk::first_id(&desk.run(&["ls", "--json"]), 'r').unwrap();
    let plain = desk.run(&["approve", &id]);
    assert!(!plain.contains("exit: 0"), "{plain}");
    let typed = desk.run(&["approve", &id, "--confirm", to]);
    assert!(typed.contains("exit: 0"), "{typed}");
    let shared = desk.run(&["support", "share", packet, "--to", to]);
    assert!(shared.contains("shared:") && desk.text("out.json") == desk.text("p.json"), "{shared}");
}

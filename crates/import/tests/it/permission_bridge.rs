//! PermissionBridge's file of persistent grants.

use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::time::Time;
use countersign_import::{Covers, Old, permission_bridge};

const DOCS: &str = r#"{"v":1,"op":"grant","grant_id":"a","action":"keep the docs","category":"filesystem_write","scope":"persistent","reasoning":"they go stale","granted_at":"2026-05-19T10:00:00.123Z"}"#;
const ALL: &str = r#"{"v":1,"op":"grant","grant_id":"b","action":"whatever is needed","category":null,"scope":"persistent","reasoning":"","granted_at":"2026-05-19T11:00:00.000Z"}"#;
const GONE: &str =
    r#"{"v":1,"op":"revoke","grant_id":"a","revoked_at":"2026-05-20T10:00:00.000Z"}"#;

fn stops(text: &str, place: &str, what: &str) {
    let corrupt = permission_bridge("g.jsonl", text.as_bytes()).unwrap_err();
    assert_eq!(corrupt.place, place, "{text}");
    assert!(corrupt.what.contains(what), "{}: {text}", corrupt.what);
}

#[test]
fn grants_and_what_was_revoked_are_read() {
    let text = format!("{DOCS}\r\n{ALL}\n\n{GONE}\n");
    let time = |text: &str| Time::from_micros(Time::parse(text).unwrap().micros());
    let docs = Old {
        place: "g.jsonl:1".to_owned(),
        key: "a".to_owned(),
        words: "keep the docs (they go stale)".to_owned(),
        covers: Covers::Category(Category::parse("filesystem_write").unwrap()),
        scope: Scope::Project,
        given_at: Time::from_micros(time("2026-05-19T10:00:00Z").micros() + 123_000),
        ends_at: None,
        revoked_at: Some(time("2026-05-20T10:00:00Z")),
    };
    let all = Old {
        place: "g.jsonl:2".to_owned(),
        key: "b".to_owned(),
        words: "whatever is needed".to_owned(),
        covers: Covers::Everything,
        given_at: time("2026-05-19T11:00:00Z"),
        revoked_at: None,
        ..docs.clone()
    };
    assert_eq!(permission_bridge("g.jsonl", text.as_bytes()), Ok(vec![docs, all]));
    assert_eq!(permission_bridge("g.jsonl", b""), Ok(Vec::new()));
}

#[test]
fn what_ended_with_its_session_covers_nothing() {
    let text = DOCS.replace("persistent", "this_session");
    let old = permission_bridge("g.jsonl", text.as_bytes()).unwrap();
    assert!(matches!(old[0].covers, Covers::Nothing(_)));
}

#[test]
fn a_corrupt_line_stops_it_with_its_place() {
    let half: String = DOCS.chars().take(40).collect();
    stops(&format!("{ALL}\n{half}\n{DOCS}"), "g.jsonl:2", "no JSON");
    stops(&format!("{ALL}\n[]"), "g.jsonl:2", "no JSON object");
    stops("\u{feff}{}", "g.jsonl:1", "no JSON");
    stops(&DOCS.replace("\"v\":1", "\"v\":2"), "g.jsonl:1", "no other version");
    stops(&DOCS.replace("\"op\":\"grant\"", "\"op\":\"allow\""), "g.jsonl:1", "`op`");
    stops(&DOCS.replace("persistent", "forever"), "g.jsonl:1", "no scope");
    stops(&DOCS.replace("2026-05-19T10:00:00.123Z", "yesterday"), "g.jsonl:1", "no instant");
    stops(&DOCS.replace("\"filesystem_write\"", "7"), "g.jsonl:1", "`category`");
    stops(&DOCS.replace("\"grant_id\":\"a\"", "\"grant_id\":\"\""), "g.jsonl:1", "empty");
    stops(&DOCS.replace("they go stale", &"x".repeat(5000)), "g.jsonl:1", "longer than");
}

/// What is not understood could have narrowed what was granted.
#[test]
fn what_might_change_its_meaning_stops_it() {
    let narrowed = DOCS.replace("\"v\":1", "\"v\":1,\"only_under\":\"/tmp\"");
    stops(&narrowed, "g.jsonl:1", "`only_under` is not known");
    let twice = DOCS.replace("\"v\":1", "\"v\":1,\"category\":\"git_write\"");
    stops(&twice, "g.jsonl:1", "no JSON");
    stops(&format!("{DOCS}\n{DOCS}"), "g.jsonl:2", "stands at g.jsonl:1 already");
    stops(GONE, "g.jsonl:1", "not granted before it");
}

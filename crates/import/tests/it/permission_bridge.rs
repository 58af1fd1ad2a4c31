//! The files of PermissionBridge.

use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::time::Time;
use countersign_import::{OldCoverage, OldGrant, read_permission_bridge};

const DOCS_GRANT: &str = r#"{"v":1,"op":"grant","grant_id":"a","action":"keep the docs","category":"filesystem_write","scope":"persistent","reasoning":"they go stale","granted_at":"2026-05-19T10:00:00.123Z"}"#;
const EVERYTHING_GRANT: &str = r#"{"v":1,"op":"grant","grant_id":"b","action":"whatever is needed","category":null,"scope":"persistent","reasoning":"","granted_at":"2026-05-19T11:00:00.000Z"}"#;
const DOCS_REVOCATION: &str =
    r#"{"v":1,"op":"revoke","grant_id":"a","revoked_at":"2026-05-20T10:00:00.000Z"}"#;

fn assert_line_refused(text: &str, place: &str, message: &str) {
    let error = read_permission_bridge("g.jsonl", text.as_bytes()).unwrap_err();
    assert_eq!(error.place, place, "{text}");
    assert!(error.message.contains(message), "{}: {text}", error.message);
}

#[test]
fn grants_and_revocations_are_imported() {
    let text = format!("{DOCS_GRANT}\r\n{EVERYTHING_GRANT}\n\n{DOCS_REVOCATION}\n");
    let time = |text: &str| Time::from_micros(Time::parse(text).unwrap().micros());
    let docs = OldGrant {
        place: "g.jsonl:1".to_owned(),
        key: "a".to_owned(),
        description: "keep the docs (they go stale)".to_owned(),
        coverage: OldCoverage::Category(Category::parse("filesystem_write").unwrap()),
        scope: Scope::Project,
        given_at: Time::from_micros(time("2026-05-19T10:00:00Z").micros() + 123_000),
        ends_at: None,
        revoked_at: Some(time("2026-05-20T10:00:00Z")),
    };
    let all = OldGrant {
        place: "g.jsonl:2".to_owned(),
        key: "b".to_owned(),
        description: "whatever is needed".to_owned(),
        coverage: OldCoverage::Everything,
        given_at: time("2026-05-19T11:00:00Z"),
        revoked_at: None,
        ..docs.clone()
    };
    assert_eq!(read_permission_bridge("g.jsonl", text.as_bytes()), Ok(vec![docs, all]));
    assert_eq!(read_permission_bridge("g.jsonl", b""), Ok(Vec::new()));
}

#[test]
fn a_grant_for_a_session_covers_nothing() {
    let text = DOCS_GRANT.replace("persistent", "this_session");
    let old = read_permission_bridge("g.jsonl", text.as_bytes()).unwrap();
    assert!(matches!(old[0].coverage, OldCoverage::Nothing(_)));
}

#[test]
fn an_invalid_line_is_refused_with_its_position() {
    let half: String = DOCS_GRANT.chars().take(40).collect();
    assert_line_refused(
        &format!("{EVERYTHING_GRANT}\n{half}\n{DOCS_GRANT}"),
        "g.jsonl:2",
        "not JSON",
    );
    assert_line_refused(&format!("{EVERYTHING_GRANT}\n[]"), "g.jsonl:2", "not a JSON object");
    assert_line_refused("\u{feff}{}", "g.jsonl:1", "not JSON");
    assert_line_refused(
        &DOCS_GRANT.replace("\"v\":1", "\"v\":2"),
        "g.jsonl:1",
        "only supported version",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("\"op\":\"grant\"", "\"op\":\"allow\""),
        "g.jsonl:1",
        "`op`",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("persistent", "forever"),
        "g.jsonl:1",
        "not a valid scope",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("2026-05-19T10:00:00.123Z", "yesterday"),
        "g.jsonl:1",
        "not a time",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("\"filesystem_write\"", "7"),
        "g.jsonl:1",
        "`category`",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("\"grant_id\":\"a\"", "\"grant_id\":\"\""),
        "g.jsonl:1",
        "empty",
    );
    assert_line_refused(
        &DOCS_GRANT.replace("they go stale", &"x".repeat(5000)),
        "g.jsonl:1",
        "longer than",
    );
}

/// An unknown key could have narrowed the grant.
#[test]
fn a_line_with_an_unclear_meaning_is_refused() {
    let narrowed = DOCS_GRANT.replace("\"v\":1", "\"v\":1,\"only_under\":\"/tmp\"");
    assert_line_refused(&narrowed, "g.jsonl:1", "`only_under` is unknown");
    let twice = DOCS_GRANT.replace("\"v\":1", "\"v\":1,\"category\":\"git_write\"");
    assert_line_refused(&twice, "g.jsonl:1", "not JSON");
    assert_line_refused(
        &format!("{DOCS_GRANT}\n{DOCS_GRANT}"),
        "g.jsonl:2",
        "already exists at g.jsonl:1",
    );
    assert_line_refused(DOCS_REVOCATION, "g.jsonl:1", "no earlier line grants");
}

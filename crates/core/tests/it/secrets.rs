//! Tries redaction on the rows of `corpus/secrets.jsonl`: secrets, and texts that only look like one.
//!
//! Each text is tried in every place of a call, of a question asked ahead and of an agent's record.

use crate::question::{START, facts};
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::command::{Command, CommandAnalysis};
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::{Action, Agent, SessionKey};
use countersign_core::model::recorded::{Recorded, StatedReason};
use countersign_core::model::request::AskAhead;
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use countersign_redact::holds_secret;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    text: String,
    expect: Expectation,
    /// The part that must not remain.
    secret: Option<String>,
    /// The last characters of a number, which remain for the operator.
    shows: Option<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Expectation {
    Redacted,
    Untouched,
}

fn read_rows() -> Vec<Row> {
    let lines = include_str!("../../../../corpus/secrets.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A call with the text in every place where an agent can write.
fn call_with(text: &str) -> Call {
    let agent = Agent::parse("agent-1").unwrap();
    let session = SessionKey::parse("agent-1 s1").unwrap();
    let mut draft = CallDraft::plain(agent, session, Action::parse("files.write").unwrap());
    draft.args = json!({"plain": text, "list": [{"deep": text}], text: 1});
    draft.target = vec![text.to_owned()];
    draft.claims.reason = text.to_owned();
    draft.claims.fallback = text.to_owned();
    let argv = ["tool", text].map(str::to_owned).to_vec();
    let command = Command::Plain { argv, cwd: None };
    draft.command = Some(CommandAnalysis { command, detectors: Vec::new() });
    let (state, ids) = (State::empty(), IdGenerator::new(START, 7));
    let facts = facts(&state, &ids);
    resolve_call(&facts, draft).unwrap()
}

/// The text as it is kept in each place.
fn redact_everywhere(text: &str) -> Vec<(&'static str, String)> {
    let mut call = call_with(text);
    call.redact(None, None);
    let Some(Command::Plain { argv, .. }) = &call.command else { panic!("{:?}", call.command) };
    let arg = |pointer: &str| call.args.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let mut names = call.args.as_object().unwrap().keys();
    let name = names.find(|name| !matches!(name.as_str(), "plain" | "list")).unwrap();
    let mut ahead = AskAhead {
        text: text.to_owned(),
        category: None,
        scope: Scope::Once,
        reason: text.to_owned(),
        fallback: text.to_owned(),
    };
    ahead.redact(None);
    let mut recorded = Recorded {
        session: call.session.clone(),
        agent: call.agent.clone(),
        call: None,
        ground: StatedReason::Observed,
        text: text.to_owned(),
    };
    recorded.redact(None);
    vec![
        ("argument", arg("/plain")),
        ("nested argument", arg("/list/0/deep")),
        ("name of an argument", name.clone()),
        ("target", call.target[0].clone()),
        ("recipient", call.recipients[0].clone()),
        ("command", argv[1].clone()),
        ("reason", call.claims.reason.clone()),
        ("fallback", call.claims.fallback.clone()),
        ("question", ahead.text),
        ("reason of a question", ahead.reason),
        ("fallback of a question", ahead.fallback),
        ("record", recorded.text),
    ]
}

/// What is wrong with a row, if anything.
fn check_row(row: &Row) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut complain = |place: &str, what: &str, kept: &str| {
        wrong.push(format!("{} in the {place}: {what}: {:?} -> {kept:?}", row.kind, row.text));
    };
    for (place, kept) in redact_everywhere(&row.text) {
        let secret = row.secret.as_deref().unwrap_or_default();
        match row.expect {
            Expectation::Untouched if kept != row.text => complain(place, "changed", &kept),
            Expectation::Redacted if kept.contains(secret) => complain(place, "kept", &kept),
            Expectation::Redacted => {
                let marks = kept.matches("REDACTED-").count();
                if marks != 1 {
                    complain(place, "has not one mark", &kept);
                }
                let shows = row.shows.as_ref().map(|last| format!("-{last}-"));
                if shows.is_some_and(|last| !kept.contains(&last)) {
                    complain(place, "does not show the last four", &kept);
                }
            }
            Expectation::Untouched => {}
        }
    }
    if holds_secret(&row.text) != (row.expect == Expectation::Redacted) {
        complain("note", "not recognised as what it is", &row.text);
    }
    wrong
}

#[test]
fn secrets_are_redacted_and_what_only_looks_like_one_stays() {
    let wrong: Vec<String> = read_rows().iter().flat_map(check_row).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_corpus_is_large_enough_and_half_of_it_stays() {
    let rows = read_rows();
    let stay = rows.iter().filter(|row| row.expect == Expectation::Untouched).count();
    assert!(rows.len() >= 200, "{} rows", rows.len());
    assert!(stay * 2 >= rows.len(), "{stay} of {} stay", rows.len());
    let texts: BTreeSet<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts.len(), rows.len(), "a row occurs twice");
    for row in &rows {
        assert_eq!(row.secret.is_some(), row.expect == Expectation::Redacted, "{}", row.text);
    }
}

#[test]
fn a_wrong_row_is_found() {
    let row = |expect, secret: Option<&str>, shows: Option<&str>| Row {
        kind: "planted".to_owned(),
        text: "order 4111111111111111".to_owned(),
        expect,
        secret: secret.map(str::to_owned),
        shows: shows.map(str::to_owned),
    };
    assert!(!check_row(&row(Expectation::Untouched, None, None)).is_empty());
    assert!(!check_row(&row(Expectation::Redacted, Some("order"), None)).is_empty());
    assert!(!check_row(&row(Expectation::Redacted, Some("4111"), Some("9999"))).is_empty());
    assert!(check_row(&row(Expectation::Redacted, Some("41111"), Some("1111"))).is_empty());
}

#[test]
fn a_card_number_is_redacted_as_a_json_number_too() {
    let mut call = call_with("x");
    call.args = json!({"number": 4_242_424_242_424_242_u64, "order": 4_242_424_242_424_241_u64});
    call.redact(None, None);
    assert!(call.args["number"].as_str().unwrap().starts_with("REDACTED-card-4242-"));
    assert_eq!(call.args["order"], json!(4_242_424_242_424_241_u64));
    assert!(!call.is_whole(), "a call with a mark in it must not be executed from the record");
}

#[test]
fn the_name_of_an_argument_does_not_hide_the_last_four_digits() {
    let mut call = call_with("x");
    call.args = json!({"card_number": "4242 4242 4242 4242", "cvc": "123"});
    call.redact(None, None);
    assert!(call.args["card_number"].as_str().unwrap().starts_with("REDACTED-card-4242-"));
    assert!(call.args["cvc"].as_str().unwrap().starts_with("REDACTED-3-"));
}

//! Cards as the daemon sends them.

use countersign_api::CardView;
use countersign_core::model::time::Time;
use countersign_core::model::words::Choice;
use countersign_terminal::{Item, Offered, Question};
use serde_json::{Value, json};

/// A question with this id, these choices, and what has to be typed.
pub fn question(
    id: &str,
    agent: &str,
    items: &[(&str, &[&str])],
    confirm: Option<&str>,
) -> Question {
    let first = "MODERATE risk, can be undone";
    let items = items.iter().map(|(action, offers)| Item {
        action: (*action).to_owned(),
        offers: offers.iter().map(|word| offer(word)).collect(),
        yes: Choice::Once,
    });
    Question {
        request: id.to_owned(),
        digest: "012345…6789ab".to_owned(),
        lines: vec![first.to_owned(), format!("CARD {id}")],
        agent: agent.to_owned(),
        session: "s1".to_owned(),
        announced: format!("{agent} asks. {first}. Delete letter. letter."),
        items: items.collect(),
        confirm: confirm.map(|typed| ("amount".to_owned(), typed.to_owned())),
        opened_at: Time::parse("2026-01-05T09:00:00Z"),
    }
}

/// A choice; with `!` behind it, one that has to be confirmed.
fn offer(word: &str) -> (Choice, Offered) {
    match word.strip_suffix('!') {
        Some(word) => (Choice::from_word(word).unwrap(), Offered::Twice),
        None => (Choice::from_word(word).unwrap(), Offered::Plainly),
    }
}

/// What is offered up to moderate risk.
pub const ALL: &[&str] = &["once", "15m", "session", "project", "decline"];

const ID: &str = "req_019b8d16e8e0700080000000003e22a1";

/// The card that the question above comes from.
fn card() -> Value {
    let offer = |word| json!({"choice": word, "second": "not_needed", "lets": "it pass"});
    let offers: Vec<Value> = ALL.iter().map(offer).collect();
    json!({
        "request": ID,
        "calls": [],
        "kind": "delete",
        "risk": "moderate",
        "undo": "reversible",
        "headline": "Delete letter",
        "exact": [{"name": "path", "lines": [{"text": "letter"}]}],
        "effects": [],
        "who": [
            {"name": "agent", "lines": [{"text": "coder"}]},
            {"name": "session", "lines": [{"text": "s1"}]},
        ],
        "news": [],
        "items": [{
            "action": "files.write", "risk": "moderate", "reason": "no_grant",
            "offers": offers, "yes": "once",
        }],
        "claims": [],
        "why": [],
        "digest": "012345…6789ab",
        "confirm": {"what": "amount", "typed": "42"},
        "lines": ["MODERATE risk, can be undone", format!("CARD {ID}")],
        "opened_at": "2026-01-05T09:00:00Z",
        "ends_at": "2026-01-05T11:00:00Z",
    })
}

fn read(card: &Value) -> Option<Question> {
    Question::from_card(&serde_json::from_value::<CardView>(card.clone()).ok()?)
}

#[test]
fn a_card_becomes_the_question_that_it_shows() {
    let expected = question(ID, "coder", &[("files.write", ALL)], Some("42"));
    assert_eq!(read(&card()), Some(expected));
}

#[test]
fn an_incomplete_card_is_no_question() {
    for field in ["request", "digest", "lines", "items", "who", "headline"] {
        let mut torn = card();
        torn.as_object_mut().unwrap().remove(field);
        assert_eq!(read(&torn), None, "{field}");
    }
    for (pointer, value) in [
        ("/confirm", json!({"what": "amount"})),
        ("/items/0/offers/0/choice", json!("everything")),
        ("/lines", json!([])),
        ("/who", json!([])),
    ] {
        let mut torn = card();
        *torn.pointer_mut(pointer).unwrap() = value;
        assert_eq!(read(&torn), None, "{pointer}");
    }
}

#[test]
fn hostile_lines_stay_visible() {
    let mut card = card();
    card["lines"][0] = json!("a\u{1b}[2Jb\nc");
    assert_eq!(read(&card).unwrap().lines[0], r"a\u{1b}[2Jb\nc");
}

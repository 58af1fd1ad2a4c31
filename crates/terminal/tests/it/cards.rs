//! Cards as the daemon sends them.

use countersign_terminal::Question;
use serde_json::{Value, json};

/// A question with this id, risk and choices.
pub fn question(
    id: &str,
    agent: &str,
    items: &[(&str, &[&str])],
    confirm: Option<&str>,
) -> Question {
    Question::read(&card(id, agent, items, confirm)).unwrap()
}

pub fn card(id: &str, agent: &str, items: &[(&str, &[&str])], confirm: Option<&str>) -> Value {
    let items: Vec<Value> = items
        .iter()
        .map(|(action, offers)| {
            let offers: Vec<Value> = offers
                .iter()
                .map(|word| {
                    let (word, second) = match word.strip_suffix('!') {
                        Some(word) => (word, "needed"),
                        None => (*word, "not_needed"),
                    };
                    json!({"choice": word, "second": second, "lets": "it pass"})
                })
                .collect();
            json!({"action": action, "offers": offers, "yes": "once"})
        })
        .collect();
    let confirm = confirm.map(|typed| json!({"what": "amount", "typed": typed}));
    json!({
        "request": id,
        "digest": "012345…6789ab",
        "risk": "moderate",
        "headline": "Delete letter",
        "exact": [{"name": "path", "lines": [{"text": "letter"}]}],
        "who": [
            {"name": "agent", "lines": [{"text": agent}]},
            {"name": "session", "lines": [{"text": "s1"}]},
        ],
        "items": items,
        "confirm": confirm,
        "lines": ["MODERATE risk, can be undone", format!("CARD {id}")],
        "opened_at": "2026-01-05T09:00:00Z",
        "ends_at": "2026-01-05T11:00:00Z",
    })
}

/// What is offered up to moderate risk.
pub const ALL: &[&str] = &["once", "15m", "session", "project", "decline"];

#[test]
fn what_is_no_whole_card_is_no_question() {
    let whole = card("req_1", "coder", &[("files.write", ALL)], Some("42"));
    assert!(Question::read(&whole).is_some());
    for field in ["request", "digest", "lines", "items", "who", "headline"] {
        let mut torn = whole.clone();
        torn.as_object_mut().unwrap().remove(field);
        assert_eq!(Question::read(&torn), None, "{field}");
    }
    let mut torn = whole.clone();
    torn["confirm"] = json!({"what": "amount"});
    assert_eq!(Question::read(&torn), None);
    let mut torn = whole.clone();
    torn["items"][0]["offers"][0]["choice"] = json!("everything");
    assert_eq!(Question::read(&torn), None);
}

#[test]
fn hostile_lines_stay_visible() {
    let mut card = card("req_1", "coder", &[("files.write", ALL)], None);
    card["lines"][0] = json!("a\u{1b}[2Jb\nc");
    assert_eq!(Question::read(&card).unwrap().lines[0], r"a\u{1b}[2Jb\nc");
}

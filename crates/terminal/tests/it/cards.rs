//! Cards and the questions made from them.

use countersign_api::CardView;
use countersign_card::{
    Card, CardField, CardItem, CardKind, CardLine, DisplayText, Offer, SecondConfirmation,
    TypedConfirmation,
};
use countersign_core::model::ids::RequestId;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Reason, Risk, Undo};
use countersign_terminal::{PromptQuestion, QuestionItem};

/// A question with these items. `confirm` is the text that approves it.
pub fn question(
    id: &str,
    agent: &str,
    items: &[(&str, &[&str])],
    confirm: Option<&str>,
) -> PromptQuestion {
    let first = "MODERATE risk, can be undone";
    let items = items.iter().map(|(action, offers)| QuestionItem {
        action: (*action).to_owned(),
        offers: offers.iter().map(|word| parse_offer(word)).collect(),
        yes: Choice::Once,
    });
    PromptQuestion {
        request: id.to_owned(),
        digest: "012345…6789ab".to_owned(),
        lines: vec![first.to_owned(), format!("CARD {id}")],
        agent: agent.to_owned(),
        session: "s1".to_owned(),
        announcement: format!("{agent} asks. {first}. Delete letter. letter."),
        items: items.collect(),
        confirm: confirm
            .map(|typed| TypedConfirmation { what: "amount".into(), typed: typed.to_owned() }),
        opened_at: Time::parse("2026-01-05T09:00:00Z"),
    }
}

/// A choice. A `!` after it means that it needs a second confirmation.
fn parse_offer(word: &str) -> (Choice, SecondConfirmation) {
    match word.strip_suffix('!') {
        Some(word) => (Choice::from_word(word).unwrap(), SecondConfirmation::Needed),
        None => (Choice::from_word(word).unwrap(), SecondConfirmation::NotNeeded),
    }
}

/// The choices up to moderate risk.
pub const ALL: &[&str] = &["once", "15m", "session", "project", "decline"];

const ID: &str = "req_019b8d16e8e0700080000000003e22a1";

fn field(name: &str, text: &str) -> CardField {
    let lines = vec![CardLine::Text(DisplayText::from_untrusted(text))];
    CardField { name: DisplayText::from_untrusted(name), lines }
}

/// The card that `question` describes.
fn card() -> CardView {
    let offers = ALL.iter().map(|word| Offer {
        choice: Choice::from_word(word).unwrap(),
        lets: DisplayText::from_untrusted("this call"),
        second: SecondConfirmation::NotNeeded,
    });
    let item = CardItem {
        action: DisplayText::from_untrusted("files.write"),
        risk: Risk::Moderate,
        reason: Reason::NoGrant,
        offers: offers.collect(),
        yes: Choice::Once,
    };
    let card = Card {
        request: RequestId::parse(ID).unwrap(),
        calls: Vec::new(),
        kind: CardKind::Delete,
        risk: Risk::Moderate,
        undo: Undo::Reversible,
        headline: DisplayText::from_untrusted("Delete letter"),
        exact: vec![field("path", "letter")],
        effects: Vec::new(),
        who: vec![field("agent", "coder"), field("session", "s1")],
        news: Vec::new(),
        items: vec![item],
        claims: Vec::new(),
        why: Vec::new(),
        digest: "012345…6789ab".to_owned(),
        confirm: Some(TypedConfirmation { what: "amount".into(), typed: "42".to_owned() }),
        opened_at: Time::parse("2026-01-05T09:00:00Z").unwrap(),
        ends_at: Time::parse("2026-01-05T11:00:00Z").unwrap(),
    };
    CardView { card, lines: vec!["MODERATE risk, can be undone".into(), format!("CARD {ID}")] }
}

#[test]
fn a_card_becomes_the_question_that_it_shows() {
    let expected = question(ID, "coder", &[("files.write", ALL)], Some("42"));
    assert_eq!(PromptQuestion::from_card(&card()), Some(expected));
}

#[test]
fn a_card_without_lines_agent_or_session_is_not_a_question() {
    let without_lines = CardView { lines: Vec::new(), ..card() };
    assert_eq!(PromptQuestion::from_card(&without_lines), None);
    for name in ["agent", "session"] {
        let mut card = card();
        card.card.who.retain(|field| field.name.as_str() != name);
        assert_eq!(PromptQuestion::from_card(&card), None, "{name}");
    }
}

#[test]
fn control_characters_in_a_line_stay_visible() {
    let mut card = card();
    card.lines[0] = "a\u{1b}[2Jb\nc".to_owned();
    let question = PromptQuestion::from_card(&card).unwrap();
    assert_eq!(question.lines[0], r"a\u{1b}[2Jb\nc");
}

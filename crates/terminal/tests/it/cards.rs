//! Cards and the questions made from them.

use countersign_api::CardView;
use countersign_card::{
    Card, CardField, CardItem, CardKind, CardLine, CardUndo, DisplayText, LeftOut, Offer,
    SecondConfirmation, TypedConfirmation,
};
use countersign_core::model::ids::RequestId;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers, Reason, Risk};
use countersign_terminal::{CardLayout, PromptQuestion};

/// A question with these items. `confirm` is the text that approves it.
pub fn question(
    id: &str,
    agent: &str,
    items: &[(&str, &[&str])],
    confirm: Option<&str>,
) -> PromptQuestion {
    PromptQuestion::from_card(&card(id, agent, items, confirm)).unwrap()
}

/// The card of such a question.
pub fn card(id: &str, agent: &str, items: &[(&str, &[&str])], confirm: Option<&str>) -> CardView {
    let items = items.iter().map(|(action, offers)| CardItem {
        action: DisplayText::from_untrusted(action),
        headline: DisplayText::from_untrusted("Delete letter"),
        risk: Risk::Moderate,
        reason: Reason::NoGrant,
        offers: offers.iter().map(|word| parse_offer(word)).collect(),
        yes: Choice::Once,
        only_once: None,
    });
    let card = Card {
        request: RequestId::parse(id).unwrap(),
        calls: Vec::new(),
        kind: CardKind::Delete,
        closed: None,
        risk: Risk::Moderate,
        undo: CardUndo::Unknown,
        headline: DisplayText::from_untrusted("Delete letter"),
        exact: vec![field("path", "letter")],
        left_out: LeftOut::default(),
        change: None,
        effects: Vec::new(),
        who: vec![field("agent", agent), field("session", "s1")],
        programs: Vec::new(),
        news: vec![DisplayText::from_untrusted(&format!("CARD {id}"))],
        items: items.collect(),
        claims: Vec::new(),
        why: vec![DisplayText::from_untrusted("nobody allowed it")],
        digest: "012345…6789ab".to_owned(),
        confirm: confirm
            .map(|typed| TypedConfirmation { what: "amount".into(), typed: typed.to_owned() }),
        repetition: None,
        opened_at: Time::parse("2026-01-05T09:00:00Z").unwrap(),
        ends_at: Time::parse("2026-01-05T11:00:00Z").unwrap(),
    };
    CardView { card, lines: vec!["MODERATE risk, can be undone".into(), format!("CARD {id}")] }
}

/// A choice, with a coverage after a blank. A `!` after it means that it needs a second
/// confirmation.
fn parse_offer(word: &str) -> Offer {
    let (word, second) = match word.strip_suffix('!') {
        Some(word) => (word, SecondConfirmation::Needed),
        None => (word, SecondConfirmation::NotNeeded),
    };
    let (word, covers) = word
        .split_once(' ')
        .map_or((word, None), |(word, covers)| (word, Some(Covers::from_word(covers).unwrap())));
    let lets = DisplayText::from_untrusted(match word {
        "once" => "this exact call, once",
        "15m" | "session" | "project" => "files.write, whatever it is done to",
        _ => "nothing; the agent is told",
    });
    let choice = Choice::from_word(word).unwrap();
    let lets = match covers {
        None | Some(Covers::Command) => lets,
        Some(covers) => describe_wider(covers),
    };
    let lasts = match choice {
        Choice::Quarter => "for 15 minutes",
        Choice::Session => "for this session, a day at most",
        Choice::Project => "in this project, until its review",
        _ => "",
    };
    Offer { choice, covers, lets, lasts: lasts.into(), spared: 0, second }
}

fn describe_wider(covers: Covers) -> DisplayText {
    DisplayText::from_untrusted(match covers {
        Covers::Command => "the command",
        Covers::Head => "any `cargo test …` in this workspace",
        Covers::Actions => "running tests in this workspace",
    })
}

/// The choices for a command with a head, of a class.
pub const WIDER: &[&str] = &[
    "once",
    "15m command",
    "15m head",
    "15m actions",
    "session command",
    "session head",
    "session actions",
    "project command",
    "project actions",
    "decline",
];

/// The choices up to moderate risk.
pub const ALL: &[&str] = &["once", "15m", "session", "project", "decline"];

const ID: &str = "r3e22a1019b8d16e8e070008000000000";

pub fn field(name: &str, text: &str) -> CardField {
    let lines = vec![CardLine::Text(DisplayText::from_untrusted(text))];
    CardField { name: DisplayText::from_untrusted(name), lines, left_out: LeftOut::default() }
}

fn letter() -> CardView {
    card(ID, "coder", &[("files.write", ALL)], Some("42"))
}

#[test]
fn a_card_becomes_the_question_that_it_shows() {
    let question = PromptQuestion::from_card(&letter()).unwrap();
    assert_eq!((question.request.as_str(), question.agent.as_str()), (ID, "coder"));
    assert_eq!(question.session, "s1");
    let announced = "coder asks. MODERATE risk, can be undone. Delete letter. letter.";
    assert_eq!(question.announcement, announced);
}

#[test]
fn a_card_without_lines_agent_or_session_is_not_a_question() {
    let without_lines = CardView { lines: Vec::new(), ..letter() };
    assert_eq!(PromptQuestion::from_card(&without_lines), None);
    for name in ["agent", "session"] {
        let mut card = letter();
        card.card.who.retain(|field| field.name.as_str() != name);
        assert_eq!(PromptQuestion::from_card(&card), None, "{name}");
    }
}

#[test]
fn control_characters_in_a_line_stay_visible() {
    let mut card = letter();
    card.lines[0] = "a\u{1b}[2Jb\nc".to_owned();
    let lines = CardLayout::Plain.render(&card, "r3e22a1");
    assert_eq!(lines[0], r"a\u{1b}[2Jb\nc");
}

//! Four classes of risk, and what the categories of a call do to it.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("reading the screen never waits", read),
    Scenario::new("a click goes ahead while the operator is idle, typing does not", act_while_idle),
    Scenario::new("typing into a field asks", type_text),
    Scenario::new("a purchase is confirmed by typing its amount, once", buy),
    Scenario::new("a wrong amount is no answer, and the question stays", mistype_the_amount),
    Scenario::new("nothing wider than once is taken for a critical action", refuse_the_session),
    Scenario::new("the next purchase asks again", buy_again),
    Scenario::new("a category that the agent adds makes a call riskier", add_a_category),
    Scenario::new("sensitive data in view makes a harmless call ask", add_a_modifier),
    Scenario::new("creating a support packet is free, sharing it is critical", share_a_packet),
    Scenario::new("two critical actions are never on one card", ask_one_by_one),
    Scenario::new("the card says what is bought, where, and what happens otherwise", read_the_card),
    Scenario::new("a card number in the arguments is shown by its last four digits", hide_the_card),
];

pub(super) fn checkout(p: &Play, amount: &str) -> crate::scenarios::call::CallBuilder {
    p.tool("checkout", json!({"shop": "shop.example", "amount": amount}))
}

fn read(p: &mut Play) -> TrialResult<()> {
    p.call("screen.read_state").gets(p, "allowed", "autonomous")?;
    p.expect_cards(0)
}

fn act_while_idle(p: &mut Play) -> TrialResult<()> {
    let surface = p.open_surface("desk")?;
    p.operator_sends("/v1/presence", &json!({"presence": "active", "surface": "desk"}))?;
    p.call("screen.click").to("ok").gets(p, "pending", "no_grant")?;
    p.operator_sends("/v1/presence", &json!({"presence": "idle", "surface": "desk"}))?;
    p.call("screen.click").to("next").gets(p, "allowed", "idle")?;
    p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    drop(surface);
    Ok(())
}

fn type_text(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    p.answer(&typing, "once")?;
    typing.retried_gets(p, "allowed", "granted").map(drop)
}

fn buy(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&buying)?;
    p.expect("the risk", text(&card, "risk"), "critical".to_owned())?;
    let typed = card.get("confirm").map(|confirm| text(confirm, "typed")).unwrap_or_default();
    p.expect("what has to be typed", typed.contains("42"), true)?;
    p.answer(&buying, "once")?;
    buying.retried_gets(p, "allowed", "granted")?.ends(p, "done")
}

fn mistype_the_amount(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&buying)?;
    p.show_whole(&card)?;
    for typed in ["yes", "24.00 USD", ""] {
        let sent = p.send_answer(&card, json!({"choice": "once", "confirm": typed}));
        p.expect_refusal(&format!("operator types \"{typed}\""), sent, (422, "critical"))?;
    }
    p.expect_cards(1)
}

fn refuse_the_session(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&buying)?;
    p.show_whole(&card)?;
    let typed = card.get("confirm").map(|confirm| text(confirm, "typed")).unwrap_or_default();
    for choice in ["session", "15m"] {
        let sent = p.send_answer(&card, json!({"choice": choice, "confirm": typed}));
        p.expect_refusal(&format!("operator chooses {choice}"), sent, (422, ""))?;
    }
    p.expect_cards(1)?;
    p.expect_grants(0)
}

fn buy_again(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    p.answer(&buying, "once")?;
    buying.retried_gets(p, "allowed", "granted")?.ends(p, "done")?;
    checkout(p, "42.00 USD").gets(p, "pending", "no_grant").map(drop)
}

fn add_a_category(p: &mut Play) -> TrialResult<()> {
    let clicking = p.call("screen.click").to("buy now").categories(&["purchase"]);
    let clicking = clicking.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&clicking)?;
    p.expect("the risk", text(&card, "risk"), "critical".to_owned())
}

fn add_a_modifier(p: &mut Play) -> TrialResult<()> {
    let reading = p.call("screen.click").to("inbox").categories(&["workplace_data_present"]);
    let reading = reading.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&reading)?;
    p.expect("the risk", text(&card, "risk"), "moderate".to_owned())
}

fn share_a_packet(p: &mut Play) -> TrialResult<()> {
    p.call("screen.create_packet").gets(p, "allowed", "read_only")?;
    let sharing = p.call("screen.share_packet").to("support.example");
    let sharing = sharing.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&sharing)?;
    p.expect("the risk", text(&card, "risk"), "critical".to_owned())
}

fn ask_one_by_one(p: &mut Play) -> TrialResult<()> {
    let both = p.call("screen.delete_item").to("photo").declares(&["screen.share_packet"]);
    both.gets(p, "pending", "no_grant")?;
    let cards = p.cards()?;
    let sizes: Vec<usize> = cards
        .iter()
        .map(|card| card.get("items").and_then(Value::as_array).map_or(0, Vec::len))
        .collect();
    p.tell(format!("items of the cards: {sizes:?}"));
    p.expect("items of the cards", sizes, vec![1, 1])
}

fn read_the_card(p: &mut Play) -> TrialResult<()> {
    let mut buying = checkout(p, "42.00 USD").because("the cart is full");
    buying = buying.otherwise("leave the cart and stop before payment");
    let buying = buying.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&buying)?;
    for words in ["42.00", "shop.example", "stop before payment"] {
        p.expect_on_card(&card, words)?;
    }
    Ok(())
}

fn hide_the_card(p: &mut Play) -> TrialResult<()> {
    let args =
        json!({"shop": "shop.example", "amount": "42.00 USD", "card": "4242 4242 4242 4242"});
    let buying = p.tool("checkout", args).gets(p, "pending", "no_grant")?;
    let card = p.card_of(&buying)?;
    p.expect_on_card(&card, "REDACTED-card-4242-")?;
    // The whole call is shown to who asks for it: a yes needs that.
    let whole = p.show_whole(&card)?;
    p.expect("the number", whole.contains("4242 4242"), true)
}

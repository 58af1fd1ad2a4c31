//! A no ends it: not a smaller question, not another way, not the same again.

use super::risks::checkout;
use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a declined call is not asked about again", repeat_a_declined_call),
    Scenario::new("a decline holds in the agent's other sessions", repeat_elsewhere),
    Scenario::new("another way to the same recipient shows the earlier no", detour),
    Scenario::new("a cancelled operation is final, and a new call asks", cancel),
    Scenario::new("an agent cannot resolve its own request", resolve_oneself),
    Scenario::new("a yes after a no needs an act of the operator that names it", lift_a_decline),
    Scenario::new("the first answer wins, and the second one hears so", answer_twice),
    Scenario::new("an answer to another version of the card does not count", answer_another_card),
    Scenario::new("declining a bundle from the command line declines all of it", decline_all),
    Scenario::new("a bundle of moderate items is approved as a whole on request", approve_all),
    Scenario::new(
        "the items of a bundle are answered one by one from the command line",
        approve_items,
    ),
];

fn repeat_a_declined_call(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    p.decline(&buying, "too expensive")?;
    let again = checkout(p, "42.00 USD").gets(p, "denied", "declined_before")?;
    again.expect_note(p, "too expensive")?;
    p.expect_cards(0)
}

fn repeat_elsewhere(p: &mut Play) -> TrialResult<()> {
    let buying = checkout(p, "42.00 USD").gets(p, "pending", "no_grant")?;
    p.decline(&buying, "")?;
    p.open_other_session();
    checkout(p, "42.00 USD").gets(p, "denied", "declined_before").map(drop)
}

fn detour(p: &mut Play) -> TrialResult<()> {
    let mail = p.call("screen.send_mail").to("boss@example.org").gets(p, "pending", "no_grant")?;
    p.decline(&mail, "I write that myself")?;
    let typing = p.call("screen.type_text").to("boss@example.org");
    let typing = typing.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&typing)?;
    p.expect_on_card(&card, "declined")
}

fn cancel(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    p.agent_sends(&format!("/v1/operations/{}/cancel", typing.operation), json!({}))?;
    p.expect_cards(0)?;
    typing.retried_gets(p, "denied", "cancelled")?;
    p.call("screen.type_text").to("name").gets(p, "pending", "no_grant").map(drop)
}

fn resolve_oneself(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    let path = format!("/v1/operations/{}/wait", typing.operation);
    let body = json!({"wait_ms": 0, "status": "granted"});
    p.agent_is_refused(&path, body, (400, "status"))?;
    typing.expect_state(p, "pending")
}

fn lift_a_decline(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    p.decline(&typing, "")?;
    let body = json!({"session": p.operators_name(), "action": "screen.type_text"});
    let granted = p.operator_sends("/v1/grants", &body)?;
    p.expect("it says what becomes of the no", text(&granted, "declines").is_empty(), false)?;
    let typing = p.call("screen.type_text").to("name");
    typing.gets(p, "denied", "declined_before").map(drop)
}

fn answer_twice(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&typing)?;
    p.answer_card(&card, json!({"choice": "decline"}))?;
    let second = p.send_answer(&card, json!({"choice": "once"}));
    p.expect_refusal("a second answer", second, (409, "already"))
}

fn answer_another_card(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    let other = p.call("screen.type_text").to("street").gets(p, "pending", "no_grant")?;
    let (card, other) = (p.card_of(&typing)?, p.card_of(&other)?);
    let body = json!({"choice": "once", "digest": text(&other, "digest")});
    let sent = p.send_answer(&card, body);
    p.expect_refusal("an answer to another card", sent, (409, "another version"))
}

fn decline_all(p: &mut Play) -> TrialResult<()> {
    let both = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let both = both.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&both)?;
    p.cli(&["decline", &text(&card, "request")], 0, "")?;
    p.expect_cards(0)?;
    both.retried_gets(p, "denied", "declined_before").map(drop)
}

fn approve_all(p: &mut Play) -> TrialResult<()> {
    let both = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let both = both.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&both)?;
    p.cli(&["approve", &text(&card, "request"), "--all-moderate"], 0, "")?;
    both.retried_gets(p, "allowed", "granted").map(drop)
}

fn approve_items(p: &mut Play) -> TrialResult<()> {
    let both = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let both = both.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&both)?;
    let request = text(&card, "request");
    let words = ["approve", &request, "--item", "tasks.toggle=once", "--item", "notes.write=once"];
    p.cli(&words, 0, "")?;
    both.retried_gets(p, "allowed", "granted").map(drop)
}

//! Changes of an agent to itself: a diff, an undo plan, a time to think, a way back.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a proposal without a diff is refused", propose_without_diff),
    Scenario::new("a proposal without a way to undo it is refused", propose_without_undo),
    Scenario::new("a proposal that changes nothing is refused", propose_nothing),
    Scenario::new("an approved proposal waits until its cooling time is over", cool),
    Scenario::new("the operator vetoes a proposal that was approved before", veto),
    Scenario::new("an edited proposal needs a new answer", edit),
    Scenario::new("an applied change can be undone once, for seven days", undo),
    Scenario::new("the card of a proposal shows the undo plan and its window", read_the_card),
    Scenario::new("a proposal that only the channel may bring is refused", propose_by_chat),
    Scenario::new("a proposal takes no grant, only an answer of its own", take_no_grant),
    Scenario::new(
        "proposals are listed, shown, vetoed, applied and undone from the command line",
        use_the_cli,
    ),
];

const LESSON: &str = "self_modification.update_lessons_md";
/// Like the lessons, without a time to cool.
const QUICK: &str = "lessons.change";

fn change(action: &str) -> Value {
    json!({
        "action": action,
        "diff": {"before": "be brief", "after": "be brief and kind"},
        "undo": "restore the line `be brief`",
    })
}

fn without(mut body: Value, name: &str) -> Value {
    if let Some(fields) = body.as_object_mut() {
        fields.remove(name);
    }
    body
}

/// Proposes, and returns the id.
fn propose(p: &mut Play, body: Value) -> TrialResult<String> {
    let proposed = p.agent_sends("/v1/proposals", body)?;
    p.expect("the proposal", text(&proposed, "outcome"), "ask".to_owned())?;
    Ok(text(&proposed, "proposal_id"))
}

fn approve(p: &mut Play) -> TrialResult<()> {
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "once"})).map(drop)
}

fn expect_denied(p: &mut Play, body: Value, reason: &str) -> TrialResult<()> {
    let proposed = p.agent_sends("/v1/proposals", body)?;
    p.expect("the proposal", text(&proposed, "reason"), reason.to_owned())?;
    p.expect("the proposal", text(&proposed, "outcome"), "deny".to_owned())
}

fn propose_without_diff(p: &mut Play) -> TrialResult<()> {
    expect_denied(p, without(change(LESSON), "diff"), "diff_missing")
}

fn propose_without_undo(p: &mut Play) -> TrialResult<()> {
    expect_denied(p, without(change(LESSON), "undo"), "undo_missing")
}

fn propose_nothing(p: &mut Play) -> TrialResult<()> {
    let mut body = change(LESSON);
    if let Some(diff) = body.get_mut("diff") {
        *diff = json!({"before": "be brief", "after": "be brief"});
    }
    expect_denied(p, body, "diff_missing")
}

fn cool(p: &mut Play) -> TrialResult<()> {
    let id = propose(p, change(LESSON))?;
    approve(p)?;
    let view = p.agent_reads(&format!("/v1/proposals/{id}/state"))?;
    let until = text(&view, "cools_until");
    p.agent_is_refused(&format!("/v1/proposals/{id}/apply"), json!({}), (409, &until))
}

fn veto(p: &mut Play) -> TrialResult<()> {
    let id = propose(p, change(QUICK))?;
    approve(p)?;
    p.operator_sends(&format!("/v1/proposals/{id}/veto"), &json!({}))?;
    p.agent_is_refused(&format!("/v1/proposals/{id}/apply"), json!({}), (409, ""))
}

fn edit(p: &mut Play) -> TrialResult<()> {
    let id = propose(p, change(QUICK))?;
    approve(p)?;
    let mut body = change(QUICK);
    if let Some(fields) = body.as_object_mut() {
        fields.insert("edits".to_owned(), json!(id));
        fields.insert("diff".to_owned(), json!({"before": "be brief", "after": "be loud"}));
    }
    propose(p, body)?;
    p.expect_cards(1)?;
    p.agent_is_refused(&format!("/v1/proposals/{id}/apply"), json!({}), (409, ""))
}

fn undo(p: &mut Play) -> TrialResult<()> {
    let id = propose(p, change(QUICK))?;
    approve(p)?;
    p.agent_sends(&format!("/v1/proposals/{id}/apply"), json!({}))?;
    let view = p.agent_reads(&format!("/v1/proposals/{id}/state"))?;
    p.expect("it can be undone", text(&view, "undo_until").is_empty(), false)?;
    let undone = p.operator_sends(&format!("/v1/proposals/{id}/undo"), &json!({}))?;
    p.expect("the proposal", text(&undone, "state"), "undone".to_owned())?;
    let again = p.operator().post(&format!("/v1/proposals/{id}/undo"), &json!({}));
    p.expect_refusal("operator undoes again", again, (409, ""))
}

fn read_the_card(p: &mut Play) -> TrialResult<()> {
    propose(p, change(LESSON))?;
    let card = p.only_card()?;
    p.expect_on_card(&card, "restore the line")?;
    p.expect_on_card(&card, "until 7d after it is applied")
}

fn propose_by_chat(p: &mut Play) -> TrialResult<()> {
    let body = change("self_modification.propose_behavioral_change");
    expect_denied(p, body, "channel_required")
}

fn take_no_grant(p: &mut Play) -> TrialResult<()> {
    propose(p, change(QUICK))?;
    approve(p)?;
    p.expect_grants(0)?;
    let mut other = change(QUICK);
    if let Some(diff) = other.get_mut("diff") {
        *diff = json!({"before": "a", "after": "b"});
    }
    propose(p, other).map(drop)
}

fn use_the_cli(p: &mut Play) -> TrialResult<()> {
    let id = propose(p, change(LESSON))?;
    p.cli(&["proposals", "ls"], 0, LESSON)?;
    p.cli(&["proposals", "show", &id], 0, "be brief and kind")?;
    p.cli(&["proposals", "veto", &id], 0, "")?;
    p.expect_cards(0)?;
    let quick = propose(p, change(QUICK))?;
    approve(p)?;
    p.cli(&["proposals", "apply", &quick], 0, "")?;
    p.cli(&["proposals", "undo", &quick], 0, "").map(drop)
}

//! How long a yes in the conversation lasts.

use super::{consent_to_edits, start_task};
use crate::scenarios::TrialResult;
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a yes to one edit covers the edits of the task", keep_the_category),
    Scenario::new("the first commit of the task asks, although edits are allowed", switch_category),
    Scenario::new("each push asks, however often it was allowed", ask_for_each_push),
    Scenario::new("another task starts without the consent of the first", change_the_task),
    Scenario::new("a failed edit may be tried again; another way asks", fail_and_retry),
    Scenario::new(
        "after fifty turns the next edit asks whether the task is still the same",
        work_long,
    ),
    Scenario::new("ten turns without a call end the task's consent", idle_out),
    Scenario::new("a slash command is fresh consent for what it declares", use_a_slash_command),
    Scenario::new("reading is never asked about", read),
    Scenario::new("the end of the session ends everything that was allowed in it", end_the_session),
    Scenario::new("the operator can end a session", end_it_as_operator),
    Scenario::new(
        "the window of the conversation is closed, and so is the session",
        end_it_as_adapter,
    ),
    Scenario::new("each use of the task's consent is announced with its turn", announce_uses),
    Scenario::new("the first question of a kind says that it is the first", announce_questions),
];

fn keep_the_category(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    p.says("Implement feature X", "none")?;
    consent_to_edits(p, &run)?;
    p.call("dev.edit").to("b.rs").in_run(&run).gets(p, "allowed", "granted")?;
    p.expect_cards(0)
}

fn switch_category(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    p.call("dev.commit").in_run(&run).gets(p, "pending", "no_grant").map(drop)
}

fn ask_for_each_push(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    let push = p.call("dev.push").to("origin").in_run(&run).gets(p, "pending", "no_grant")?;
    p.answer(&push, "once")?;
    push.retried_gets(p, "allowed", "granted")?.ends(p, "done")?;
    p.says("Push again", "none")?;
    p.call("dev.push").to("origin").in_run(&run).gets(p, "pending", "no_grant").map(drop)
}

fn change_the_task(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    p.says("Actually, let's work on feature Y instead", "reset")?;
    let other = start_task(p, "implement-feature-y")?;
    p.call("dev.edit").to("y.rs").in_run(&other).gets(p, "pending", "no_grant").map(drop)
}

fn fail_and_retry(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    let edit = |text: &str, p: &Play| {
        p.call("dev.edit").to("b.rs").args(json!({"text": text})).in_run(&run)
    };
    edit("one", p).gets(p, "allowed", "granted")?.ends(p, "failed")?;
    edit("two", p).gets(p, "pending", "no_grant")?;
    edit("one", p).gets(p, "allowed", "granted")?.ends(p, "done")
}

fn work_long(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    for turn in 2..=50 {
        p.says("and the next part", "none")?;
        p.told.pop();
        if turn % 5 == 0 && turn < 50 {
            p.call("dev.edit")
                .to(&format!("f{turn}.rs"))
                .in_run(&run)
                .gets(p, "allowed", "granted")?;
        }
    }
    let late = p.call("dev.edit").to("late.rs").in_run(&run).gets(p, "pending", "expired")?;
    let card = p.card_of(&late)?;
    p.expect_on_card(&card, "Still working on implement-feature-x")
}

fn idle_out(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    for _ in 0..10 {
        p.says("tell me about something else", "none")?;
        p.told.pop();
    }
    p.call("dev.edit").to("b.rs").in_run(&run).gets(p, "pending", "expired")?;
    p.call("dev.edit").to("b.rs").gets(p, "pending", "no_grant").map(drop)
}

fn use_a_slash_command(p: &mut Play) -> TrialResult<()> {
    p.call("dev.status").gets(p, "allowed", "autonomous")?;
    let body = json!({"session": p.session, "text": "/commit"});
    let said = p.adapter_sends("/v1/turns", body)?;
    let gesture = said.get("gesture_id").cloned();
    let seen = json!({"initiator": "operator", "gesture": gesture});
    p.call("dev.commit").observed(seen.clone()).gets(p, "allowed", "gesture")?;
    p.call("dev.push").observed(seen).gets(p, "pending", "no_grant").map(drop)
}

fn read(p: &mut Play) -> TrialResult<()> {
    for _ in 0..2 {
        p.call("dev.status").gets(p, "allowed", "autonomous")?;
    }
    p.expect_cards(0)
}

fn end_the_session(p: &mut Play) -> TrialResult<()> {
    let edit = p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant")?;
    p.answer(&edit, "session")?;
    p.says("Grant standing consent for: git push", "granted")?;
    p.expect_grants(2)?;
    p.agent_sends("/v1/end-session", json!({}))?;
    p.call("dev.edit").to("b.rs").gets(p, "pending", "no_grant")?;
    p.expect_grants(0)
}

fn end_it_as_operator(p: &mut Play) -> TrialResult<()> {
    let edit = p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant")?;
    p.answer(&edit, "session")?;
    let session = p.operators_name();
    p.cli(&["session", "end", &session], 0, "")?;
    p.call("dev.edit").to("b.rs").gets(p, "pending", "no_grant").map(drop)
}

fn end_it_as_adapter(p: &mut Play) -> TrialResult<()> {
    let edit = p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant")?;
    p.answer(&edit, "session")?;
    p.adapter_sends("/v1/end-session", json!({}))?;
    p.call("dev.edit").to("b.rs").gets(p, "pending", "no_grant").map(drop)
}

fn announce_uses(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    p.says("Implement feature X", "none")?;
    consent_to_edits(p, &run)?;
    let edit = p.call("dev.edit").to("b.rs").in_run(&run).gets(p, "allowed", "granted")?;
    edit.expect_line(p, "Using workflow consent for file edits (granted turn 2)")
}

fn announce_questions(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    let commit = p.tool("git", json!({"command": "git commit"})).in_run(&run);
    let commit = commit.gets(p, "pending", "no_grant")?;
    commit.expect_line(p, "First git command in workflow, asking consent")?;
    let push = p.call("dev.push").in_run(&run).gets(p, "pending", "no_grant")?;
    push.expect_line(p, "Risky operation, always requires consent")
}

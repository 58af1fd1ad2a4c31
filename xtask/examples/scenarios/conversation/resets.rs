//! What ends consent: a stop, a correction, the end of a task, a dry run.

use super::{consent_to_edits, shell, start_task};
use crate::scenarios::TrialResult;
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("stop clears everything but the standing commands", stop),
    Scenario::new(
        "stop cancels the open questions, and nothing is redeemed until the next turn",
        stop_questions,
    ),
    Scenario::new("a stop is heard with courtesy around it", stop_politely),
    Scenario::new("a correction clears the same, and cancels nothing", correct),
    Scenario::new("the consent state is cleared on request", clear),
    Scenario::new("done ends the task and says so", finish),
    Scenario::new("a reported change of context clears the task's consent", move_on),
    Scenario::new("in a dry run only reading passes, until the next turn", run_dry),
    Scenario::new("a stop that the agent reports counts", report_a_stop),
    Scenario::new("a yes that the agent reports does not", report_a_yes),
];

/// A task with consent to edits, an action for the session and a standing command.
fn prepare(p: &mut Play) -> TrialResult<String> {
    let folder = p.workspace()?.display().to_string();
    p.call("dev.status").in_project(&folder).gets(p, "allowed", "autonomous")?;
    let run = start_task(p, "implement-feature-x")?;
    consent_to_edits(p, &run)?;
    let write = p.call("notes.write").to("a").gets(p, "pending", "no_grant")?;
    p.answer(&write, "session")?;
    p.says("Grant standing consent for: git push", "granted")?;
    Ok(run)
}

/// Whether only the standing command is left.
fn expect_cleared(p: &mut Play, run: &str) -> TrialResult<()> {
    p.call("dev.edit").to("z.rs").in_run(run).gets(p, "pending", "no_grant")?;
    p.call("notes.write").to("z").gets(p, "pending", "no_grant")?;
    shell(p, "git push")?.gets(p, "allowed", "granted").map(drop)
}

fn stop(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    p.says("stop", "stop")?;
    p.call("dev.edit").to("z.rs").in_run(&run).gets(p, "denied", "stopped")?;
    p.says("now go on", "none")?;
    expect_cleared(p, &run)
}

fn stop_questions(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("a").gets(p, "pending", "no_grant")?;
    let rename = p.call("notes.rename").to("b").gets(p, "pending", "no_grant")?;
    p.answer(&write, "once")?;
    p.says("hold on", "stop")?;
    p.expect_cards(0)?;
    rename.retried_gets(p, "denied", "stopped")?;
    write.retried_gets(p, "denied", "stopped").map(drop)
}

fn stop_politely(p: &mut Play) -> TrialResult<()> {
    p.call("dev.status").gets(p, "allowed", "autonomous")?;
    for words in ["please stop", "no, wait", "stop!", "hey, hold on please", "Cancel"] {
        p.says(words, "stop")?;
    }
    p.says("the bus stop is far away", "none").map(drop)
}

fn correct(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    p.call("notes.rename").to("b").gets(p, "pending", "no_grant")?;
    p.says("that's wrong", "reset")?;
    p.expect_cards(1)?;
    expect_cleared(p, &run)
}

fn clear(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    p.says("Clear consent state", "reset")?;
    expect_cleared(p, &run)
}

fn finish(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    let lines = p.says("done", "reset")?.join("\n");
    p.expect_text("what is announced", &lines, "Workflow complete, clearing consent state")?;
    p.call("dev.edit").to("z.rs").in_run(&run).gets(p, "pending", "expired")?;
    p.call("notes.write").to("z").gets(p, "allowed", "granted").map(drop)
}

fn move_on(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    let moved = p.adapter_sends("/v1/moved", json!({"kind": "context"}))?;
    p.expect_text("what is announced", &moved.to_string(), "clear")?;
    expect_cleared(p, &run)
}

fn run_dry(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    p.says("DRY RUN: what would you change?", "dry_run")?;
    p.call("dev.status").gets(p, "allowed", "autonomous")?;
    p.call("dev.edit").to("y.rs").in_run(&run).gets(p, "pending", "dry_run")?;
    p.says("then do that", "none")?;
    p.call("dev.edit").to("x.rs").in_run(&run).gets(p, "allowed", "granted").map(drop)
}

fn report_a_stop(p: &mut Play) -> TrialResult<()> {
    let run = prepare(p)?;
    p.agent_reports("stop", "stop")?;
    p.call("dev.edit").to("z.rs").in_run(&run).gets(p, "denied", "stopped")?;
    shell(p, "git push")?.gets(p, "denied", "stopped")?;
    p.agent_reports("now go on", "none")?;
    p.call("notes.write").to("z").gets(p, "denied", "stopped")?;
    p.says("now go on", "none")?;
    p.call("dev.edit").to("z.rs").in_run(&run).gets(p, "pending", "no_grant").map(drop)
}

fn report_a_yes(p: &mut Play) -> TrialResult<()> {
    let edit = p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant")?;
    p.agent_reports("yes", "none")?;
    edit.retried_gets(p, "pending", "no_grant").map(drop)
}

//! Consent that follows a conversation: how long it lasts, what ends it, what is shown.

mod commands;
mod lifetimes;
mod plans;
mod resets;

use super::TrialResult;
use super::call::Called;
use super::play::{Play, text};
use super::scenario::Scenario;
use serde_json::json;

pub fn list() -> Vec<&'static Scenario> {
    let parts = [lifetimes::SCENARIOS, commands::SCENARIOS, resets::SCENARIOS, plans::SCENARIOS];
    parts.into_iter().flatten().collect()
}

/// Starts the task that the conversation is about; it declares nothing, so it does not ask.
fn start_task(p: &mut Play, workflow: &str) -> TrialResult<String> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": workflow}))?;
    p.expect("the start", text(&started, "reason"), "bypassed".to_owned())?;
    Ok(text(&started, "run_id"))
}

/// An edit in the task is asked about, and the operator says yes in the conversation.
fn consent_to_edits(p: &mut Play, run: &str) -> TrialResult<Called> {
    let edit = p.call("dev.edit").to("a.rs").in_run(run).gets(p, "pending", "no_grant")?;
    p.says("yes", "answered")?;
    let edited = edit.retried_gets(p, "allowed", "granted")?;
    edited.ends(p, "done")?;
    Ok(edited)
}

/// The agent runs a command line in its workspace.
fn shell(p: &Play, command: &str) -> TrialResult<super::call::CallBuilder> {
    let folder = p.workspace()?.display().to_string();
    let call = p.tool("shell", json!({"command": command})).in_folder(&folder);
    Ok(call.in_project(&folder))
}

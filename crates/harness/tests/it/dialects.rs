//! One snapshot per program and version.

use countersign_api::{PromptUse, Sighting, TurnAuthor};
use countersign_harness::{EventKind, HookEvent, Program, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn every_reply() -> Vec<Reply> {
    let text = |text: &str| text.to_owned();
    vec![
        Reply::Nothing,
        Reply::Allowed { announcements: Vec::new() },
        Reply::Allowed { announcements: vec![text("Using session consent for git push")] },
        Reply::AllowedAs { input: json!({"command": "git -c a=b diff"}), announcements: vec![] },
        Reply::Denied { reason: text("blocked by a rule") },
        Reply::Denied { reason: String::new() },
        Reply::AskHere { question: text("Push commits?\nYes allows it once."), input: None },
        Reply::AskHere {
            question: text("Search?"),
            input: Some(json!({"command": "grep -r '--exclude=.env' a"})),
        },
        Reply::Pending { reason: text("not run yet"), question: text("Push commits?") },
        Reply::TurnProcessed { lines: vec![text("Approved: once")] },
        Reply::TurnProcessed { lines: Vec::new() },
        Reply::Instructions { text: text("how it works") },
        Reply::Failed { why: text("the daemon\ndoes not answer") },
    ]
}

/// Whether objects keep the order of their keys depends on the features of other crates.
fn sort_keys(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<String, Value> = fields.into_iter().collect();
            sorted.into_iter().map(|(key, value)| (key, sort_keys(value))).collect()
        }
        other => other,
    }
}

/// What the hook sends to the daemon for an event.
fn describe_request(event: &HookEvent) -> String {
    let as_json = |value: Value| serde_json::to_string_pretty(&sort_keys(value)).unwrap();
    match &event.kind {
        EventKind::ToolCall(tool_use) => {
            let request = event
                .check_request(tool_use, (Sighting::First, PromptUse::Shown), (None, &[]))
                .unwrap();
            as_json(serde_json::to_value(request).unwrap())
        }
        EventKind::PermissionQuestion(tool_use) => {
            let request = event
                .check_request(tool_use, (Sighting::Again, PromptUse::Absent), (None, &[]))
                .unwrap();
            as_json(serde_json::to_value(request).unwrap())
        }
        EventKind::ToolEnded { tool_use, end } => {
            let request = event.outcome_request(tool_use, *end).unwrap();
            as_json(serde_json::to_value(request).unwrap())
        }
        EventKind::Prompt { text, .. } => {
            let request = event.turn_request(text, TurnAuthor::Operator, (None, &[])).unwrap();
            as_json(serde_json::to_value(request).unwrap())
        }
        EventKind::PlanAccepted { tool_use, plan } => {
            let request = event.plan_request(tool_use, plan).unwrap();
            as_json(serde_json::to_value(request).unwrap())
        }
        EventKind::SessionStarted(_) | EventKind::SessionEnded(_) | EventKind::Other => {
            format!("{:?}", event.kind)
        }
    }
}

fn describe_dialect(program: Program, folder: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/events").join(folder);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut text, mut answered) = (String::new(), Vec::new());
    for file in files {
        let event = HookEvent::parse(&std::fs::read(&file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        writeln!(text, "== {name}\n{}", describe_request(&event)).unwrap();
        // The replies depend on the kind of the event alone.
        let kind = std::mem::discriminant(&event.kind);
        if answered.contains(&kind) {
            continue;
        }
        answered.push(kind);
        for reply in every_reply() {
            let output = program.render(&event.kind, &reply);
            writeln!(text, "-- {reply:?}\n{output:?}").unwrap();
        }
    }
    text
}

#[test]
fn claude_code_is_read_and_answered_in_its_dialect() {
    insta::assert_snapshot!(describe_dialect(Program::ClaudeCode, "claude-2.1.325"));
}

#[test]
fn codex_is_read_and_answered_in_its_dialect() {
    insta::assert_snapshot!(describe_dialect(Program::Codex, "codex-0.166.0"));
}

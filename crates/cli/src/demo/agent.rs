//! The scripted agent: it reads, edits, tries to push and to pay. It executes only calls that were
//! allowed, and reports how each ended.

use super::stage::{NOTES, PATIENCE, Stage, git};
use super::voice::Voice;
use crate::failure::Failure;
use crate::operate::fit_bounds;
use countersign_api::{CheckRequest, CheckStatus, ReportedEffect};
use countersign_core::model::names::{SessionName, Tool};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};

const SESSION: &str = "demo";
const PUSH: [&str; 3] = ["push", "origin", "main"];
const AMOUNT: &str = "49.00";
const SHOP: &str = "shop.example";

/// One thing that the agent wants, and how it would do it.
struct DemoStep {
    says: &'static str,
    tool: &'static str,
    args: Value,
    reason: &'static str,
    fallback: &'static str,
    act: fn(&Stage) -> io::Result<String>,
}

/// Everything that the agent does, from beginning to end.
pub(super) fn play(stage: &Stage, voice: &Voice) -> Result<(), Failure> {
    for (number, step) in (1..).zip(steps(stage)) {
        voice.heading(&format!("{number}. The agent {}.", step.says))?;
        take_step(stage, &step, voice)?;
    }
    Ok(())
}

fn steps(stage: &Stage) -> [DemoStep; 5] {
    let notes = stage.workspace().join(NOTES).display().to_string();
    let pay = |says| DemoStep {
        says,
        tool: "Pay",
        args: json!({"amount": AMOUNT, "currency": "EUR", "to": SHOP}),
        reason: "The plan needs a larger build machine.",
        fallback: "I go on with the small one.",
        act: place_order,
    };
    [
        DemoStep {
            says: "reads the plan",
            tool: "Read",
            args: json!({"file_path": notes}),
            reason: "",
            fallback: "",
            act: read_notes,
        },
        DemoStep {
            says: "moves the release to Tuesday",
            tool: "Edit",
            args: json!({"file_path": notes, "old_string": "Monday", "new_string": "Tuesday"}),
            reason: "",
            fallback: "",
            act: edit_notes,
        },
        DemoStep {
            says: "wants to push",
            tool: "Bash",
            args: json!({"command": format!("git {}", PUSH.join(" "))}),
            reason: "The others are waiting for the plan.",
            fallback: "",
            act: push_notes,
        },
        pay("wants to pay"),
        pay("tries to pay once more"),
    ]
}

fn take_step(stage: &Stage, step: &DemoStep, voice: &Voice) -> Result<(), Failure> {
    let request = check_request(stage, step)?;
    let response = stage.agent().check(&request)?;
    voice.say(&format!("   {}: {}", response.status.word(), response.sentence))?;
    if let (CheckStatus::Allowed, Some(operation)) = (response.status, response.operation_id) {
        let (effect, report) = match (step.act)(stage) {
            Ok(report) => (ReportedEffect::Done, report),
            Err(error) => (ReportedEffect::Failed, format!("it failed: {error}")),
        };
        stage.agent().report_outcome(operation, &request.session, effect)?;
        voice.say(&format!("   {report}"))?;
    }
    Ok(())
}

fn check_request(stage: &Stage, step: &DemoStep) -> Result<CheckRequest, Failure> {
    let invalid = |error: String| Failure::new(error, "report this as a bug");
    let session = SessionName::parse(SESSION).map_err(|error| invalid(error.to_string()))?;
    let tool = Tool::parse(step.tool).map_err(|error| invalid(error.to_string()))?;
    let wait = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
    let workspace = stage.workspace().display().to_string();
    Ok(CheckRequest {
        tool: Some(tool),
        args: step.args.clone(),
        // Only a command runs in a folder.
        cwd: (step.tool == "Bash").then(|| fit_bounds("folder", workspace)).transpose()?,
        reason: fit_bounds("reason", step.reason)?,
        fallback: fit_bounds("fallback", step.fallback)?,
        wait_ms: fit_bounds("time to wait", wait)?,
        ..CheckRequest::new(session)
    })
}

fn read_notes(stage: &Stage) -> io::Result<String> {
    let text = fs::read_to_string(stage.workspace().join(NOTES))?;
    Ok(format!("read {} lines", text.lines().count()))
}

fn edit_notes(stage: &Stage) -> io::Result<String> {
    let path = stage.workspace().join(NOTES);
    let text = fs::read_to_string(&path)?;
    fs::write(&path, text.replace("Monday", "Tuesday"))?;
    Ok(format!("changed {NOTES}"))
}

fn push_notes(stage: &Stage) -> io::Result<String> {
    let output = git(&stage.workspace()).args(PUSH).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok("pushed to a repository in the same temporary folder".to_owned())
}

fn place_order(stage: &Stage) -> io::Result<String> {
    let mut orders = OpenOptions::new().create(true).append(true).open(stage.orders())?;
    writeln!(orders, "{AMOUNT} EUR to {SHOP}")?;
    Ok("the shop is a text file, and now holds an order".to_owned())
}

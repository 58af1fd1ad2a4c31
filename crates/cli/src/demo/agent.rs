//! The scripted agent: it reads, edits, tries to push and to pay. It executes only calls that were
//! allowed, and reports how each ended.

use super::output::DemoOutput;
use super::setup::{DemoSetup, NOTES, git};
use crate::limits;
use crate::operate::fit_bounds;
use countersign_api::{CheckRequest, CheckStatus, ReportedEffect};
use countersign_console::Failure;
use countersign_core::model::names::{Project, SessionName, Tool};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};

const SESSION: &str = "demo";
const PUSH: [&str; 3] = ["push", "origin", "main"];
const AMOUNT: &str = "49.00";
const SHOP: &str = "shop.example";

/// One call of the agent, and how it is executed.
struct DemoStep {
    intent: &'static str,
    tool: &'static str,
    args: Value,
    reason: &'static str,
    fallback: &'static str,
    execute: fn(&DemoSetup) -> io::Result<String>,
}

/// Runs all steps of the agent.
pub(super) fn run_agent(setup: &DemoSetup, output: &DemoOutput) -> Result<(), Failure> {
    for (number, step) in (1..).zip(steps(setup)) {
        output.print_heading(&format!("{number}. The agent {}.", step.intent))?;
        run_step(setup, &step, output)?;
    }
    Ok(())
}

fn steps(setup: &DemoSetup) -> [DemoStep; 5] {
    let notes = setup.workspace().join(NOTES).display().to_string();
    let pay = |intent| DemoStep {
        intent,
        tool: "Pay",
        args: json!({"amount": AMOUNT, "currency": "EUR", "to": SHOP}),
        reason: "The plan needs a larger build machine.",
        fallback: "I go on with the small one.",
        execute: place_order,
    };
    [
        DemoStep {
            intent: "reads the plan",
            tool: "Read",
            args: json!({"file_path": notes}),
            reason: "",
            fallback: "",
            execute: read_notes,
        },
        DemoStep {
            intent: "moves the release to Tuesday",
            tool: "Edit",
            args: json!({"file_path": notes, "old_string": "Monday", "new_string": "Tuesday"}),
            reason: "",
            fallback: "",
            execute: edit_notes,
        },
        DemoStep {
            intent: "wants to push",
            tool: "Bash",
            args: json!({"command": format!("git {}", PUSH.join(" "))}),
            reason: "The others are waiting for the plan.",
            fallback: "",
            execute: push_notes,
        },
        pay("wants to pay"),
        pay("tries to pay once more"),
    ]
}

fn run_step(setup: &DemoSetup, step: &DemoStep, output: &DemoOutput) -> Result<(), Failure> {
    let request = check_request(setup, step)?;
    let response = setup.agent().check(&request)?;
    output.print_line(&format!("   {}: {}", response.status.word(), response.sentence))?;
    if let (CheckStatus::Allowed, Some(operation)) = (response.status, response.operation_id) {
        let (effect, report) = match (step.execute)(setup) {
            Ok(report) => (ReportedEffect::Done, report),
            Err(error) => (ReportedEffect::Failed, format!("it failed: {error}")),
        };
        setup.agent().report_outcome(operation, &request.session, effect)?;
        output.print_line(&format!("   {report}"))?;
    }
    Ok(())
}

fn check_request(setup: &DemoSetup, step: &DemoStep) -> Result<CheckRequest, Failure> {
    let invalid = |error: String| Failure::new(error, "report this as a bug");
    let session = SessionName::parse(SESSION).map_err(|error| invalid(error.to_string()))?;
    let tool = Tool::parse(step.tool).map_err(|error| invalid(error.to_string()))?;
    let wait = u64::try_from(limits::DEMO_ANSWER_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
    let workspace = setup.workspace().display().to_string();
    let project = Project::parse(&workspace).map_err(|error| invalid(error.to_string()))?;
    Ok(CheckRequest {
        project: Some(project),
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

fn read_notes(setup: &DemoSetup) -> io::Result<String> {
    let text = fs::read_to_string(setup.workspace().join(NOTES))?;
    Ok(format!("read {} lines", text.lines().count()))
}

fn edit_notes(setup: &DemoSetup) -> io::Result<String> {
    let path = setup.workspace().join(NOTES);
    let text = fs::read_to_string(&path)?;
    fs::write(&path, text.replace("Monday", "Tuesday"))?;
    Ok(format!("changed {NOTES}"))
}

fn push_notes(setup: &DemoSetup) -> io::Result<String> {
    let pushed = git(&setup.workspace()).args(PUSH).output()?;
    if !pushed.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&pushed.stderr).trim().to_owned()));
    }
    Ok("pushed to a repository in the same temporary folder".to_owned())
}

fn place_order(setup: &DemoSetup) -> io::Result<String> {
    let mut orders = OpenOptions::new().create(true).append(true).open(setup.orders())?;
    writeln!(orders, "{AMOUNT} EUR to {SHOP}")?;
    Ok("wrote an order to a text file, which stands for the shop".to_owned())
}

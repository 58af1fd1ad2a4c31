//! The scripted agent: it reads, edits, tries to push and to pay, as agents do. It acts only on what
//! was allowed, and reports how it ended.

use super::stage::{NOTES, PATIENCE, Stage, git};
use super::voice::Voice;
use crate::failure::Failure;
use crate::operate::text;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};

const SESSION: &str = "demo";
const PUSH: [&str; 3] = ["push", "origin", "main"];
const AMOUNT: &str = "49.00";
const SHOP: &str = "shop.example";

/// One thing that the agent wants, and how it would do it.
struct Step {
    says: &'static str,
    call: Value,
    act: fn(&Stage) -> io::Result<String>,
}

/// Everything that the agent does, from beginning to end.
pub(super) fn play(stage: &Stage, voice: &Voice) -> Result<(), Failure> {
    let workspace = stage.workspace().display().to_string();
    let notes = stage.workspace().join(NOTES).display().to_string();
    let pay = json!({
        "tool": "Pay", "args": {"amount": AMOUNT, "currency": "EUR", "to": SHOP},
        "reason": "The plan needs a larger build machine.",
        "fallback": "I go on with the small one.",
    });
    let steps = [
        Step {
            says: "reads the plan",
            act: read,
            call: json!({
                "tool": "Read", "args": {"file_path": notes},
            }),
        },
        Step {
            says: "moves the release to Tuesday",
            act: edit,
            call: json!({
                "tool": "Edit",
                "args": {"file_path": notes, "old_string": "Monday", "new_string": "Tuesday"},
            }),
        },
        Step {
            says: "wants to push",
            act: push,
            call: json!({
                "tool": "Bash", "args": {"command": format!("git {}", PUSH.join(" "))}, "cwd": workspace,
                "reason": "The others are waiting for the plan.",
            }),
        },
        Step { says: "wants to pay", act: paid, call: pay.clone() },
        Step { says: "tries to pay once more", act: paid, call: pay },
    ];
    for (number, step) in (1..).zip(&steps) {
        voice.heading(&format!("{number}. The agent {}.", step.says))?;
        one(stage, step, voice)?;
    }
    Ok(())
}

fn one(stage: &Stage, step: &Step, voice: &Voice) -> Result<(), Failure> {
    let mut call = step.call.clone();
    if let Value::Object(fields) = &mut call {
        fields.insert("session".to_owned(), json!(SESSION));
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
        fields.insert("wait_ms".to_owned(), json!(patience));
    }
    let said = stage.agents().post("/v1/check", &call)?;
    let (status, sentence) = (text(&said, "/status"), text(&said, "/sentence"));
    voice.say(&format!("   {status}: {sentence}"))?;
    if status == "allowed" {
        let (effect, told) = match (step.act)(stage) {
            Ok(told) => ("done", told),
            Err(error) => ("failed", format!("it failed: {error}")),
        };
        let path = format!("/v1/operations/{}/outcome", text(&said, "/operation_id"));
        stage.agents().post(&path, &json!({"session": SESSION, "effect": effect}))?;
        voice.say(&format!("   {told}"))?;
    }
    Ok(())
}

fn read(stage: &Stage) -> io::Result<String> {
    let text = fs::read_to_string(stage.workspace().join(NOTES))?;
    Ok(format!("read {} lines", text.lines().count()))
}

fn edit(stage: &Stage) -> io::Result<String> {
    let path = stage.workspace().join(NOTES);
    let text = fs::read_to_string(&path)?;
    fs::write(&path, text.replace("Monday", "Tuesday"))?;
    Ok(format!("changed {NOTES}"))
}

fn push(stage: &Stage) -> io::Result<String> {
    let output = git(&stage.workspace()).args(PUSH).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok("pushed to a repository in the same temporary folder".to_owned())
}

fn paid(stage: &Stage) -> io::Result<String> {
    let mut orders = OpenOptions::new().create(true).append(true).open(stage.orders())?;
    writeln!(orders, "{AMOUNT} EUR to {SHOP}")?;
    Ok("the shop is a text file, and now holds an order".to_owned())
}

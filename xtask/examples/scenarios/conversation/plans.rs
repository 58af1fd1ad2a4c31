//! A plan and a yes to it.

use super::{consent_to_edits, start_task};
use crate::scenarios::TrialResult;
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a yes to a concrete plan covers each of its steps once", accept),
    Scenario::new("a weak yes is confirmed once", confirm),
    Scenario::new("a yes with changes needs a new plan", change),
    Scenario::new("a plan that is older than three turns needs to be made again", wait_too_long),
    Scenario::new("a no ends the plan", refuse),
    Scenario::new("another plan ends the consent of the task before", replace),
    Scenario::new("a vague plan cannot be accepted", be_vague),
];

fn propose(p: &mut Play, actions: &[&str], score: u8) -> TrialResult<()> {
    p.call("dev.status").gets(p, "allowed", "autonomous")?;
    p.adapter_sends("/v1/plans", json!({"actions": actions, "score": score})).map(drop)
}

fn accept(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit", "dev.commit"], 4)?;
    p.says("go ahead", "plan_accepted")?;
    p.call("dev.edit").to("a.rs").gets(p, "allowed", "plan")?.ends(p, "done")?;
    p.call("dev.commit").gets(p, "allowed", "plan")?.ends(p, "done")?;
    p.call("dev.edit").to("b.rs").gets(p, "pending", "no_grant").map(drop)
}

fn confirm(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit"], 4)?;
    p.says("sure", "confirm")?;
    p.says("yes", "plan_accepted")?;
    p.call("dev.edit").to("a.rs").gets(p, "allowed", "plan").map(drop)
}

fn change(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit"], 4)?;
    p.says("yes, but skip the tests", "confirm")?;
    p.says("yes", "none")?;
    p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant").map(drop)
}

fn wait_too_long(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit"], 4)?;
    for words in ["what about the docs?", "and the tests?", "I see"] {
        p.says(words, "none")?;
    }
    p.says("go ahead", "none")?;
    p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant").map(drop)
}

fn refuse(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit"], 4)?;
    p.says("not yet", "none")?;
    p.says("go ahead", "none")?;
    p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant").map(drop)
}

fn replace(p: &mut Play) -> TrialResult<()> {
    let run = start_task(p, "implement-feature-x")?;
    propose(p, &["dev.commit"], 4)?;
    p.says("go ahead", "plan_accepted")?;
    consent_to_edits(p, &run)?;
    propose(p, &["dev.edit"], 4)?;
    p.call("dev.edit").to("b.rs").in_run(&run).gets(p, "pending", "no_grant")?;
    p.call("dev.commit").gets(p, "pending", "no_grant").map(drop)
}

fn be_vague(p: &mut Play) -> TrialResult<()> {
    propose(p, &["dev.edit"], 1)?;
    p.says("go ahead", "none")?;
    p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant").map(drop)
}

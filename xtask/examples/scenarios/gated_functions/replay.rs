//! What happens after the wait is over: late answers, retries, revocation, restarts.

use crate::scenarios::TrialResult;
use crate::scenarios::gated_functions::workflows::start;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a late yes is redeemed by the operation's id alone", redeem_a_late_yes),
    Scenario::new("a retry before the answer still waits", retry_too_early),
    Scenario::new("only the session that made a call redeems it", redeem_elsewhere),
    Scenario::new("a yes lands in the session of its call, whoever answers", answer_from_the_cli),
    Scenario::new("a revoked yes carries no replay", revoke_before_replay),
    Scenario::new("a workflow's consent does not travel through time", replay_without_the_run),
    Scenario::new("a call that was done gives its result again, without a new effect", replay_done),
    Scenario::new("a parked call and its late yes survive a restart", redeem_after_a_restart),
    Scenario::new("a call that was running at a restart has an unknown effect and asks", crash),
];

fn redeem_a_late_yes(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").args(json!({"text": "hello"})).to("today");
    let write = write.gets(p, "pending", "no_grant")?;
    let body = json!({"wait_ms": 1});
    let waited = p.agent_sends(&format!("/v1/operations/{}/wait", write.operation), body)?;
    p.expect("the wait", text(&waited, "state"), "pending".to_owned())?;
    p.answer(&write, "once")?;
    write.retried_gets(p, "allowed", "granted").map(drop)
}

fn retry_too_early(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    write.retried_gets(p, "pending", "no_grant")?;
    p.expect_cards(1)
}

fn redeem_elsewhere(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    p.answer(&write, "once")?;
    p.open_other_session();
    write.retried_gets(p, "denied", "malformed").map(drop)
}

fn answer_from_the_cli(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&write)?;
    p.cli(&["approve", &text(&card, "request")], 0, "")?;
    write.retried_gets(p, "allowed", "granted").map(drop)
}

fn revoke_before_replay(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    p.answer(&write, "session")?;
    let grants = p.grants()?;
    for grant in &grants {
        p.revoke(grant)?;
    }
    let again = write.retried_gets(p, "pending", "no_grant")?;
    again.expect_state(p, "pending")
}

fn replay_without_the_run(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "tidy-tasks", "once")?;
    let create = p.call("tasks.create").to("t1").in_run(&run).gets(p, "allowed", "granted")?;
    create.ends(p, "failed")?;
    create.retried_gets(p, "pending", "no_grant")?;
    p.call("tasks.create").to("t2").in_run(&run).gets(p, "allowed", "granted").map(drop)
}

fn replay_done(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    p.answer(&write, "once")?;
    write.retried_gets(p, "allowed", "granted")?.ends(p, "done")?;
    write.retried_gets(p, "already_done", "already_done").map(drop)
}

fn redeem_after_a_restart(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    p.restart()?;
    p.answer(&write, "once")?;
    p.restart()?;
    write.retried_gets(p, "allowed", "granted").map(drop)
}

fn crash(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    p.answer(&write, "once")?;
    write.retried_gets(p, "allowed", "granted")?;
    p.restart()?;
    write.expect_state(p, "unknown")?;
    write.retried_gets(p, "pending", "unknown_effect").map(drop)
}

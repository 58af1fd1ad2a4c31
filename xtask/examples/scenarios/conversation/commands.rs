//! Standing commands: granted in words, listed, used and revoked.

use super::{shell, start_task};
use crate::scenarios::TrialResult;
use crate::scenarios::play::Play;
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "a standing command runs for many turns, until it is revoked",
        grant_for_many_turns,
    ),
    Scenario::new("it holds in every folder of the workspace", run_in_any_folder),
    Scenario::new("it is that command and no other", run_another_command),
    Scenario::new(
        "the allowlist is printed with how often each command was used",
        print_the_allowlist,
    ),
    Scenario::new("one of five commands is revoked, and the rest is announced", revoke_one),
    Scenario::new("everything that is allowed is listed with its turn", list_everything),
    Scenario::new("all of it is revoked at once", revoke_all),
    Scenario::new("a grant that an agent reports is a question to the operator", report_a_grant),
    Scenario::new("at a new context each standing command is asked about once", hand_over),
    Scenario::new("each use of the allowlist is announced", announce_a_use),
    Scenario::new("the same words work from a script", say_from_a_script),
];

const GRANT: &str = "Grant standing consent for: git push";

fn open(p: &mut Play) -> TrialResult<()> {
    let folder = p.workspace()?.display().to_string();
    p.call("dev.status").in_project(&folder).gets(p, "allowed", "autonomous").map(drop)
}

fn grant_for_many_turns(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says(GRANT, "granted")?;
    for turn in 2..=50 {
        p.says("go on with it", "none")?;
        p.told.pop();
        if turn % 10 == 0 {
            shell(p, "git push")?.gets(p, "allowed", "granted")?.ends(p, "done")?;
        }
    }
    p.says("Revoke consent for: git push", "revoked")?;
    shell(p, "git push")?.gets(p, "pending", "no_grant").map(drop)
}

fn run_in_any_folder(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says(GRANT, "granted")?;
    let folder = p.workspace()?;
    let below = folder.join("src").display().to_string();
    shell(p, "git push")?.in_folder(&below).gets(p, "allowed", "granted")?;
    shell(p, "git push")?.in_folder("/tmp").gets(p, "pending", "no_grant").map(drop)
}

fn run_another_command(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says(GRANT, "granted")?;
    shell(p, "git push --force")?.gets(p, "pending", "no_grant")?;
    shell(p, "git push && echo done")?.gets(p, "pending", "no_grant").map(drop)
}

fn print_the_allowlist(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says("Grant standing consent for: git push, npm test", "granted")?;
    for _ in 0..3 {
        shell(p, "git push")?.gets(p, "allowed", "granted")?.ends(p, "done")?;
    }
    for words in ["/allowlist", "Show active allowlist"] {
        let lines = p.says(words, "listed")?;
        let expected =
            ["Session Allowlist:", "- git push (used 3 times)", "- npm test (used 0 times)"];
        p.expect(words, lines, expected.map(str::to_owned).to_vec())?;
    }
    Ok(())
}

fn revoke_one(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    let five = "git push, git fetch, npm test, make lint, make docs";
    p.says(&format!("Grant standing consent for: {five}"), "granted")?;
    let lines = p.says("Revoke consent for: git push", "revoked")?.join("\n");
    for left in ["git fetch", "npm test", "make lint", "make docs"] {
        p.expect_text("what remains", &lines, left)?;
    }
    p.expect_grants(4)
}

fn list_everything(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    let run = start_task(p, "implement-feature-x")?;
    p.says(GRANT, "granted")?;
    let edit = p.call("dev.edit").to("a.rs").in_run(&run).gets(p, "pending", "no_grant")?;
    p.says("yes", "answered")?;
    edit.retried_gets(p, "allowed", "granted")?.ends(p, "done")?;
    let commit = p.call("dev.commit").gets(p, "pending", "no_grant")?;
    p.answer(&commit, "session")?;
    let lines = p.says("What have I consented to?", "listed")?.join("\n");
    let expected = [
        "Session Allowlist:",
        "- git push (used 0 times)",
        "Current Workflow: \"implement-feature-x\"",
        "file-edit (granted turn 2)",
        "dev.commit",
        "- No risky operations consented",
        "To revoke: \"Revoke consent for: <command>\" or \"Revoke all consent\"",
    ];
    expected.iter().try_for_each(|line| p.expect_text("the list", &lines, line))
}

fn revoke_all(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says(GRANT, "granted")?;
    let edit = p.call("dev.edit").to("a.rs").gets(p, "pending", "no_grant")?;
    p.answer(&edit, "session")?;
    p.says("Revoke all consent", "revoked")?;
    p.expect_grants(0)?;
    shell(p, "git push")?.gets(p, "pending", "no_grant").map(drop)
}

fn report_a_grant(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.agent_reports(GRANT, "none")?;
    p.expect_grants(0)?;
    shell(p, "git push")?.gets(p, "pending", "no_grant")?;
    let cards = p.cards()?;
    p.expect("open cards", cards.len(), 2)
}

fn hand_over(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says("Grant standing consent for: git push, npm test", "granted")?;
    let from = p.session.clone();
    p.open_other_session();
    open(p)?;
    let body = json!({"from": from, "to": p.session});
    let sent = p.agent.post("/v1/hand-over", &body);
    let reply = xtask::bench::runs::Context::context(sent, "a hand-over")?;
    p.expect("questions", reply.get("questions").cloned(), Some(json!(2)))?;
    p.expect_grants(0)?;
    for card in p.cards()? {
        p.answer_card(&card, json!({"choice": "session"}))?;
    }
    shell(p, "git push")?.gets(p, "allowed", "granted").map(drop)
}

fn announce_a_use(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    p.says(GRANT, "granted")?;
    let push = shell(p, "git push")?.gets(p, "allowed", "granted")?;
    push.expect_line(p, "Using session allowlist: git push")
}

fn say_from_a_script(p: &mut Play) -> TrialResult<()> {
    open(p)?;
    let session = p.operators_name();
    p.cli(&["say", &session, GRANT], 0, "git push")?;
    p.cli(&["say", &session, "/allowlist"], 0, "- git push (used 0 times)").map(drop)
}

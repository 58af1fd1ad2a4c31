//! Workflows: starting them, what their runs carry, and how they end.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "starting a workflow asks once, and its run carries what it declares",
        start_once,
    ),
    Scenario::new("allow once starts this run only; the next start asks", start_again),
    Scenario::new(
        "a yes for the session spares the next start its question",
        start_for_the_session,
    ),
    Scenario::new("a declined workflow does not start", decline_the_start),
    Scenario::new("a high operation asks inside an approved run", ask_for_high_in_a_run),
    Scenario::new("an operation that the workflow does not declare asks", ask_for_undeclared),
    Scenario::new("a step that wants its own consent asks inside the run", ask_for_the_step),
    Scenario::new("a workflow of low operations starts without a question, and is listed", bypass),
    Scenario::new("a run that has ended carries nothing", end_the_run),
    Scenario::new("revoking a workflow ends its class grant and its runs", cascade),
    Scenario::new("after a restart a run waits for its agent, which takes it up again", reattach),
    Scenario::new("reconciling ends what nobody took up, and says what it did", reconcile),
    Scenario::new("starting again while the question is open is the same question", start_twice),
    Scenario::new("a start can be waited for until it is answered", wait_for_the_start),
    Scenario::new("declined, waiting and unknown runs differ in words and code", tell_runs_apart),
    Scenario::new("a start can be cancelled before it is answered", cancel_the_start),
    Scenario::new("the start card marks which operations will still ask", read_the_start_card),
];

/// Starts a workflow and answers its card.
pub(super) fn start(p: &mut Play, workflow: &str, choice: &str) -> TrialResult<String> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": workflow}))?;
    p.expect("the start", text(&started, "outcome"), "ask".to_owned())?;
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": choice}))?;
    Ok(text(&started, "run_id"))
}

fn run_state(p: &mut Play, run: &str) -> TrialResult<String> {
    let view = p.operator_reads(&format!("/v1/runs/{run}"))?;
    let state = text(&view, "state");
    p.tell(format!("the run is {state}"));
    Ok(state)
}

fn start_once(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "morning-routine", "once")?;
    p.call("notes.write").to("today").in_run(&run).gets(p, "allowed", "granted")?;
    p.call("tasks.toggle").to("t1").in_run(&run).gets(p, "allowed", "granted")?;
    p.call("notes.write").to("today").gets(p, "pending", "no_grant").map(drop)
}

fn start_again(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "tidy-tasks", "once")?;
    p.agent_sends(&format!("/v1/runs/{run}/end"), json!({}))?;
    let again = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    p.expect("the second start", text(&again, "outcome"), "ask".to_owned())
}

fn start_for_the_session(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "tidy-tasks", "session")?;
    p.agent_sends(&format!("/v1/runs/{run}/end"), json!({}))?;
    let again = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    p.expect("the second start", text(&again, "outcome"), "allow".to_owned())
}

fn decline_the_start(p: &mut Play) -> TrialResult<()> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "decline"}))?;
    let again = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    p.expect("the next start", text(&again, "reason"), "declined_before".to_owned())?;
    let run = text(&started, "run_id");
    p.call("tasks.create").in_run(&run).gets(p, "denied", "malformed").map(drop)
}

fn ask_for_high_in_a_run(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "morning-routine", "once")?;
    let wipe = p.call("notes.wipe").to("today").in_run(&run);
    wipe.gets(p, "pending", "too_risky_to_carry").map(drop)
}

fn ask_for_undeclared(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "morning-routine", "once")?;
    p.call("tasks.archive").to("t1").in_run(&run).gets(p, "pending", "no_grant").map(drop)
}

fn ask_for_the_step(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "careful-cleanup", "once")?;
    let write = p.call("notes.write").to("a").in_run(&run).in_step("write");
    write.gets(p, "allowed", "granted")?;
    let rename = p.call("notes.rename").to("a").in_run(&run).in_step("rename");
    rename.gets(p, "pending", "individual")?;
    p.call("notes.write").to("b").in_run(&run).gets(p, "allowed", "granted").map(drop)
}

fn bypass(p: &mut Play) -> TrialResult<()> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": "task-search"}))?;
    p.expect("the start", text(&started, "reason"), "bypassed".to_owned())?;
    let run = text(&started, "run_id");
    p.call("notes.append").in_run(&run).gets(p, "allowed", "granted")?;
    let workflows = p.operator_reads("/v1/workflows")?;
    let listed = workflows.get("workflows").and_then(Value::as_array).cloned().unwrap_or_default();
    let policy = |name: &str| {
        let found = listed.iter().find(|workflow| text(workflow, "workflow") == name);
        found.map(|workflow| text(workflow, "start")).unwrap_or_default()
    };
    let (low, moderate) = (policy("task-search"), policy("tidy-tasks"));
    p.tell(format!("task-search {low}, tidy-tasks {moderate}"));
    p.expect("how they start", (low.as_str(), moderate.as_str()), ("bypasses", "asks"))
}

fn end_the_run(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "morning-routine", "once")?;
    p.agent_sends(&format!("/v1/runs/{run}/end"), json!({}))?;
    p.call("notes.write").to("today").in_run(&run).gets(p, "pending", "expired")?;
    p.call("notes.write").to("today").gets(p, "pending", "no_grant").map(drop)
}

fn cascade(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "tidy-tasks", "session")?;
    let body = json!({"workflow": "tidy-tasks", "session": p.operators_name()});
    let revoked = p.operator_sends("/v1/revoke", &body)?;
    let grants = revoked.get("grants").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut named: Vec<(String, String)> =
        grants.iter().map(|grant| (text(grant, "workflow"), text(grant, "run"))).collect();
    named.sort();
    let expected =
        [("tidy-tasks".to_owned(), String::new()), ("tidy-tasks".to_owned(), run.clone())];
    p.expect("class and run by name", named, expected.to_vec())?;
    let state = run_state(p, &run)?;
    p.expect("the run", state, "ended".to_owned())?;
    let again = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    p.expect("the next start", text(&again, "outcome"), "ask".to_owned())
}

fn reattach(p: &mut Play) -> TrialResult<()> {
    let run = start(p, "morning-routine", "once")?;
    p.restart()?;
    let state = run_state(p, &run)?;
    p.expect("the run", state, "suspended".to_owned())?;
    p.call("notes.write").to("today").in_run(&run).gets(p, "pending", "no_grant")?;
    let taken = p.agent_sends(&format!("/v1/runs/{run}/reattach"), json!({}))?;
    p.expect("the run", text(&taken, "state"), "live".to_owned())?;
    p.call("notes.write").to("later").in_run(&run).gets(p, "allowed", "granted").map(drop)
}

fn reconcile(p: &mut Play) -> TrialResult<()> {
    let body = json!({"session": p.operators_name()});
    let unknown = p.operator_sends("/v1/workflows/reconcile", &body)?;
    p.expect("without a session", text(&unknown, "reason"), "no_session".to_owned())?;
    let run = start(p, "morning-routine", "once")?;
    let live = p.operator_sends("/v1/workflows/reconcile", &body)?;
    p.expect("with a live run", text(&live, "reason"), "active_run_present".to_owned())?;
    p.restart()?;
    let swept = p.operator_sends("/v1/workflows/reconcile", &body)?;
    p.expect("after a restart", swept, json!({"swept": true}))?;
    let state = run_state(p, &run)?;
    p.expect("the run", state, "ended".to_owned())?;
    let nothing = p.operator_sends("/v1/workflows/reconcile", &body)?;
    p.expect("again", text(&nothing, "reason"), "no_blanket".to_owned())
}

fn start_twice(p: &mut Play) -> TrialResult<()> {
    let first = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    let second = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    p.expect("the run of both starts", text(&first, "run_id"), text(&second, "run_id"))?;
    p.expect_cards(1)
}

fn wait_for_the_start(p: &mut Play) -> TrialResult<()> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    let run = text(&started, "run_id");
    let (agent, session) = (p.agent.clone(), p.session.clone());
    let path = format!("/v1/runs/{run}/wait");
    let waiting = std::thread::spawn(move || {
        agent.post(&path, &json!({"session": session, "wait_ms": 20_000}))
    });
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "once"}))?;
    let waited = waiting.join().ok().and_then(Result::ok).unwrap_or(Value::Null);
    p.tell(format!("the wait ends: {waited}"));
    p.expect("the run", text(&waited, "state"), "live".to_owned())
}

fn tell_runs_apart(p: &mut Play) -> TrialResult<()> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    let path = format!("/v1/runs/{}", text(&started, "run_id"));
    let waiting = p.agent_reads(&path)?;
    p.expect("before the answer", text(&waiting, "state"), "pending".to_owned())?;
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "decline", "note": "not on a Sunday"}))?;
    let declined = p.agent_reads(&path)?;
    p.expect("after a no", text(&declined, "state"), "declined".to_owned())?;
    p.expect("its error", text(&declined, "error"), "consent denied".to_owned())?;
    p.expect("its note", text(&declined, "note"), "not on a Sunday".to_owned())?;
    p.open_other_session();
    let path = format!("{path}?session={}", p.session);
    let unknown = p.agent.get(&path);
    p.expect_refusal("a run of another session", unknown, (404, "run"))
}

fn cancel_the_start(p: &mut Play) -> TrialResult<()> {
    let started = p.agent_sends("/v1/runs", json!({"workflow": "tidy-tasks"}))?;
    let run = text(&started, "run_id");
    p.agent_sends(&format!("/v1/runs/{run}/cancel"), json!({}))?;
    p.expect_cards(0)
}

fn read_the_start_card(p: &mut Play) -> TrialResult<()> {
    p.agent_sends("/v1/runs", json!({"workflow": "morning-routine"}))?;
    let card = p.only_card()?;
    p.expect_on_card(&card, "notes.wipe")?;
    p.expect_on_card(&card, "still ask")
}

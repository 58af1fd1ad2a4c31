//! Clicks: the operator started it, so nobody asks again.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::json;

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a click covers the actions that it declares, also several in a row", click),
    Scenario::new(
        "a click covers nothing else, and no call that the agent started",
        click_is_narrow,
    ),
    Scenario::new("a click in one session is none in another", click_elsewhere),
    Scenario::new("a workflow that a click starts does not ask", start_by_click),
    Scenario::new("an agent cannot say that the operator clicked", claim_a_click),
    Scenario::new("a click can open the session that it belongs to", click_first),
    Scenario::new("a surface closes its click, and then it covers nothing", close_a_click),
];

fn open_session(p: &mut Play) -> TrialResult<()> {
    p.call("notes.read").gets(p, "allowed", "autonomous").map(drop)
}

fn click(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create", "notes.write"])?;
    for action in ["tasks.create", "notes.write"] {
        let seen = json!({"initiator": "operator", "gesture": gesture});
        p.call(action).to("job").observed(seen).gets(p, "allowed", "gesture")?;
    }
    Ok(())
}

fn click_is_narrow(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create"])?;
    let seen = json!({"initiator": "operator", "gesture": gesture});
    p.call("notes.write").observed(seen).gets(p, "pending", "no_grant")?;
    p.call("tasks.create").gets(p, "pending", "no_grant").map(drop)
}

fn click_elsewhere(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create"])?;
    p.open_other_session();
    let seen = json!({"initiator": "operator", "gesture": gesture});
    p.call("tasks.create").observed(seen).gets(p, "pending", "no_grant").map(drop)
}

fn start_by_click(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create", "tasks.archive"])?;
    let body = json!({"workflow": "tidy-tasks", "gesture": gesture});
    let started = p.adapter_sends("/v1/runs", body)?;
    p.expect("the start", text(&started, "outcome"), "allow".to_owned())?;
    let run = text(&started, "run_id");
    p.call("tasks.create").in_run(&run).gets(p, "allowed", "granted").map(drop)
}

fn claim_a_click(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create"])?;
    let seen = json!({"initiator": "operator", "gesture": gesture});
    let body = json!({"actions": ["tasks.create"], "observed": seen});
    p.agent_is_refused("/v1/check", body, (403, "adapter"))
}

fn click_first(p: &mut Play) -> TrialResult<()> {
    let body = json!({"session": p.session, "agent": p.name, "declares": ["tasks.create"]});
    let made = p.operator_sends("/v1/gestures", &body)?;
    let seen = json!({"initiator": "operator", "gesture": text(&made, "gesture_id")});
    p.call("tasks.create").observed(seen).gets(p, "allowed", "gesture").map(drop)
}

fn close_a_click(p: &mut Play) -> TrialResult<()> {
    open_session(p)?;
    let gesture = p.make_gesture(&["tasks.create"])?;
    let body = json!({"session": p.operators_name()});
    p.operator_sends(&format!("/v1/gestures/{gesture}/close"), &body)?;
    let seen = json!({"initiator": "operator", "gesture": gesture});
    p.call("tasks.create").observed(seen).gets(p, "pending", "no_grant").map(drop)
}

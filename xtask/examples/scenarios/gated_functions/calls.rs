//! Gated calls, bundles and nested calls.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("a gated call asks, waits for the answer, and goes on", wait_for_the_answer),
    Scenario::new("a denied call comes back as denied, with the operator's words", hear_a_no),
    Scenario::new("what several declared operations lack is one card with one item each", bundle),
    Scenario::new(
        "the operator's graph says what a tool may trigger, and that is in the bundle",
        bundle_by_the_graph,
    ),
    Scenario::new("a high operation is not put into the bundle", keep_high_out_of_the_bundle),
    Scenario::new("an operation that the bundle did not list still asks", ask_beyond_the_bundle),
    Scenario::new("a consented call covers the inner call that it declared", nest),
    Scenario::new("an inner call that was not declared asks", nest_undeclared),
    Scenario::new("the third question from inside one call ends it", ask_too_often),
    Scenario::new("an agent has no way to grant, to revoke or to answer", grant_itself),
    Scenario::new(
        "a yes for the session holds in that session and in no other",
        stay_in_the_session,
    ),
    Scenario::new("the list of grants shows whether a yes has landed", verify_a_grant),
    Scenario::new("an agent lists its own live consent", list_own_consent),
    Scenario::new("a safe caller lowers the risk of what it calls, nobody else does", reduce_risk),
];

fn wait_for_the_answer(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("today").gets(p, "pending", "no_grant")?;
    let (agent, session) = (p.agent.clone(), p.session.clone());
    let path = format!("/v1/operations/{}/wait", write.operation);
    // It returns with the answer, whichever of the two comes first.
    let waiting = std::thread::spawn(move || {
        agent.post(&path, &json!({"session": session, "wait_ms": 20_000}))
    });
    p.answer(&write, "once")?;
    let waited = waiting.join().ok().and_then(Result::ok).unwrap_or(Value::Null);
    p.tell(format!("the wait ends: {waited}"));
    p.expect("the wait", text(&waited, "state"), "approved".to_owned())?;
    let again = write.retried_gets(p, "allowed", "granted")?;
    again.ends(p, "done")?;
    again.expect_state(p, "done")
}

fn hear_a_no(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("diary").gets(p, "pending", "no_grant")?;
    p.decline(&write, "the diary is mine")?;
    let again = write.retried_gets(p, "denied", "declined_before")?;
    again.expect_note(p, "the diary is mine")
}

fn bundle(p: &mut Play) -> TrialResult<()> {
    let call = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let toggle = call.gets(p, "pending", "no_grant")?;
    let card = p.only_card()?;
    let items = card.get("items").and_then(Value::as_array).map_or(0, Vec::len);
    p.expect("items of the card", items, 2)?;
    p.answer_card(&card, json!({"items": {"tasks.toggle": "once", "notes.write": "once"}}))?;
    toggle.retried_gets(p, "allowed", "granted").map(drop)
}

fn bundle_by_the_graph(p: &mut Play) -> TrialResult<()> {
    let toggle = p.tool("toggle_task", json!({"task": "t1"})).gets(p, "pending", "no_grant")?;
    let card = p.card_of(&toggle)?;
    p.expect_on_card(&card, "tasks.toggle")?;
    p.expect_on_card(&card, "notes.write")
}

fn keep_high_out_of_the_bundle(p: &mut Play) -> TrialResult<()> {
    let declares = ["notes.write", "notes.wipe"];
    p.call("tasks.toggle").to("t1").declares(&declares).gets(p, "pending", "no_grant")?;
    let cards = p.cards()?;
    let sizes: Vec<usize> = cards
        .iter()
        .map(|card| card.get("items").and_then(Value::as_array).map_or(0, Vec::len))
        .collect();
    p.tell(format!("items of the cards: {sizes:?}"));
    p.expect("items of the cards", sizes, vec![2, 1])
}

fn ask_beyond_the_bundle(p: &mut Play) -> TrialResult<()> {
    let call = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let toggle = call.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&toggle)?;
    p.answer_card(&card, json!({"items": {"tasks.toggle": "once", "notes.write": "once"}}))?;
    p.call("tasks.create").to("t2").gets(p, "pending", "no_grant").map(drop)
}

fn nest(p: &mut Play) -> TrialResult<()> {
    let call = p.call("tasks.toggle").to("t1").declares(&["notes.write"]);
    let toggle = call.gets(p, "pending", "no_grant")?;
    let card = p.card_of(&toggle)?;
    p.answer_card(&card, json!({"items": {"tasks.toggle": "once", "notes.write": "once"}}))?;
    let running = toggle.retried_gets(p, "allowed", "granted")?;
    let inner = p.call("notes.write").to("t1").observed(json!({"parent": running.operation}));
    inner.gets(p, "allowed", "nested")?;
    running.ends(p, "done")?;
    let late = p.call("notes.write").to("t1").observed(json!({"parent": running.operation}));
    late.gets(p, "pending", "no_grant").map(drop)
}

fn nest_undeclared(p: &mut Play) -> TrialResult<()> {
    let toggle = p.call("tasks.toggle").to("t1").gets(p, "pending", "no_grant")?;
    p.answer(&toggle, "once")?;
    let running = toggle.retried_gets(p, "allowed", "granted")?;
    let inner = p.call("notes.write").to("t1").observed(json!({"parent": running.operation}));
    inner.gets(p, "pending", "no_grant").map(drop)
}

fn ask_too_often(p: &mut Play) -> TrialResult<()> {
    let toggle = p.call("tasks.toggle").to("t1").gets(p, "pending", "no_grant")?;
    p.answer(&toggle, "once")?;
    let running = toggle.retried_gets(p, "allowed", "granted")?;
    for action in ["notes.write", "notes.rename"] {
        let inner = p.call(action).observed(json!({"parent": running.operation}));
        inner.gets(p, "pending", "no_grant")?;
    }
    let third = p.call("tasks.create").observed(json!({"parent": running.operation}));
    third.gets(p, "denied", "too_many_asks")?;
    running.expect_state(p, "declined")
}

fn grant_itself(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("x").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&write)?;
    let answer = format!("/v1/requests/{}/answer", text(&card, "request"));
    for path in [answer.as_str(), "/v1/grants", "/v1/revoke"] {
        let sent = p.agent.post(path, &json!({"choice": "once", "digest": text(&card, "digest")}));
        p.expect_refusal(&format!("agent {path}"), sent, (404, ""))?;
    }
    write.retried_gets(p, "pending", "no_grant").map(drop)
}

fn stay_in_the_session(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("a").gets(p, "pending", "no_grant")?;
    p.answer(&write, "session")?;
    p.call("notes.write").to("b").gets(p, "allowed", "granted")?;
    p.open_other_session();
    p.call("notes.write").to("b").gets(p, "pending", "no_grant").map(drop)
}

fn verify_a_grant(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("a").gets(p, "pending", "no_grant")?;
    p.expect_grants(0)?;
    p.answer(&write, "session")?;
    p.expect_grants(1)
}

fn list_own_consent(p: &mut Play) -> TrialResult<()> {
    let write = p.call("notes.write").to("a").gets(p, "pending", "no_grant")?;
    p.answer(&write, "session")?;
    let listed = p.agent_reads("/v1/consent")?;
    p.expect_text("the agent's own consent", &listed.to_string(), "notes.write")
}

fn reduce_risk(p: &mut Play) -> TrialResult<()> {
    p.call("notes.eval").gets(p, "pending", "no_grant")?;
    let outer = p.call("briefing.compose").gets(p, "allowed", "autonomous")?;
    let seen = json!({"parent": outer.operation, "callers": ["briefing.compose"]});
    p.call("notes.eval").to("x").observed(seen).gets(p, "allowed", "reduced").map(drop)
}

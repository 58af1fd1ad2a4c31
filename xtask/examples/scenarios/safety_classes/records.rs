//! The action ledger, and what a delivery proves.

use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("an agent records what it did, and how it knows", record),
    Scenario::new("the record keeps no secret", redact_records),
    Scenario::new("the list has the last fifty events, the newest among them", list_the_last),
    Scenario::new("an agent does not read the records of another session", read_foreign_records),
    Scenario::new("that something was spoken is no answer", deliver),
    Scenario::new("the record of a whole session can be verified and decided again", audit),
];

fn records(p: &mut Play) -> TrialResult<Vec<Value>> {
    let listed = p.agent_reads("/v1/ledger")?;
    Ok(listed.get("records").and_then(Value::as_array).cloned().unwrap_or_default())
}

fn record(p: &mut Play) -> TrialResult<()> {
    let click = p.call("screen.read_state").gets(p, "allowed", "autonomous")?;
    let body = json!({
        "operation_id": click.operation, "ground": "observed", "text": "the page was read",
    });
    p.agent_sends("/v1/ledger", body)?;
    let records = records(p)?;
    let last = records.last().cloned().unwrap_or(Value::Null);
    p.expect("how it knows", text(&last, "ground"), "observed".to_owned())?;
    p.expect("what it did", text(&last, "text"), "the page was read".to_owned())?;
    for ground in ["user-declared", "not-measured"] {
        p.agent_sends("/v1/ledger", json!({"ground": ground, "text": "as they said"}))?;
    }
    Ok(())
}

fn redact_records(p: &mut Play) -> TrialResult<()> {
    let said = "paid with 4242 4242 4242 4242 from NL91ABNA0417164300, token=hunter2xyz";
    p.agent_sends("/v1/ledger", json!({"text": said}))?;
    let kept = records(p)?.last().map(|last| text(last, "text")).unwrap_or_default();
    p.expect_text("the record", &kept, "paid with REDACTED-card-4242-")?;
    p.expect_text("the record", &kept, "from REDACTED-iban-4300-")?;
    p.expect("the token", kept.contains("hunter2xyz"), false)
}

fn list_the_last(p: &mut Play) -> TrialResult<()> {
    for number in 1..=60 {
        let body = json!({"session": p.session, "text": format!("event {number}")});
        xtask::bench::runs::Context::context(p.agent.post("/v1/ledger", &body), "a record")?;
    }
    let records = records(p)?;
    let ends = [records.first(), records.last()].map(|record| record.map(|r| text(r, "text")));
    p.expect("events", records.len(), 50)?;
    let expected = ["event 11", "event 60"].map(|event| Some(event.to_owned()));
    p.expect("the first and the last event", ends, expected)
}

fn read_foreign_records(p: &mut Play) -> TrialResult<()> {
    p.agent_sends("/v1/ledger", json!({"text": "for me"}))?;
    p.open_other_session();
    p.agent_sends("/v1/ledger", json!({"text": "for the other"}))?;
    let records = records(p)?;
    let texts: Vec<String> = records.iter().map(|record| text(record, "text")).collect();
    p.expect("the records", texts, vec!["for the other".to_owned()])
}

fn deliver(p: &mut Play) -> TrialResult<()> {
    let typing = p.call("screen.type_text").to("name").gets(p, "pending", "no_grant")?;
    let card = p.card_of(&typing)?;
    let words = [
        "voiceover_direct_requested",
        "speech_queue_entered",
        "tts_fallback_used",
        "user_heard_unverified",
    ];
    for evidence in words {
        let body = json!({
            "request": text(&card, "request"), "surface": "voice", "evidence": evidence,
        });
        p.operator_sends("/v1/deliveries", &body)?;
    }
    typing.retried_gets(p, "pending", "no_grant")?;
    p.expect_cards(1)
}

fn audit(p: &mut Play) -> TrialResult<()> {
    p.cli(&["ledger", "verify"], 0, "")?;
    p.cli(&["ledger", "replay"], 0, "").map(drop)
}

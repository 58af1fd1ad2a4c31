//! Which grant a call uses, and how grants are read and revoked.

use super::asking::{ask, question};
use crate::scenarios::TrialResult;
use crate::scenarios::play::{Play, text};
use crate::scenarios::scenario::Scenario;
use serde_json::{Value, json};

pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("reading between question and call does not use up the grant", read_in_between),
    Scenario::new("a grant of another category does not cover the call", match_the_category),
    Scenario::new("a call of two categories needs both", need_both_categories),
    Scenario::new(
        "a grant without a category covers everything, up to moderate risk",
        grant_everything,
    ),
    Scenario::new(
        "the newest grant for one call is used before the one for the session",
        prefer_the_newest,
    ),
    Scenario::new("a revoked grant covers nothing, and the next call asks", revoke),
    Scenario::new("the list of grants shows used ones too", list_used),
    Scenario::new(
        "a grant for the session does not go over to another session",
        stay_in_the_session,
    ),
    Scenario::new("the trace has the five events, joined by one id", trace),
    Scenario::new("a yes for the project survives a restart", survive_a_restart),
];

fn grant(p: &mut Play, category: &str, choice: &str) -> TrialResult<Value> {
    ask(p, question(category, "this_call"), json!({"choice": choice}))
}

fn read_in_between(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "once")?;
    p.tool("read_file", json!({"path": "a.md"})).gets(p, "allowed", "autonomous")?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted").map(drop)
}

fn match_the_category(p: &mut Play) -> TrialResult<()> {
    grant(p, "http_fetch", "session")?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "pending", "no_grant").map(drop)
}

fn need_both_categories(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "session")?;
    p.call("code.publish").to("1").gets(p, "pending", "no_grant")?;
    let card = p.only_card()?;
    p.answer_card(&card, json!({"choice": "decline"}))?;
    grant(p, "http_fetch", "session")?;
    p.call("code.publish").to("2").gets(p, "allowed", "granted").map(drop)
}

fn grant_everything(p: &mut Play) -> TrialResult<()> {
    let mut body = question("", "this_session");
    if let Some(fields) = body.as_object_mut() {
        fields.remove("category");
    }
    ask(p, body, json!({"choice": "session"}))?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted")?;
    p.call("code.fetch").gets(p, "allowed", "granted")?;
    p.call("code.push").gets(p, "pending", "too_risky_to_carry").map(drop)
}

fn prefer_the_newest(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "session")?;
    let body =
        json!({"session": p.operators_name(), "category": "filesystem_write", "scope": "once"});
    let once = p.operator_sends("/v1/grants", &body)?;
    let id = once.get("grant").map(|grant| text(grant, "id")).unwrap_or_default();
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted")?.ends(p, "done")?;
    let used = p.operator_reads(&format!("/v1/grants/{id}"))?;
    p.expect("uses of the grant for one call", used.get("uses").cloned(), Some(json!(1)))
}

fn revoke(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "session")?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted")?;
    let grants = p.grants()?;
    let id = grants.first().map(|grant| text(grant, "id")).unwrap_or_default();
    p.cli(&["revoke", &id], 0, "")?;
    p.tool("write_file", json!({"path": "b.md"})).gets(p, "pending", "no_grant").map(drop)
}

fn list_used(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "once")?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted")?.ends(p, "done")?;
    p.expect_grants(0)?;
    let session = p.operators_name().replace('/', "%2F");
    let used = p.operator_reads(&format!("/v1/grants?state=used&session={session}"))?;
    let listed = used.get("grants").and_then(Value::as_array).map_or(0, Vec::len);
    p.tell(format!("used grants: {listed}"));
    p.expect("used grants", listed, 1)
}

fn stay_in_the_session(p: &mut Play) -> TrialResult<()> {
    grant(p, "filesystem_write", "session")?;
    p.open_other_session();
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "pending", "no_grant").map(drop)
}

fn trace(p: &mut Play) -> TrialResult<()> {
    let reply = grant(p, "filesystem_write", "session")?;
    p.tool("write_file", json!({"path": "a.md"})).gets(p, "allowed", "granted")?;
    p.operator_sends("/v1/revoke", &json!({"grant": text(&reply, "grant_id")}))?;
    let no = json!({"choice": "decline"});
    ask(p, question("http_fetch", "this_call"), no)?;
    let session = p.operators_name();
    let printed =
        p.cli(&["inspect", "--trace", "--session", &session], 0, "permission_requested")?;
    for event in ["granted", "denied", "grant_consumed", "revoked"] {
        p.expect_text("the trace", &printed, &format!("permission_{event}"))?;
    }
    Ok(())
}

fn survive_a_restart(p: &mut Play) -> TrialResult<()> {
    let folder = p.workspace()?.display().to_string();
    p.call("code.read").in_project(&folder).gets(p, "allowed", "autonomous")?;
    ask(p, question("filesystem_write", "persistent"), json!({"choice": "project"}))?;
    p.restart()?;
    p.open_other_session();
    let write = p.tool("write_file", json!({"path": format!("{folder}/a.md")}));
    write.in_project(&folder).gets(p, "allowed", "granted").map(drop)
}

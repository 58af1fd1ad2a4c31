//! What is granted, as lines; and taking it back.

use countersign_client::{Client, ClientError};
use countersign_core::command::rendered;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// All that is in force, and the last of what was used up.
fn all(client: &Client) -> Result<Vec<Value>, ClientError> {
    let listed =
        |page: &Value| page.get("grants").and_then(Value::as_array).cloned().unwrap_or_default();
    let (mut found, mut before) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/v1/grants?state=in_force&limit=500{before}"))?;
        found.extend(listed(&page));
        match page.get("next").and_then(Value::as_str) {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    found.extend(listed(&client.get("/v1/grants?state=used&limit=20")?));
    Ok(found)
}

fn in_force(grant: &Value) -> bool {
    grant.get("in_force").and_then(Value::as_bool).unwrap_or(false)
}

fn uses(grant: &Value) -> u64 {
    grant.get("uses").and_then(Value::as_u64).unwrap_or(0)
}

fn times(grant: &Value) -> String {
    match uses(grant) {
        1 => "1 time".to_owned(),
        many => format!("{many} times"),
    }
}

/// What is in force, and what was used up: one line each.
pub(super) fn grants(client: &Client) -> Result<Vec<String>, ClientError> {
    let shown = |grant: &&Value| in_force(grant) || uses(grant) > 0;
    let line = |grant: &Value| {
        let state = if in_force(grant) { "" } else { ", over" };
        format!(
            "{}: {} for {}, {}, used {}{state}",
            short(text(grant, "id")),
            text(grant, "covers"),
            text(grant, "agent"),
            text(grant, "scope"),
            times(grant),
        )
    };
    let lines: Vec<String> = all(client)?.iter().filter(shown).map(line).collect();
    Ok(if lines.is_empty() { vec!["nothing is granted".to_owned()] } else { lines })
}

/// The commands that the operator named, in the form that people of the earlier system know.
pub(super) fn allowlist(
    client: &Client,
    session: Option<&str>,
) -> Result<Vec<String>, ClientError> {
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for grant in all(client)?.iter().filter(|grant| in_force(grant)) {
        let made_in = text(grant, "made_in");
        let argv = grant.pointer("/coverage/command/argv").and_then(Value::as_array);
        let (Some(argv), "standing") = (argv, text(grant, "source")) else { continue };
        if session.is_some_and(|session| session != made_in) {
            continue;
        }
        let argv: Vec<String> = argv.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let line = format!("- {} (used {})", rendered(&argv), times(grant));
        sessions.entry(made_in.to_owned()).or_default().push(line);
    }
    let mut lines = Vec::new();
    for (name, commands) in &sessions {
        lines.push(match sessions.len() {
            1 => "Session Allowlist:".to_owned(),
            _ => format!("Session Allowlist, {name}:"),
        });
        lines.extend(commands.iter().cloned());
    }
    if lines.is_empty() {
        lines = vec!["Session Allowlist:".to_owned(), "- (empty)".to_owned()];
    }
    Ok(lines)
}

pub(super) fn revoke(client: &Client, named: &str) -> Result<Vec<String>, ClientError> {
    let body = if named == "all" {
        json!({"all": true})
    } else {
        let grants = all(client)?;
        let fits = |grant: &&Value| {
            let id = text(grant, "id");
            id == named || (named.len() >= 4 && (id.ends_with(named) || id.starts_with(named)))
        };
        let found: Vec<&Value> = grants.iter().filter(fits).collect();
        match found.as_slice() {
            [one] => json!({"grant": text(one, "id")}),
            [] => return Ok(vec![format!("no grant is called {named}; /grants lists them")]),
            _ => return Ok(vec![format!("several grants are called {named}; type more of it")]),
        }
    };
    let said = client.post("/v1/revoke", &body)?;
    let reached = said.get("revoked").and_then(Value::as_array).map_or(0, Vec::len);
    Ok(vec![match reached {
        0 => "nothing was in force that this reaches".to_owned(),
        1 => "1 grant was revoked".to_owned(),
        many => format!("{many} grants were revoked"),
    }])
}

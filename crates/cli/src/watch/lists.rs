//! What is granted, as lines; and taking it back.

use crate::failure::Failure;
use crate::ids::short;
use crate::operate::{covers, encoded, meant_id, pages, text};
use countersign_client::Client;
use countersign_core::model::command::rendered;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// More than this nobody reads line by line.
const LISTED: u64 = 100;
/// Of what was used up, so many are listed beside what is in force.
const USED: u64 = 20;

fn times(grant: &Value) -> String {
    match grant.get("uses").and_then(Value::as_u64).unwrap_or(0) {
        1 => "1 time".to_owned(),
        many => format!("{many} times"),
    }
}

/// What is in force, and what was used up: one line each.
pub(super) fn grants(client: &Client) -> Result<Vec<String>, Failure> {
    let (in_force, more) = pages(client, "state=in_force", LISTED)?;
    let (used, _) = pages(client, "state=used", USED)?;
    let line = |grant: &Value, state: &str| {
        let why = match text(grant, "/reason") {
            "" => String::new(),
            why => format!(", because the agent says {why}"),
        };
        format!(
            "{}: {} for {}, {}, given {}, used {}{state}{why}",
            short(text(grant, "/id")),
            covers(grant),
            text(grant, "/agent"),
            text(grant, "/scope"),
            text(grant, "/granted_at"),
            times(grant),
        )
    };
    let mut lines: Vec<String> = in_force.iter().map(|grant| line(grant, "")).collect();
    lines.extend(used.iter().map(|grant| line(grant, ", over")));
    if lines.is_empty() {
        lines.push("nothing is granted".to_owned());
    }
    if more {
        lines.push("there are more: `countersign grants` lists them".to_owned());
    }
    Ok(lines)
}

/// The commands that the operator named, in the form that people of the earlier system know.
pub(super) fn allowlist(client: &Client, session: Option<&str>) -> Result<Vec<String>, Failure> {
    let of = session.map(|name| format!("&session={}", encoded(name))).unwrap_or_default();
    let (grants, _) = pages(client, &format!("state=in_force{of}"), LISTED)?;
    let mut sessions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for grant in &grants {
        let argv = grant.pointer("/coverage/command/argv").and_then(Value::as_array);
        let (Some(argv), "standing") = (argv, text(grant, "/source")) else { continue };
        let argv: Vec<String> = argv.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let line = format!("- {} (used {})", rendered(&argv), times(grant));
        sessions.entry(text(grant, "/made_in")).or_default().push(line);
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

pub(super) fn revoke(client: &Client, named: &str) -> Result<Vec<String>, Failure> {
    let body = match named {
        "all" => json!({"all": true}),
        id => json!({"grant": meant_id(client, "grant", id)?}),
    };
    let said = client.post("/v1/revoke", &body)?;
    let reached = said.get("revoked").and_then(Value::as_array).map_or(0, Vec::len);
    Ok(vec![match reached {
        0 => "nothing was in force that this reaches".to_owned(),
        1 => "1 grant was revoked".to_owned(),
        many => format!("{many} grants were revoked"),
    }])
}

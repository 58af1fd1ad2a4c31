//! The slash commands `/grants`, `/allowlist` and `/revoke`.

use crate::limits::MAX_LISTED_GRANTS;
use crate::operate::{describe_coverage, describe_revocation, find_grant, is_program, list_grants};
use countersign_api::{GrantFilter, GrantView, GrantsQuery, RevokeRequest};
use countersign_client::OperatorClient;
use countersign_console::{Failure, screen, short_id};
use countersign_core::model::command::render_argv;
use countersign_core::model::grant::{Coverage, Source};
use countersign_core::model::names::SessionName;
use serde_json::json;
use std::collections::BTreeMap;

fn count_uses(grant: &GrantView) -> String {
    match grant.uses {
        1 => "1 time".to_owned(),
        count => format!("{count} times"),
    }
}

/// Grants in force, one line each.
pub(super) fn grants(client: &OperatorClient) -> Result<Vec<String>, Failure> {
    let query = |state| GrantsQuery { state, ..GrantsQuery::default() };
    let in_force = list_grants(client, query(GrantFilter::InForce), MAX_LISTED_GRANTS)?;
    let (programs, others): (Vec<&GrantView>, Vec<&GrantView>) =
        in_force.grants.iter().partition(|grant| is_program(grant));
    let mut lines: Vec<String> = others.into_iter().map(grant_line).collect();
    lines.extend(programs.into_iter().map(program_line));
    if lines.is_empty() {
        lines.push("there are no grants".to_owned());
    }
    if in_force.more {
        lines.push("there are more grants: `countersign grants` lists them".to_owned());
    }
    Ok(lines)
}

fn grant_line(grant: &GrantView) -> String {
    let reason = grant.reason.as_ref();
    let why = reason.map(|why| format!(", because the agent says {}", json!(why)));
    let asked = grant.asked.as_ref().map(|asked| format!(", to {}", json!(asked)));
    format!(
        "{}: {} for {}, {}, granted {}, used {}{}{}",
        short_id(&grant.id.to_string()),
        describe_coverage(grant),
        grant.agent,
        grant.scope,
        screen::display_time(grant.granted_at.0),
        count_uses(grant),
        asked.unwrap_or_default(),
        why.unwrap_or_default(),
    )
}

fn program_line(grant: &GrantView) -> String {
    let (id, covers) = (short_id(&grant.id.to_string()).to_owned(), &grant.covers);
    format!("{id}: pinned {covers} for {}, {}", grant.agent, grant.scope)
}

/// The commands that the operator named, in the form that the earlier system printed.
pub(super) fn allowlist(
    client: &OperatorClient,
    session: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let session = session.map(SessionName::parse).transpose();
    let session = session.map_err(|error| Failure::usage(error.to_string(), "name a session"))?;
    let query = GrantsQuery { session, ..GrantsQuery::default() };
    let list = list_grants(client, query, MAX_LISTED_GRANTS)?;
    let mut sessions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for grant in &list.grants {
        let (Coverage::Command { argv, .. }, Source::Standing) = (&grant.coverage, grant.source)
        else {
            continue;
        };
        let line = format!("- {} (used {})", render_argv(argv), count_uses(grant));
        sessions.entry(grant.session.as_str()).or_default().push(line);
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

pub(super) fn revoke(client: &OperatorClient, named: &str) -> Result<Vec<String>, Failure> {
    let request = match named {
        "all" => RevokeRequest::for_all(),
        id => RevokeRequest::for_grant(find_grant(client, id)?),
    };
    Ok(describe_revocation(&client.revoke(&request)?))
}

/// Revokes what the answer to this request allowed. What has run is not undone.
pub(super) fn revoke_answer(
    client: &OperatorClient,
    request: &str,
) -> Result<Vec<String>, Failure> {
    let query = GrantsQuery { state: GrantFilter::InForce, ..GrantsQuery::default() };
    let minted = list_grants(client, query, MAX_LISTED_GRANTS)?.grants.into_iter();
    let minted = minted.filter(|grant| grant.request.is_some_and(|id| id.to_string() == request));
    let mut covered = Vec::new();
    for grant in minted {
        client.revoke(&RevokeRequest::for_grant(grant.id))?;
        covered.push(describe_coverage(&grant));
    }
    let id = short_id(request);
    Ok(vec![match covered.is_empty() {
        true => format!("{id}: nothing that your answer allowed is still in force"),
        false => {
            format!("{id}: no longer allowed: {}. What has run stays done", covered.join(", "))
        }
    }])
}

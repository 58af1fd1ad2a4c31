//! The second screen: which agents work, and what they are allowed now.

use crate::limits::MAX_LISTED_GRANTS;
use crate::operate::{describe_coverage, is_program, list_grants};
use countersign_api::{GrantFilter, GrantView, GrantsQuery, SessionView, StatusResponse};
use countersign_client::OperatorClient;
use countersign_console::{Failure, screen, short_id};
use countersign_terminal::PanelLine;

pub(super) fn describe_overview(client: &OperatorClient) -> Result<Vec<PanelLine>, Failure> {
    let status = client.status()?;
    let sessions = client.list_sessions()?.sessions;
    let query = GrantsQuery { state: GrantFilter::InForce, ..GrantsQuery::default() };
    let grants = list_grants(client, query, MAX_LISTED_GRANTS)?;
    let mut lines = describe_problems(&status);
    add_section(
        &mut lines,
        "Agents at work",
        "no agent is at work",
        sessions.iter().map(describe_session),
    );
    let (programs, others): (Vec<&GrantView>, Vec<&GrantView>) =
        grants.grants.iter().partition(|grant| is_program(grant));
    let nothing = "nothing; the graph decides alone";
    add_section(&mut lines, "Allowed by you", nothing, others.into_iter().map(describe_grant));
    if !programs.is_empty() {
        add_section(
            &mut lines,
            "Programs that you have seen",
            "",
            programs.into_iter().map(describe_grant),
        );
    }
    if grants.more {
        lines.push(PanelLine::Text("there are more: `countersign grants` lists them".to_owned()));
    }
    lines.push(PanelLine::Text(String::new()));
    lines.push(PanelLine::Text(
        "/revoke ID takes one back, /revoke all takes back all; type it beside the card".to_owned(),
    ));
    Ok(lines)
}

fn add_section(
    lines: &mut Vec<PanelLine>,
    title: &str,
    nothing: &str,
    rows: impl Iterator<Item = String>,
) {
    if !lines.is_empty() {
        lines.push(PanelLine::Text(String::new()));
    }
    lines.push(PanelLine::Heading(title.to_owned()));
    let start = lines.len();
    lines.extend(rows.map(|row| PanelLine::Text(format!("  {row}"))));
    if lines.len() == start {
        lines.push(PanelLine::Text(format!("  {nothing}")));
    }
}

/// What is wrong, and who is paused.
fn describe_problems(status: &StatusResponse) -> Vec<PanelLine> {
    let mut lines = Vec::new();
    if status.graph.is_none() {
        lines.push(PanelLine::Heading("No graph is loaded, so nothing is allowed".to_owned()));
    }
    for problem in &status.problems {
        lines.push(PanelLine::Heading(format!("Problem ({}): {}", problem.about, problem.text)));
    }
    for agent in &status.paused {
        let who = if agent.is_everyone() { "all agents" } else { agent.as_str() };
        lines.push(PanelLine::Heading(format!("Paused: {who}; /resume {agent} ends it")));
    }
    lines
}

fn describe_session(session: &SessionView) -> String {
    let SessionView { agent, session: name, project, active_at, .. } = session;
    let project = project.as_ref().map(|project| format!(" in {project}")).unwrap_or_default();
    format!("{agent}{project}, last call {}, session {name}", screen::display_time(active_at.0))
}

fn describe_grant(grant: &GrantView) -> String {
    let end = match (grant.ends_at, grant.review_at) {
        (Some(end), _) => screen::display_end(end.0),
        (None, Some(review)) => format!("to be reviewed {}", screen::display_time(review.0)),
        (None, None) => grant.scope.to_string(),
    };
    let uses = match grant.uses {
        0 => "not used yet".to_owned(),
        1 => "used once".to_owned(),
        count => format!("used {count} times"),
    };
    let id = short_id(&grant.id.to_string()).to_owned();
    format!("{id}  {} for {}, {end}, {uses}", describe_coverage(grant), grant.agent)
}

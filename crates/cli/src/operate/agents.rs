//! `agent add`, `agent ls`, `agent revoke`: who holds a token.

use crate::args::{AgentAddArgs, AgentCommand, AgentLsArgs, AgentRevokeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::table::{self, TableCell};
use countersign_api::{AddAgentRequest, AgentView, AgentsResponse};

pub(crate) fn agent(command: &AgentCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        AgentCommand::Add(args) => add(args, settings),
        AgentCommand::Ls(args) => ls(args, settings),
        AgentCommand::Revoke(args) => revoke(args, settings),
    }
}

/// Only the token goes to stdout, so that a script can read it from there.
fn add(args: &AgentAddArgs, settings: &Settings) -> Result<Exit, Failure> {
    let request = AddAgentRequest { agent: args.agent.clone(), adapter: args.adapter };
    let added = args.daemon.operator(settings)?.add_agent(&request)?;
    if args.daemon.json {
        out::show_json(&added)?;
        return Ok(Exit::Allowed);
    }
    out::show(&Page::from_line(&added.token))?;
    let mut page = Page::new();
    let whose = if args.adapter { "the adapter of " } else { "" };
    page.text("this is the token of ").text(whose).styled(BOLD, args.agent.as_str());
    page.text("; it is not shown again").end();
    out::eprint(&page);
    Ok(Exit::Allowed)
}

fn ls(args: &AgentLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let agents = args.daemon.operator(settings)?.list_agents()?;
    if args.daemon.json {
        out::show_json(&AgentsResponse { agents })?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    if agents.is_empty() {
        page.text("nobody holds a token; `countersign agent add NAME` gives one").end();
    } else {
        let rows: Vec<Vec<TableCell>> = agents.iter().map(row).collect();
        table::draw(&mut page, &["AGENT", "AS", "SINCE"], &rows);
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn row(agent: &AgentView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, agent.agent.as_str()),
        TableCell::new(agent.principal.word()),
        TableCell::new(agent.issued_at.to_string()),
    ]
}

fn revoke(args: &AgentRevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let Some(agent) = &args.agent else { return renew(args, settings) };
    let response = args.daemon.operator(settings)?.revoke_agent(agent)?;
    if args.daemon.json {
        out::show_json(&response)?;
        return Ok(Exit::Allowed);
    }
    let what = if response.revoked.len() == 1 { "its token is" } else { "its tokens are" };
    let mut page = Page::new();
    page.styled(BOLD, agent.as_str()).text(&format!(": {what} worth nothing now")).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

fn renew(args: &AgentRevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let renewed = args.daemon.operator(settings)?.renew_operator_token()?;
    if args.daemon.json {
        out::show_json(&renewed)?;
        return Ok(Exit::Allowed);
    }
    let mut page = Page::new();
    page.text("your old token is worth nothing now; the new one is in ");
    page.text(&renewed.file).end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

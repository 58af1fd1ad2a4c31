//! `agent add`, `agent ls`, `agent revoke`: the tokens of agents.

use crate::args::{AgentAddArgs, AgentCommand, AgentLsArgs, AgentRevokeArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::screen;
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
    let holder = if args.adapter { "the adapter of " } else { "" };
    page.text("this is the token of ").text(holder).styled(BOLD, args.agent.as_str());
    page.text("; it is not shown again").end();
    out::eprint(&page);
    Ok(Exit::Allowed)
}

fn ls(args: &AgentLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let agents = args.daemon.operator(settings)?.list_agents()?;
    let response = AgentsResponse { agents };
    args.daemon.print(&response, || agents_page(&response.agents))
}

fn agents_page(agents: &[AgentView]) -> Page {
    let mut page = Page::new();
    if agents.is_empty() {
        page.text("no agent has a token; `countersign agent add NAME` creates one").end();
    } else {
        let rows: Vec<Vec<TableCell>> = agents.iter().map(agent_row).collect();
        table::draw(&mut page, &["AGENT", "PRINCIPAL", "ISSUED"], &rows);
    }
    page
}

fn agent_row(agent: &AgentView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, agent.agent.as_str()),
        TableCell::new(agent.principal.word()),
        TableCell::new(screen::display_time(agent.issued_at.0)),
    ]
}

fn revoke(args: &AgentRevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let Some(agent) = &args.agent else { return renew_operator_token(args, settings) };
    let response = args.daemon.operator(settings)?.revoke_agent(agent)?;
    args.daemon.print(&response, || {
        let mut page = Page::new();
        let tokens = if response.revoked.len() == 1 {
            "its token no longer works"
        } else {
            "its tokens no longer work"
        };
        page.styled(BOLD, agent.as_str()).text(": ").text(tokens).end();
        page
    })
}

fn renew_operator_token(args: &AgentRevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let renewed = args.daemon.operator(settings)?.renew_operator_token()?;
    args.daemon.print(&renewed, || {
        Page::from_line(&format!(
            "your old token no longer works; the new one is in {}",
            renewed.file
        ))
    })
}

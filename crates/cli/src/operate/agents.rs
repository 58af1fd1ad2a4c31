//! `agent add`, `agent ls`, `agent revoke`: the tokens of agents.

use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use countersign_api::{AddAgentRequest, AgentView, AgentsResponse};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, out, screen};
use countersign_core::model::names::Agent;

#[derive(Subcommand)]
pub(crate) enum AgentCommand {
    /// Create a token for an agent, and print it once
    #[command(before_help = ADD_EXAMPLES)]
    Add(AgentAddArgs),
    /// List the agents that have a token
    #[command(before_help = "Examples:\n  countersign agent ls\n  countersign agent ls --json")]
    Ls(AgentLsArgs),
    /// Revoke the tokens of an agent, or renew your own
    #[command(before_help = REVOKE_EXAMPLES)]
    Revoke(AgentRevokeArgs),
}

impl AgentCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign agent add claude
  countersign agent ls
  countersign agent revoke claude";
}

const ADD_EXAMPLES: &str = "\
Examples:
  countersign agent add claude
  TOKEN=$(countersign agent add claude)
  countersign agent add claude --adapter    for the adapter, which the agent cannot control

Agents that use the port send it as `Authorization: Bearer TOKEN`. Only its hash is stored. To
replace a lost token, revoke it and add the agent again.";

const REVOKE_EXAMPLES: &str = "\
Examples:
  countersign agent revoke claude
  countersign agent revoke --operator    the new one is in the daemon's folder";

#[derive(Args)]
pub(crate) struct AgentAddArgs {
    /// The name of the agent, in calls, on cards and in the ledger
    #[arg(value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// For the adapter that reports your turns and its observations
    #[arg(long)]
    pub(crate) adapter: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct AgentLsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct AgentRevokeArgs {
    /// The full name of the agent
    #[arg(value_parser = |text: &str| Agent::parse(text), required_unless_present = "operator")]
    pub(crate) agent: Option<Agent>,
    /// Replace the operator's own token
    #[arg(long, conflicts_with = "agent")]
    pub(crate) operator: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

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
        TableCell::new(
            agent
                .issued_at
                .map_or_else(|| "on another node".to_owned(), |at| screen::display_time(at.0)),
        ),
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

//! `agent add`, `agent ls`, `agent revoke`: the tokens of agents.

use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::settings::Settings;
use clap::{Args, Subcommand};
use countersign_api::{AddAgentRequest, AgentView, AgentsResponse, ApplicationRequest};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, out, screen};
use countersign_core::model::application::ActionPattern;
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
  countersign agent add shop --application --actions 'tasks.*,email.send' --gestures tasks.create

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
    /// For a program that gates its own functions; it is bound to the actions that you name
    #[arg(long, requires = "actions", conflicts_with = "adapter")]
    pub(crate) application: bool,
    /// The application's actions, separated by commas; `tasks.*` are all of a domain
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',', requires = "application")]
    #[arg(value_parser = |text: &str| ActionPattern::parse(text))]
    pub(crate) actions: Vec<ActionPattern>,
    /// Those of them that a click in the application may start without a question; never critical ones
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',', requires = "application")]
    #[arg(value_parser = |text: &str| ActionPattern::parse(text))]
    pub(crate) gestures: Vec<ActionPattern>,
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
    let application = args.application.then(|| requested_rights(args)).transpose()?;
    let request = AddAgentRequest { agent: args.agent.clone(), adapter: args.adapter, application };
    let added = args.daemon.operator(settings)?.add_agent(&request)?;
    if args.daemon.json {
        out::show_json(&added)?;
        return Ok(Exit::Allowed);
    }
    out::show(&Page::from_line(&added.token))?;
    let mut page = Page::new();
    let holder = match (args.adapter, args.application) {
        (true, _) => "the adapter of ",
        (false, true) => "the application ",
        (false, false) => "",
    };
    page.text("this is the token of ").text(holder).styled(BOLD, args.agent.as_str());
    page.text("; it is not shown again").end();
    out::eprint(&page);
    Ok(Exit::Allowed)
}

fn requested_rights(args: &AgentAddArgs) -> Result<ApplicationRequest, Failure> {
    Ok(ApplicationRequest {
        actions: fit_bounds("list of actions", args.actions.clone())?,
        gestures: fit_bounds("list of gestures", args.gestures.clone())?,
    })
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
        TableCell::new(describe_principal(agent)),
        TableCell::new(
            agent
                .issued_at
                .map_or_else(|| "on another node".to_owned(), |at| screen::display_time(at.0)),
        ),
    ]
}

/// With the actions that an application is bound to.
fn describe_principal(agent: &AgentView) -> String {
    let principal = agent.principal.word();
    match &agent.application {
        None => principal.to_owned(),
        Some(rights) => format!("{principal}: {}", rights.describe_actions()),
    }
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

//! `pause` and `resume`: whether an agent may act at all. `resume` also ends the stops of its sessions.

use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::Args;
use countersign_console::{BOLD, Exit, Failure, Page};
use countersign_core::model::names::Agent;
use serde::Serialize;

#[derive(Args)]
#[command(before_help = "\
Examples:
  countersign pause coder
  countersign pause --all       every agent, also one that comes later
  countersign resume coder      also ends the stops of its sessions
  countersign resume --all")]
pub(crate) struct PauseArgs {
    /// The agent
    #[arg(value_parser = |text: &str| Agent::parse(text), required_unless_present = "all")]
    pub(crate) agent: Option<Agent>,
    /// All agents
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn pause(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.pause(&paused_agent(args)?)?;
    let (one, all) = (
        "is paused: Countersign denies its calls until you resume it",
        "are paused: Countersign denies their calls until you run `countersign resume --all`",
    );
    print_agent(args, &response, if args.all { all } else { one })
}

pub(crate) fn resume(args: &PauseArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.operator(settings)?.resume(&paused_agent(args)?)?;
    print_agent(args, &response, if args.all { "are resumed" } else { "is resumed" })
}

fn paused_agent(args: &PauseArgs) -> Result<Agent, Failure> {
    match &args.agent {
        Some(agent) => Ok(agent.clone()),
        None => Agent::parse(Agent::EVERYONE)
            .map_err(|error| Failure::new(error.to_string(), "report this as a bug")),
    }
}

fn print_agent(args: &PauseArgs, response: &impl Serialize, state: &str) -> Result<Exit, Failure> {
    let who = args.agent.as_ref().map_or("all agents", |agent| agent.as_str());
    args.daemon.print(response, || {
        let mut page = Page::new();
        page.styled(BOLD, who).text(" ").text(state).end();
        page
    })
}

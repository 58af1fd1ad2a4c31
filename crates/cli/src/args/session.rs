//! The command line of `countersign session`.

use super::DaemonOption;
use clap::{Args, Subcommand};
use countersign_core::model::names::SessionName;

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign session ls              list the open sessions
  countersign session end shop        end the session `shop`
  countersign session end codex/shop  end it if several agents have one of that name
  countersign session end shop --as-agent   as its agent, over the agents' socket

What an agent ends sheds nothing: a stop, a dry run, declines and recorded destinations hold in the
sessions that it opens in the next 24 hours.";

#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// List the open sessions, the one used last first
    #[command(before_help = EXAMPLES)]
    Ls(SessionLsArgs),
    /// End a session, with its grants, questions, runs and waiting calls
    #[command(before_help = EXAMPLES)]
    End(SessionEndArgs),
}

#[derive(Args)]
pub(crate) struct SessionLsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct SessionEndArgs {
    /// The session, as NAME or AGENT/NAME
    #[arg(value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// End an own session over the agents' socket, as its agent or its adapter
    #[arg(long)]
    pub(crate) as_agent: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

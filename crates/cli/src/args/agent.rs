//! The command line of `countersign agent`.

use super::DaemonOption;
use clap::{Args, Subcommand};
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

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign agent add claude
  countersign agent ls
  countersign agent revoke claude";

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

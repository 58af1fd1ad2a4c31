//! The command line of `countersign agent`: who holds a token.

use super::{DaemonOption, HELP_TEMPLATE};
use clap::{Args, Subcommand};
use countersign_core::model::names::Agent;

#[derive(Subcommand)]
pub(crate) enum AgentCommand {
    /// Give an agent a token, which is shown once
    #[command(help_template = HELP_TEMPLATE, before_help = ADD)]
    Add(AgentAddArgs),
    /// List who holds a token
    #[command(help_template = HELP_TEMPLATE, before_help = "Examples:\n  countersign agent ls\n  countersign agent ls --json")]
    Ls(AgentLsArgs),
    /// Take an agent's tokens back, at once, or renew your own
    #[command(help_template = HELP_TEMPLATE, before_help = REVOKE)]
    Revoke(AgentRevokeArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign agent add claude
  countersign agent ls
  countersign agent revoke claude";

const ADD: &str = "\
Examples:
  countersign agent add claude
  TOKEN=$(countersign agent add claude)
  countersign agent add claude --adapter    for what reports your words, out of the agent's reach

Agents on the port send it as `Authorization: Bearer TOKEN`. It is kept as a hash: whoever loses it
gets another after `agent revoke`.";

const REVOKE: &str = "\
Examples:
  countersign agent revoke claude
  countersign agent revoke --operator    another token of your own lies in the daemon's folder then";

#[derive(Args)]
pub(crate) struct AgentAddArgs {
    /// What the agent is called, in calls, on cards and in the record
    #[arg(value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// For the adapter that reports what you said and what it observed
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
    /// The agent, by its whole name
    #[arg(value_parser = |text: &str| Agent::parse(text), required_unless_present = "operator")]
    pub(crate) agent: Option<Agent>,
    /// The operator's own token: another takes its place
    #[arg(long, conflicts_with = "agent")]
    pub(crate) operator: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

//! The command line of `countersign notices`.

use super::DaemonOption;
use clap::{Args, Subcommand};

#[derive(Args)]
#[command(
    about = "List notices and alerts, and mark them as read",
    args_conflicts_with_subcommands = true,
    before_help = "\
Examples:
  countersign notices
  countersign notices ack n7f2a1c
  countersign notices ack --all"
)]
pub(crate) struct NoticesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<NoticesCommand>,
    #[command(flatten)]
    pub(crate) ls: NoticesLsArgs,
}

#[derive(Subcommand)]
pub(crate) enum NoticesCommand {
    /// List the open notices and alerts, with their times
    #[command(before_help = "Examples:\n  countersign notices ls\n  countersign notices ls --json")]
    Ls(NoticesLsArgs),
    /// Mark notices as read
    #[command(
        before_help = "Examples:\n  countersign notices ack n7f2a1c\n  countersign notices ack --all"
    )]
    Ack(NoticesAckArgs),
}

#[derive(Args)]
pub(crate) struct NoticesLsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct NoticesAckArgs {
    /// The ids of the notices, or their beginnings
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub(crate) ids: Vec<String>,
    /// All open notices
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

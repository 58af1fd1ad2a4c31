//! The command line of `countersign proposals`.

use crate::daemon_option::DaemonOption;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign proposals                  list them, the newest first
  countersign proposals show p3e22a1     the whole change and its undo plan
  countersign proposals veto p3e22a1
  countersign proposals apply p3e22a1    after you approved it and it has cooled
  countersign proposals undo p3e22a1

A proposal is a change that an agent wants to make to itself. `countersign approve` answers it. It
can be applied when its cooling time is over, and undone once until its undo window closes.";

#[derive(Args)]
#[command(about = "List, show, apply, veto and undo the changes that agents propose to themselves")]
#[command(before_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ProposalsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProposalsCommand>,
    #[command(flatten)]
    pub(crate) ls: ProposalsLsArgs,
}

impl ProposalsArgs {
    /// Whether it prints text for a reader, which can be long.
    pub(crate) fn lists_or_shows(&self) -> bool {
        match &self.command {
            None => !self.ls.daemon.json,
            Some(ProposalsCommand::Ls(args)) => !args.daemon.json,
            Some(ProposalsCommand::Show(args)) => !args.daemon.json,
            Some(
                ProposalsCommand::Apply(_) | ProposalsCommand::Veto(_) | ProposalsCommand::Undo(_),
            ) => false,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum ProposalsCommand {
    /// List the proposals, the newest first
    #[command(
        before_help = "Examples:\n  countersign proposals ls\n  countersign proposals ls --all"
    )]
    Ls(ProposalsLsArgs),
    /// Show one proposal with its whole change and its undo plan
    #[command(before_help = "Examples:\n  countersign proposals show p3e22a1")]
    Show(ProposalArgs),
    /// Apply an approved proposal that has cooled
    #[command(before_help = "Examples:\n  countersign proposals apply p3e22a1")]
    Apply(ProposalArgs),
    /// Veto a proposal that is not applied yet, approved or not
    #[command(before_help = "Examples:\n  countersign proposals veto p3e22a1")]
    Veto(ProposalArgs),
    /// Undo an applied proposal, once and within its undo window
    #[command(before_help = "Examples:\n  countersign proposals undo p3e22a1")]
    Undo(ProposalArgs),
}

#[derive(Args)]
pub(crate) struct ProposalsLsArgs {
    /// Also those that are declined, vetoed, expired or undone
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct ProposalArgs {
    /// The id of the proposal, or its beginning or end
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

//! The command line of `countersign init`.

use crate::installed::AgentOption;
use crate::starter::CodingPreset;
use clap::Args;

#[derive(Args)]
#[command(
    about = "Guard the coding agents on this machine: put our hooks into their settings",
    before_help = "\
Examples:
  countersign init                     show what would change, ask, and do it
  countersign init --dry-run           only show it
  countersign init --agents claude     only for Claude Code
  countersign init --yes               take the defaults, without a question

It finds Claude Code and Codex, and shows each file that it would change. Comments, other hooks and
the order stay as they are; the first version is kept, and `countersign uninstall` restores it.
Without a graph of yours it writes one, with the preset that you choose.",
    after_help = "\
Exit codes: 0 if everything is done; 1 if a program could not be guarded; 2 without a terminal and
without `--yes`; 6 if you said no."
)]
pub struct InitArgs {
    #[command(flatten)]
    pub(crate) agents: AgentOption,
    /// How often you are asked: careful, balanced or trusting
    #[arg(long, value_name = "NAME", value_parser = CodingPreset::parse)]
    pub(crate) preset: Option<CodingPreset>,
    /// Read your transcripts of the last 30 days, and count what each preset would have asked
    #[arg(long)]
    pub(crate) read_transcripts: bool,
    /// Put the rules that the programs have of their own into a new graph
    #[arg(long)]
    pub(crate) import_rules: bool,
    /// Run the daemon as a service of your user
    #[arg(long, conflicts_with = "no_service")]
    pub(crate) service: bool,
    /// Do not ask about a service
    #[arg(long)]
    pub(crate) no_service: bool,
    /// Show every line of a change, not only the first of many that are alike
    #[arg(long)]
    pub(crate) full: bool,
    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask: all programs that are found, the preset balanced, and nothing else
    #[arg(long)]
    pub(crate) yes: bool,
}

impl InitArgs {
    /// Whether the preset of a new graph is still open.
    pub(crate) const fn asks_for_preset(&self) -> bool {
        self.preset.is_none() && !self.yes && !self.read_transcripts
    }
}

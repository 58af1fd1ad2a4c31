//! The command line of `countersign why`.

use super::HELP_TEMPLATE;
use crate::record::RecordOption;
use clap::{ArgGroup, Args};

#[derive(Args)]
#[command(about = "Say why a call was allowed, asked or denied", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign why 3e22a1            a call or a request, by its id or one end of it
  countersign why --last-asked      the last that somebody had to be asked about
  countersign why --last-skipped    the last that passed without asking
  countersign why --last-skipped --json | jq .reason

It quotes what was recorded when it was decided: the one reason, the rule or grant it rests on, the
nearest thing that would have changed it, the graph that was in force, and the answer. Nothing is
decided again.")]
#[command(group(ArgGroup::new("what").required(true).args(["id", "last_asked", "last_skipped"])))]
pub(crate) struct WhyArgs {
    /// A call, request, run or proposal, by its id or at least 4 characters of either end of it
    pub(crate) id: Option<String>,
    /// The last that somebody had to be asked about
    #[arg(long)]
    pub(crate) last_asked: bool,
    /// The last that passed without asking
    #[arg(long)]
    pub(crate) last_skipped: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
